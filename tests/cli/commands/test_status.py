"""`spark-tuner status`: of all cohorts what matters, of one the answer first."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from tests.cli.conftest import Result
from tests.panel.nights import COHORT, FIRST, HINT, PARTITIONS, decided, keep, night, outlook, query, said
from tuner.history.store import Store
from tuner.loop.outlook import OUTLOOK_AMONG
from tuner.loop.stance_now import keep_stance_now
from tuner.model.action import Action, ActionKind
from tuner.model.decision import Decision, Mode, Standing
from tuner.model.directive_result import DirectiveResult, DirectiveStatus
from tuner.model.failure import Failure, FailureKind
from tuner.model.reason import Reason, ReasonCode
from tuner.model.run import Origin, Run, RunState
from tuner.model.size_change import SizeChange
from tuner.model.verdict import ModeChange, Ruling
from tuner.words.decisions import STEERING_OFF
from tuner.words.short_ids import short_id

Call = Callable[..., Result]
PROMOTED = decided(HINT, Standing.PROMOTED, gained=12.0)
ORDER = Action(ActionKind.ORDER_JOINS, "block", "((a c) b)", "q1")
PROPOSED = decided(PARTITIONS, Standing.PROPOSED)
BACK = decided(Action(ActionKind.SET_CONF, "spark.sql.adaptive.enabled", "true"), Standing.ROLLED_BACK, "slower")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(f"sqlite:///{tmp_path}/history.db") as opened:
        yield opened


def before(number: int, **more: object) -> Run:
    return night(number, query("q1", 20.0, "daily sales"), query("q2", 5.0, "days"), **more)  # type: ignore[arg-type]


def with_hint(number: int, **more: object) -> Run:
    return night(number, query("q1", 8.0, "daily sales"), query("q2", 5.0, "days"), changes=[PROMOTED], **more)  # type: ignore[arg-type]


def row(shown: str, cohort: str) -> str:
    return next(line for line in shown.splitlines() if line.split()[:1] == [cohort])


def test_all_cohorts_by_their_last_run_what_is_in_force_and_what_waits(spark_tuner: Call, store: Store) -> None:
    keep(store, before(0), with_hint(1), details=outlook(PROMOTED, PROPOSED, BACK))
    keep(store, before(0, cohort="etl.back", dag_id="b"), details=outlook(BACK))
    keep(store, before(0, cohort="etl.new", dag_id="n", state=RunState.RUNNING))
    shown = spark_tuner("status").out
    assert row(shown, COHORT).split() == f"{COHORT} 2026-11-02 02:00 succeeded - 13.0 12.0 1 change, tuned 1".split()
    back, new = row(shown, "etl.back"), row(shown, "etl.new")
    assert back.split() == [
        "etl.back",
        "2026-11-01",
        "02:00",
        "succeeded",
        "-",
        "25.0",
        "-",
        "nothing:",
        "rolled",
        "back",
        "-",
    ]
    assert new.split() == ["etl.new", "2026-11-01", "02:00", "running", "-", "-", "-", "nothing", "-"]
    assert "queries s" in shown
    assert "spark-tuner status COHORT" in shown


def test_all_cohorts_tell_what_failed_last_and_of_when_older_figures_are(spark_tuner: Call, store: Store) -> None:
    """A retry that ran hid the failure, and seconds of a week ago stood as those of the last run."""
    keep(store, before(0), before(7, state=RunState.LOST), before(8, state=RunState.RUNNING))
    keep(
        store,
        before(0, cohort="etl.alike", dag_id="g"),
        before(1, cohort="etl.alike", dag_id="g", state=RunState.RUNNING),
    )
    shown = spark_tuner("status").out
    lines = shown.splitlines()
    assert row(shown, COHORT).split()[3:] == ["no", "log,", "running", "-", "25.0", "-", "nothing", "-"]
    assert lines[lines.index(row(shown, COHORT)) + 1].split() == ["2026-11-01"]
    assert row(shown, "etl.alike").split()[3:] == ["running", "-", "25.0", "-", "nothing", "-"]
    assert sum("2026-11-01" in line for line in lines) == 1
    assert "above a date: what the run of that day took" in shown
    good, lost = json.loads(spark_tuner("status", "--json").out)["cohorts"]
    told = ("last_state", "last_ended_state", "measured_at", "is_measured")
    assert [lost[name] for name in told] == ["running", "lost", "2026-11-01T02:00:00Z", False]
    assert [good[name] for name in told] == ["running", "succeeded", "2026-11-01T02:00:00Z", True]
    assert json.loads(spark_tuner("status", COHORT, "--json").out)["summary"] == lost


def test_one_cohort_begins_with_the_answer(spark_tuner: Call, store: Store) -> None:
    keep(store, before(0), with_hint(1), details=outlook(PROMOTED, PROPOSED, BACK))
    lines = spark_tuner("status", COHORT).out.splitlines()
    assert lines[:5] == [
        f"{COHORT}: tuned, mode auto",
        "  last run: 2026-11-02 02:00 UTC, succeeded, queries 13.0 s, application 18.0 s",
        "  gained: queries took 13.0 s instead of 25.0 s with nothing in force: 12.0 s less (47.9%)",
        "  in force in the next run: 1 promoted, if its mode is still auto",
        "  waits for a person: 1 proposed",
    ]
    titles = [line for line in lines[5:] if line and not line.startswith(" ")]
    assert titles == [
        "in force:",
        f"waits for a person (spark-tuner approve {COHORT} ID lets the next run try one):",
        "not in force:",
    ]
    assert (
        f"  promoted (id {short_id(PROMOTED.id)}), last gained 12.0 s: /*+ BROADCAST(days) */ in daily sales" in lines
    )
    assert f"  proposed (id {short_id(PROPOSED.id)}): spark.sql.shuffle.partitions=16" in lines
    assert f"  rolled back (id {short_id(BACK.id)}): spark.sql.adaptive.enabled=true" in lines


def test_as_json_one_cohort_has_what_its_text_is_about(spark_tuner: Call, store: Store) -> None:
    keep(store, before(0), with_hint(1), details=outlook(PROMOTED, PROPOSED, BACK))
    found = json.loads(spark_tuner("status", COHORT, "--json").out)
    (listed,) = json.loads(spark_tuner("status", "--json").out)["cohorts"]
    assert found["summary"] == listed
    assert (listed["state"], listed["mode"], listed["waiting"]) == ("tuned", "auto", 1)
    coming = found["next"]
    assert (coming["decision"], coming["may_change"], coming["sizes"]) == (
        "1 proposed, 1 promoted, 1 rolled back",
        False,
        [],
    )
    assert [(a["standing"], a["short_id"], a["gained_seconds"]) for a in coming["actions"]] == [
        ("promoted", short_id(PROMOTED.id), 12.0),
        ("proposed", short_id(PROPOSED.id), None),
        ("rolled_back", short_id(BACK.id), None),
    ]
    assert spark_tuner("approve", COHORT, coming["actions"][1]["short_id"]).code == 0
    assert found["runs"][-1]["started_at"] == listed["last_started_at"] == "2026-11-02T02:00:00Z"
    keep(store, before(2))
    assert json.loads(spark_tuner("status", COHORT, "--json").out)["next"]["may_change"]


@pytest.mark.parametrize("shown_runs", [1, 20])
def test_what_is_decided_next_hangs_neither_on_the_runs_that_are_shown_nor_on_those_under_way(
    spark_tuner: Call, store: Store, shown_runs: int
) -> None:
    """Instances of a mapped task run at once, and each began with other trials."""
    keep(store, before(0), with_hint(1), details=outlook(PROMOTED, PROPOSED, BACK))
    keep(store, *(night(number, state=RunState.RUNNING) for number in range(2, 2 + 2 * OUTLOOK_AMONG)))
    found = json.loads(spark_tuner("status", COHORT, "--json", "--runs", str(shown_runs)).out)
    assert found["next"]["decision"] == "1 proposed, 1 promoted, 1 rolled back"
    assert len(found["runs"]) == shown_runs
    keep_stance_now(store, COHORT)
    assert store.cohorts()[0].stance.in_force == 1


def test_a_cohort_that_was_given_back_to_its_jobs_own_mode_is_not_said_to_have_the_last_runs(
    spark_tuner: Call, store: Store
) -> None:
    keep(store, before(0, mode=Mode.OBSERVE), details=outlook(PROPOSED, mode=Mode.OBSERVE))
    for mode, number in ((Mode.OBSERVE, -1), (None, 1)):
        store.set_mode(ModeChange(COHORT, mode, "ana", FIRST + timedelta(days=number)))
    head = spark_tuner("status", COHORT).out.splitlines()[0]
    assert head.endswith("if its job's own mode is observe, as the last run's")
    assert not json.loads(spark_tuner("status", COHORT, "--json").out)["next"]["mode_is_known"]
    keep(store, before(2))
    assert spark_tuner("status", COHORT).out.splitlines()[0].endswith("mode auto")


def test_what_a_mode_that_no_person_set_promises_is_said_to_rest_on_it(spark_tuner: Call, store: Store) -> None:
    """The configuration may have another by now, of which the store knows nothing."""
    keep(store, before(0), with_hint(1), details=outlook(PROMOTED))
    assert "in force in the next run: 1 promoted, if its mode is still auto\n" in spark_tuner("status", COHORT).out
    store.set_mode(ModeChange(COHORT, Mode.AUTO, "ana", FIRST))
    assert "in force in the next run: 1 promoted\n" in spark_tuner("status", COHORT).out


def test_where_steering_is_off_no_mode_promises_anything(spark_tuner: Call, store: Store) -> None:
    run = before(0, mode=Mode.OBSERVE)
    off = replace(run, decision=replace(run.decision, steering_off=True))
    keep(store, off, details=outlook(PROPOSED, mode=Mode.OBSERVE))
    assert STEERING_OFF in spark_tuner("mode", COHORT, "auto").said
    assert STEERING_OFF in spark_tuner("approve", COHORT, short_id(PROPOSED.id)).said
    shown = spark_tuner("status", COHORT)
    assert STEERING_OFF in shown.said and "asked of nobody while steering is off" in shown.said
    assert "in force in the next run: nothing\n" in shown.out
    told = json.loads(spark_tuner("status", COHORT, "--json").out)["next"]
    assert (told["mode"], told["steering_off"]) == ("observe", True)


def test_the_runs_come_last_and_say_what_their_seconds_are_of(spark_tuner: Call, store: Store) -> None:
    keep(store, before(0), with_hint(1), details=outlook(PROMOTED))
    *_, over, heads, first, second = spark_tuner("status", COHORT).out.splitlines()
    assert over.split()[:2] == ["queries", "application"]
    assert heads.split() == ["run", "state", "s", "s", "hours", "hours", "in", "force"]
    assert first.split() == ["etl/etl.load/0/1", "succeeded", "25.0", "30.0", "-", "-", "nothing"]
    assert second.split() == ["etl/etl.load/1/1", "succeeded", "13.0", "18.0", "-", "-", "1", "promoted"]


def test_what_failed_is_counted_and_told_with_why(spark_tuner: Call, store: Store) -> None:
    failed = before(1, state=RunState.FAILED)
    why = Failure(FailureKind.BROADCAST_TIMEOUT, "broadcast timed out after 300 s", "q1", "SQL execution 4", 4)
    assert failed.outcome is not None
    keep(store, before(0), replace(failed, outcome=replace(failed.outcome, failure=why)))
    keep(store, before(2, state=RunState.PARTIAL))
    shown = spark_tuner("status", COHORT)
    assert "  failed: 1 of the last 3 runs\n" in shown.out
    assert f"run {failed.key} failed: broadcast timed out after 300 s in daily sales" in shown.said
    assert "run etl/etl.load/2/1 is not told whole: its log does not tell why" in shown.said
    assert "partial log" in shown.out


def mapped(map_index: int, state: RunState = RunState.SUCCEEDED) -> Run:
    """An instance of the task in one DAG run; they begin one after another."""
    run = before(1, state=state)
    return replace(
        run,
        key=f"etl/{COHORT}/1/{map_index}/1",
        started_at=run.started_at + timedelta(minutes=map_index),
        origin=Origin("etl", "scheduled__2026-11-02", "load", map_index),
    )


def test_an_instance_that_did_not_end_well_is_named_though_newer_ones_did(spark_tuner: Call, store: Store) -> None:
    """The list said failed, and the cohort's own page that all was well: it shows the newest 20."""
    badly = {0: RunState.FAILED, 1: RunState.LOST}
    keep(store, *(mapped(index, badly.get(index, RunState.SUCCEEDED)) for index in range(25)))
    assert row(spark_tuner("status").out, COHORT).split()[3] == "failed"
    shown = spark_tuner("status", COHORT)
    assert shown.out.splitlines()[2] == "  ended: failed, 2 of 25 instances of the last DAG run"
    assert f"run {mapped(0).key} failed: its log does not tell why" in shown.said
    assert f"run {mapped(1).key} left no log\n" in shown.out
    told = json.loads(spark_tuner("status", COHORT, "--json").out)["summary"]
    assert told["last_ended_badly"] == [mapped(0).key, mapped(1).key]


