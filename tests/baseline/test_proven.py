"""What is exported of a cohort: what is promoted or pinned, with its evidence, and nothing that others may not read."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from tests.policy.histories import GB, MIDNIGHT, Cohort, decided, run, verdict
from tuner.baseline.baseline_text import baseline_text
from tuner.baseline.proven import proven_baseline
from tuner.baseline.read_baseline import read_baseline
from tuner.history.store import Store
from tuner.model.action import Action, ActionKind
from tuner.model.change import Change
from tuner.model.decision import DecidedChange, Mode, Standing
from tuner.model.exported_baseline import ExportedBaseline, SaidThere
from tuner.model.objective import Objective
from tuner.model.reason import Reason, ReasonCode
from tuner.model.run import Run, RunState
from tuner.model.size_change import SizeChange
from tuner.model.verdict import ModeChange, ObjectiveChange, Ruling, Verdict

from .made import CALLED_FOR, HINT, ORDER, PROPERTY, Q1, Q2, change

ORDERED = change(ORDER, queries=(Q1,))
WITH_IT = change(CALLED_FOR, queries=(Q1,), needs=ORDERED.id)
SET = change(PROPERTY, queries=(Q1, Q2))
Export = Callable[..., ExportedBaseline | None]


def trial(*changes: Change, standing: Standing = Standing.TRIAL) -> tuple[DecidedChange, ...]:
    return tuple(DecidedChange(one, standing, one.reason) for one in changes)


def night(number: int, seconds: float, *changes: DecidedChange, name: str = "daily sales") -> Run:
    found = run(number, {Q1: seconds, Q2: 10.0}, *changes)
    assert found.outcome is not None
    first, *rest = found.outcome.queries
    queries = (replace(first, description=name, main_relations=("db.sales", "db.days")), *rest)
    return replace(found, outcome=replace(found.outcome, queries=queries))


@pytest.fixture
def export(tmp_path: Path) -> Export:
    """Of a store with these runs, and what people said."""

    def exported(runs: Sequence[Run], *verdicts: Verdict) -> ExportedBaseline | None:
        with Store.open(f"sqlite:///{tmp_path}/history.db") as store:
            for one in runs:
                store.begin(one.begun)
                if one.state is not RunState.RUNNING:
                    store.finish(one.key, one.state, one.ended_at or one.started_at, one.outcome)
            for said in verdicts:
                store.record(said)
            return proven_baseline(store, "etl")

    return exported


def test_what_gained_is_told_with_its_evidence(export: Export) -> None:
    found = export([night(0, 10), night(1, 10), night(2, 4, *trial(ORDERED, WITH_IT)), night(3, 4, *trial(SET))])
    assert found is not None
    assert (found.cohort, str(found.as_of), found.spark_version) == ("etl", "2026-01-04", "4.0.1")
    ordered = next(one for one in found.trials if ORDERED.id in one.ids)
    assert (ordered.ids, ordered.standing) == ({ORDERED.id, WITH_IT.id}, Standing.PROMOTED)
    assert ordered.changes[0].id == ORDERED.id, "what the other needs comes first"
    assert (dict(ordered.names), ordered.input_bytes) == ({Q1: "daily sales"}, GB)


def test_its_inputs_are_those_of_the_last_run_that_had_its_queries_with_it(export: Export) -> None:
    """An import holds properties against them: a night without the query, or one that found little, is none to compare with."""
    proven = [night(0, 10), night(1, 10), night(2, 4, *trial(ORDERED))]

    def read(*later: Run) -> int:
        found = export([*proven, *later])
        assert found is not None
        (one,) = found.trials
        return one.input_bytes

    promoted = trial(ORDERED, standing=Standing.PROMOTED)
    assert read(run(3, {Q2: 10.0}, *promoted)) == GB
    assert read(run(3, {Q2: 10.0}, *promoted), run(4, {Q1: 0.1, Q2: 10.0}, *promoted, input_bytes=0)) == GB
    assert read(run(5, {Q1: 1.0, Q2: 1.0}, input_bytes=GB // 100)) == GB, "it was without the change"
    assert read(run(6, {Q1: 8.0, Q2: 10.0}, *promoted, input_bytes=2 * GB)) == 2 * GB


def test_the_inputs_of_what_no_run_had_are_those_of_the_last_run_with_its_queries(export: Export) -> None:
    pin = Verdict("etl", SET.id, Ruling.PIN, "ana", MIDNIGHT + timedelta(days=2), "since the move")
    proposed = trial(SET, standing=Standing.PROPOSED)
    found = export([night(0, 10, *proposed), run(1, {Q2: 10.0}, *proposed, input_bytes=3 * GB)], pin)
    assert found is not None
    assert [one.input_bytes for one in found.trials] == [4 * GB], "each query as it last ran"


def test_the_cores_are_those_that_its_author_asks_for(export: Export) -> None:
    """Another job of as many is not held for what this one was cut to."""
    cut = SizeChange("spark.executor.instances", "2", "4", Reason(ReasonCode.EXECUTORS_CUT, {"executors": 4}))
    last = night(3, 4, *trial(SET))
    assert last.outcome is not None
    cluster = replace(last.outcome.cluster, cores=8, executors=2, cores_per_executor=4)
    last = replace(last, decision=replace(last.decision, cuts=(cut,)), outcome=replace(last.outcome, cluster=cluster))
    found = export([night(0, 10), night(1, 10), night(2, 4, *trial(SET)), last])
    assert found is not None and found.cluster.cores == 16


def test_the_gain_has_bounds_and_runs(export: Export) -> None:
    found = export(
        [night(0, 10), night(1, 4, *trial(ORDERED)), night(2, 4, *trial(ORDERED, standing=Standing.PROMOTED))]
    )
    assert found is not None
    ((gain,)) = [one.gain for one in found.trials]
    assert gain is not None and gain.low is not None and gain.high is not None
    assert gain.low <= gain.seconds <= gain.high and gain.runs == 2
    assert gain.seconds == pytest.approx(6.0, abs=0.5)


def test_what_lost_waits_or_was_refused_is_not_in_it(export: Export) -> None:
    lost, waits = night(1, 30, *trial(ORDERED)), night(2, 10, *trial(SET, standing=Standing.PROPOSED))
    found = export([night(0, 10), lost, waits])
    assert found is not None and found.trials == ()


def test_what_a_person_rejected_is_not_in_it(export: Export) -> None:
    found = export([night(0, 10), night(1, 4, *trial(ORDERED))], verdict(ORDER, Ruling.REJECT, night=5))
    assert found is not None and found.trials == ()


def test_what_is_pinned_is_in_it_with_who_said_so_though_no_run_had_it(export: Export) -> None:
    proposed = night(0, 10, *trial(SET, standing=Standing.PROPOSED))
    pin = Verdict("etl", SET.id, Ruling.PIN, "ana", MIDNIGHT + timedelta(days=2), "since the move")
    found = export([proposed], pin)
    assert found is not None
    (one,) = found.trials
    assert (one.standing, one.gain) == (Standing.PINNED, None)
    assert one.ruled is not None and (one.ruled.by, one.ruled.reason, one.ruled.ruling) == (
        "ana",
        pin.reason,
        Ruling.PIN,
    )
    assert '"at": "2026-01-03T00:00:00Z"' in baseline_text(found)


def test_what_is_left_out_of_one_run_to_compare_is_proven_all_the_same(export: Export) -> None:
    """A file must not change from night to night with what is tried."""
    promoted = trial(ORDERED, standing=Standing.PROMOTED)
    runs = [night(0, 10), night(1, 4, *trial(ORDERED)), night(2, 4, *promoted), night(3, 40, *promoted)]
    with_it, slow = export(runs[:3]), export(runs[3:])
    assert with_it is not None and slow is not None
    assert [one.ids for one in slow.trials] == [one.ids for one in with_it.trials] == [{ORDERED.id}]


@pytest.mark.parametrize(
    "statement", ["SELECT * FROM t WHERE id = 4711", "  /* x */ with t as (select 4711)", "insert into t values (4711)"]
)
def test_a_query_that_is_described_by_its_text_is_called_by_what_it_joins(export: Export, statement: str) -> None:
    found = export([night(0, 10, name=statement), night(1, 4, *trial(ORDERED), name=statement)])
    assert found is not None
    text = baseline_text(found)
    assert "4711" not in text and "sales ⋈ days" in text


def test_what_could_not_be_imported_anywhere_is_left_out(export: Export) -> None:
    other = Action(ActionKind.SET_CONF, "spark.serializer", "x")
    kinds = [decided(other, queries=[Q1]), *trial(change(HINT, queries=(Q2,)))]
    found = export([night(0, 10), replace(night(1, 4), decision=replace(night(1, 4).decision, changes=tuple(kinds)))])
    assert found is not None
    assert other.id not in {id_ for one in found.trials for id_ in one.ids}


def test_where_nothing_was_measured_there_is_none(export: Export) -> None:
    assert export([run(0, None, state=RunState.RUNNING)]) is None


# --- What people said goes along ---


def said_of(tmp_path: Path, modes: Sequence[ModeChange] = (), objectives: Sequence[ObjectiveChange] = ()) -> SaidThere:
    with Store.open(f"sqlite:///{tmp_path}/history.db") as store:
        for mode in modes:
            store.set_mode(mode)
        for objective in objectives:
            store.set_objective(objective)
        found = proven_baseline(store, "etl")
    assert found is not None
    return found.said


def test_the_mode_and_the_objective_that_hold_are_in_it(export: Export, tmp_path: Path) -> None:
    export([night(0, 10)])
    mode = ModeChange("etl", Mode.OBSERVE, "ana", MIDNIGHT, "quarter end")
    objective = ObjectiveChange("etl", Objective.COST, "ana", MIDNIGHT)
    said = said_of(tmp_path, [replace(mode, mode=Mode.SUGGEST), mode], [objective])
    assert (said.mode, said.objective) == (mode, objective)
    assert said_of(tmp_path, [replace(mode, mode=None)], [replace(objective, objective=None)]) == SaidThere()


def test_of_a_job_that_was_never_measured_there_is_what_people_said(export: Export, tmp_path: Path) -> None:
    assert export([run(0, None, state=RunState.RUNNING)]) is None
    mode = ModeChange("etl", Mode.OBSERVE, "ana", MIDNIGHT)
    assert said_of(tmp_path, [mode]) == SaidThere(mode)
    found = export([])
    assert found is not None and (found.trials, found.as_of, found.spark_version) == ((), MIDNIGHT.date(), "")
    assert read_baseline(baseline_text(found).encode(), "b.json") == found


def test_what_people_refused_is_in_it_in_words_until_they_say_otherwise(export: Export) -> None:
    runs = [night(0, 10), night(1, 9, *trial(ORDERED)), night(2, 9, *trial(SET))]
    refused = verdict(ORDER, Ruling.REJECT, night=5)
    back = verdict(PROPERTY, Ruling.ROLL_BACK, night=6)
    unknown = replace(refused, change_id="set_conf:spark.sql.cbo.enabled=true")
    found = export(
        runs, back, replace(back, ruling=Ruling.APPROVE), refused, back, unknown, replace(refused, change_id="a")
    )
    assert found is not None
    assert [(one.change_id, one.words, one.ruled.ruling) for one in found.said.refused] == [
        (ORDER.id, "reorder the joins in daily sales", Ruling.REJECT),
        (PROPERTY.id, "spark.sql.shuffle.partitions=16", Ruling.ROLL_BACK),
        (unknown.change_id, unknown.change_id, Ruling.REJECT),
    ]
    again = export([], replace(refused, ruling=Ruling.APPROVE))
    assert again is not None and ORDER.id not in {one.change_id for one in again.said.refused}
    assert read_baseline(baseline_text(found).encode(), "b.json").said == found.said


def test_the_same_history_is_the_same_text(export: Export) -> None:
    hinted = change(HINT, queries=(Q2,))
    cohort = Cohort({Q1: 10.0, Q2: 10.0}, [[SET], [hinted]], {HINT.id: {Q2: 0.4}}, noise=0.05)
    cohort.nights(8)
    first = export(cohort.runs)
    again = export([])
    assert first is not None and again is not None and first.trials
    assert baseline_text(first) == baseline_text(again)