def test_of_many_instances_that_failed_the_first_are_named(spark_tuner: Call, store: Store) -> None:
    keep(store, *(mapped(index, RunState.FAILED if index < 25 else RunState.SUCCEEDED) for index in range(50)))
    shown = spark_tuner("status", COHORT).out
    assert shown.count(" failed: its log") == 20
    assert "  and 5 more instances of the last DAG run\n" in shown


def test_what_failed_last_is_told_while_it_is_tried_again(spark_tuner: Call, store: Store) -> None:
    keep(store, before(0), before(1, state=RunState.LOST))
    assert "ended:" not in spark_tuner("status", COHORT).out
    keep(store, before(2, state=RunState.RUNNING))
    lines = spark_tuner("status", COHORT).out.splitlines()
    assert lines[1:3] == [
        "  last run: 2026-11-03 02:00 UTC, running",
        "  ended: no log, the run of 2026-11-02 02:00 UTC",
    ]


def test_a_run_that_its_task_saw_succeed_is_not_said_to_run(spark_tuner: Call, store: Store) -> None:
    """On Glue and Databricks its log is read by the next decision: it ran all day."""
    landing = before(1, state=RunState.RUNNING)
    keep(store, before(0), landing)
    store.keep_success(landing.key, landing.started_at)
    assert "ended, log not read yet" in " ".join(spark_tuner("status").out.split())
    shown = spark_tuner("status", COHORT).out
    assert shown.splitlines()[1] == "  last run: 2026-11-02 02:00 UTC, ended, log not read yet"
    assert "running" not in shown
    told = json.loads(spark_tuner("status", COHORT, "--json").out)
    assert (told["summary"]["last_state"], told["summary"]["last_has_ended"]) == ("running", True)
    assert told["runs"][-1]["ended_at"] == "2026-11-02T02:00:00Z"


def test_what_the_last_run_was_without_on_purpose_is_told(spark_tuner: Call, store: Store) -> None:
    why = Reason(ReasonCode.NEVER_WITHOUT, {})
    keep(store, before(0, changes=[replace(PROMOTED, standing=Standing.HELD, held=why)]), details=outlook(PROMOTED))
    lines = spark_tuner("status", COHORT).out.splitlines()
    first = lines.index("the last run was without, to compare:") + 1
    assert lines[first : first + 2] == [
        f"  (id {short_id(PROMOTED.id)}) /*+ BROADCAST(days) */ in daily sales",
        "    left out once, to compare: this job never ran without it",
    ]


def test_nothing_is_said_of_what_there_is_not(spark_tuner: Call, store: Store) -> None:
    keep(store, before(0), details=outlook())
    shown = spark_tuner("status", COHORT).out
    assert "in force in the next run: nothing" in shown
    assert "waits for a person: nothing" in shown
    for word in ("gained", "failed", "not in force", "not followed", "judged"):
        assert word not in shown


def test_a_job_that_lost_is_told_so(spark_tuner: Call, store: Store) -> None:
    slower = replace(PROMOTED, standing=Standing.TRIAL, gained_seconds=-20.0)
    steered = night(2, query("q1", 40.0, "daily sales"), query("q2", 5.0, "days"), changes=[slower])
    keep(store, before(0), before(1), steered, details=outlook(slower))
    shown = spark_tuner("status", COHORT).out
    assert "queries took 45.0 s instead of 25.0 s with nothing in force: 20.0 s more (79.9%)" in shown
    assert ", last lost 20.0 s: " in shown


def test_a_night_that_does_not_tell_is_no_loss(spark_tuner: Call, store: Store) -> None:
    untold = replace(PROMOTED, standing=Standing.TRIAL, gained_seconds=-0.4, gained_between=(-3.0, 2.2))
    steered = night(2, query("q1", 20.4, "daily sales"), query("q2", 5.0, "days"), changes=[untold])
    keep(store, before(0), before(1), steered, details=outlook(untold))
    shown = spark_tuner("status", COHORT).out
    assert re.search(
        r"gained: queries took 25.4 s; with nothing in force 2\d.\d s to 2\d.\d s: a gain or a loss cannot", shown
    )
    assert ", last 3.0 s lost to 2.2 s gained: " in shown


def test_a_slow_night_in_which_every_change_was_held_is_no_loss(spark_tuner: Call, store: Store) -> None:
    held = DirectiveResult(HINT.id, DirectiveStatus.HELD, "its filters have other values")
    slow = replace(query("q1", 32.0, "daily sales"), directives=(held,))
    keep(
        store,
        before(0),
        before(1),
        night(2, slow, query("q2", 8.0, "days"), changes=[PROMOTED]),
        details=outlook(PROMOTED),
    )
    assert "\n  gained:" not in spark_tuner("status", COHORT).out
    assert row(spark_tuner("status").out, COHORT).split()[5:7] == ["40.0", "-"]


def test_in_mode_observe_it_says_what_lets_changes_be_tried(spark_tuner: Call, store: Store) -> None:
    keep(store, before(0, mode=Mode.OBSERVE), details=outlook(PROPOSED, mode=Mode.OBSERVE))
    shown = spark_tuner("status", COHORT).out
    assert f"{COHORT}: observing, mode observe" in shown
    lets = f"(spark-tuner mode {COHORT} auto lets them be tried):"
    assert f"advised, and asked of nobody in mode observe {lets}" in " ".join(shown.split())


@pytest.mark.parametrize("mode", Mode)
def test_as_many_wait_for_a_person_as_the_list_of_cohorts_says(spark_tuner: Call, store: Store, mode: Mode) -> None:
    """In mode observe it was one more; and none where the rest of its trial was in force."""
    tried, hint = decided(ORDER, Standing.TRIAL), decided(HINT, Standing.PROPOSED, needs=ORDER.id)
    keep(store, before(0, mode=mode), details=outlook(tried, hint, mode=mode))
    told = json.loads(spark_tuner("status", COHORT, "--json").out)["summary"]["waiting"]
    shown = spark_tuner("status", COHORT).out
    assert f"  waits for a person: {f'{told} proposed' if told else 'nothing'}\n" in shown
    assert ("\nwaits for a person" in shown) == bool(told) == (mode is not Mode.OBSERVE)


def test_what_no_run_can_carry_out_is_not_said_to_be_tried(spark_tuner: Call, store: Store) -> None:
    analyze = decided(Action(ActionKind.ANALYZE_TABLE, "shop.days", "day"))
    keep(store, before(0), details=outlook(analyze))
    shown = " ".join(spark_tuner("status", COHORT).out.split())
    assert "approve" not in shown
    assert f"waits for a person (no run can carry it out: do it, or spark-tuner reject {COHORT} ID):" in shown


def test_what_a_person_has_said_since_counts(spark_tuner: Call, store: Store) -> None:
    keep(store, before(0), details=outlook(PROMOTED))
    store.record(said(HINT, Ruling.ROLL_BACK, 1, "too slow"))
    keep_stance_now(store, COHORT)
    assert "nothing: rolled back" in row(spark_tuner("status").out, COHORT)
    shown = spark_tuner("status", COHORT).out
    assert f"{COHORT}: rolled back, mode auto" in shown
    assert "rolled back by bea" in shown


def test_sizes_are_in_force_too(spark_tuner: Call, store: Store) -> None:
    died = Reason(ReasonCode.RAISED, {"run": "etl/0", "before": "2g", "failure": "an executor ran out of memory"})
    raised = SizeChange("spark.executor.memory", "4g", "2g", died)
    details = outlook()
    keep(store, before(0), details=replace(details, outlook=replace(Decision(Mode.AUTO, ()), raises=(raised,))))
    shown = spark_tuner("status", COHORT).out
    assert "in force in the next run: spark.executor.memory=4g instead of 2g" in shown
    assert "    run etl/0 died with 2g: an executor ran out of memory" in shown


def test_a_mode_that_sets_no_sizes_gives_them_back_and_says_so(spark_tuner: Call, store: Store) -> None:
    died = Reason(ReasonCode.RAISED, {"run": "etl/0", "before": "8g", "failure": "an executor ran out of memory"})
    raised = SizeChange("spark.executor.memory", "16g", "8g", died)
    cut = SizeChange("spark.executor.instances", "4", "", Reason(ReasonCode.EXECUTORS_CUT, {"executors": 8}))
    sized = replace(Decision(Mode.AUTO, ()), raises=(raised,), cuts=(cut,))
    keep(store, before(0), details=replace(outlook(), outlook=sized))
    said = spark_tuner("mode", COHORT, "observe").said
    assert said.startswith(
        f"mode observe: from the next run of {COHORT} on spark.executor.memory goes back from 16g to 8g"
    )
    assert "died with 8g: an executor ran out of memory spark.executor.instances is not set to 4 any more" in said
    assert "in force in the next run: nothing" in spark_tuner("status", COHORT).out
    assert "goes back" not in spark_tuner("mode", COHORT, "auto").out
    assert "in force in the next run: spark.executor.memory=16g instead of 8g" in spark_tuner("status", COHORT).out


def test_json_has_the_fields_that_it_had(spark_tuner: Call, store: Store) -> None:
    keep(store, before(0), with_hint(1), details=outlook(PROMOTED))
    (cohort,) = json.loads(spark_tuner("status", "--json").out)["cohorts"]
    assert cohort.keys() >= {"cohort", "runs", "last_started_at", "last_state", "tasks"}
    _, last = json.loads(spark_tuner("status", COHORT, "--json").out)["runs"]
    assert last.keys() >= {
        "key",
        "state",
        "duration_ms",
        "decision",
        "mode",
        "objective",
        "actions",
        "queries",
        "failure",
    }
    assert last["decision"] == "1 promoted"


def test_what_several_changes_have_in_common_is_said_once(spark_tuner: Call, store: Store) -> None:
    both = [decided(each, Standing.TRIAL, "tried again") for each in (PARTITIONS, BACK.change.actions)]
    keep(store, before(0), details=outlook(both[0], PROMOTED, both[1]))
    lines = spark_tuner("status", COHORT).out.splitlines()
    first, second, why, *_ = lines[lines.index("in force:") + 1 :]
    assert (first.split(":")[0], second.split(":")[0]) == tuple(f"  on trial (id {short_id(each.id)})" for each in both)
    assert why == "    tried again"
    assert lines.count(why) == 1
