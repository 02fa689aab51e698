"""What one store has proven, brought into another: tried in the next run, judged there, and shown until then."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.nightly import Nightly, Spark
from tuner.baseline.baseline_text import baseline_text
from tuner.baseline.importer import Importer
from tuner.baseline.plan_import import plan_import
from tuner.baseline.proven import proven_baseline
from tuner.baseline.read_baseline import read_baseline
from tuner.history.store import Store
from tuner.loop import next_decision
from tuner.loop.decision_now import decision_now
from tuner.model.decision import DecidedChange, Mode, Standing
from tuner.model.exported_baseline import ExportedBaseline
from tuner.model.import_plan import Fate, ImportPlan, LeftOut, PlannedWords
from tuner.model.objective import Objective
from tuner.model.reason import ReasonCode
from tuner.model.verdict import ModeChange, ObjectiveChange, Ruling, Verdict
from tuner.steering.agent.spark_home import SparkAtHand
from tuner.steering.agent.submission import Submission
from tuner.steering.directives import Steering

SUBMISSION = Submission(
    SparkAtHand(Path("/opt/spark"), "4.0.1", "2.13"),
    {"spark.jars": "/own.jar", "spark.driver.memory": "4g"},
    "hdfs:///agent.jar",
)
STEERED = Spark(seconds=4.0, broadcast=True, agent=True)
SLOW = replace(STEERED, seconds=30.0)


def job(root: Path, steering: Steering = Steering.AGENT) -> Nightly:
    root.mkdir(exist_ok=True)
    return Nightly(root, steering=steering, submission=SUBMISSION)


BOTH = pytest.mark.parametrize("steering", [Steering.AGENT, Steering.CONF], indirect=True)


@pytest.fixture
def steering(request: pytest.FixtureRequest) -> Steering:
    """Hints by the agent, or properties alone."""
    found: Steering = getattr(request, "param", Steering.AGENT)
    return found


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, steering: Steering) -> bytes:
    """What a staging store has proven in two nights."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    staging = job(tmp_path / "staging", steering)
    staging.night("etl/1/1")
    staging.night("etl/2/1", STEERED if steering is Steering.AGENT else None)
    return exported(staging)


def exported(of: Nightly) -> bytes:
    with Store.open(of.url) as store:
        found = proven_baseline(store, of.cohort)
        assert found is not None
        return baseline_text(found).encode()


@pytest.fixture
def production(tmp_path: Path, steering: Steering, monkeypatch: pytest.MonkeyPatch) -> Nightly:
    """The same job elsewhere, where no advisor finds anything: all it has comes from the file."""
    monkeypatch.setattr(next_decision, "_advise", lambda facts: ())
    return job(tmp_path / "production", steering)


def bring(into: Nightly, file: bytes, *, pins: bool = False) -> ImportPlan:
    baseline: ExportedBaseline = read_baseline(file, "b.json")
    with Store.open(into.url) as store:
        plan = plan_import(store, baseline, into.cohort, Importer("ana", datetime.now(UTC), pins))
        said = plan.said
        store.keep_imports(plan.imported, (*said.refusals, *plan.verdicts), said.mode, said.objective)
    return plan


def fates(plan: ImportPlan) -> list[Fate]:
    return [one.fate for one in plan.trials]


def now(of: Nightly) -> list[DecidedChange]:
    with Store.open(of.url) as store:
        return list(decision_now(store, of.cohort).decision.changes)


@BOTH
def test_it_is_tried_in_the_next_run_and_proven_there(file: bytes, production: Nightly) -> None:
    production.night("etl/1/1")
    assert now(production) == []
    assert fates(bring(production, file)) == [Fate.DECIDED]
    assert [d.standing for d in now(production)] == [Standing.TRIAL], "shown before the run"

    second = production.night("etl/2/1", STEERED if production.steering is Steering.AGENT else None)
    (tried,) = second.turn.decision.changes
    assert (tried.standing, tried.why.code) == (Standing.TRIAL, ReasonCode.IMPORTED)
    assert tried.why.numbers["cohort"] == "etl.load" and tried.why.numbers["spark_version"] == "4.0.1"
    assert second.turn.directives.conf and second.turn.problems == ()
    (proven,) = production.prepare("etl/3/1").decision.changes
    assert (proven.standing, proven.why.code) == (Standing.PROMOTED, ReasonCode.FASTER)
    assert proven.change.reason.code is ReasonCode.IMPORTED, "where it came from stays known"
    assert read_baseline(exported(production), "again").trials[0].ids == {proven.id}, "and it can be exported again"


@BOTH
def test_it_is_taken_back_where_it_is_slower(file: bytes, production: Nightly) -> None:
    production.night("etl/1/1")
    bring(production, file)
    production.night("etl/2/1", SLOW if production.steering is Steering.AGENT else replace(SLOW, agent=False))
    production.night("etl/3/1")
    (out,) = production.prepare("etl/4/1").decision.changes
    assert (out.standing, out.why.code) == (Standing.ROLLED_BACK, ReasonCode.SLOWER)
    assert fates(bring(production, file)) == [Fate.OUT_HERE], "importing it again does not try it again"
    assert not production.prepare("etl/4/1").decision.in_force


def test_before_the_first_run_it_waits_for_the_second(file: bytes, production: Nightly) -> None:
    assert fates(bring(production, file)) == [Fate.WAITS_FOR_RUN]
    first = production.night("etl/1/1")
    assert first.turn.decision.in_force == ()
    assert [d.standing for d in production.prepare("etl/2/1").decision.changes] == [Standing.TRIAL]


def test_what_is_decided_ahead_is_decided_anew_after_an_import(file: bytes, production: Nightly) -> None:
    for night in range(1, 5):
        production.night(f"etl/{night}/1")
    with Store.open(production.url) as store:
        ahead = store.look_ahead(production.cohort)
    assert ahead is not None and ahead.stamp and ahead.decision.changes == ()
    bring(production, file)
    assert [d.standing for d in production.prepare("etl/5/1").decision.changes] == [Standing.TRIAL]


def test_importing_it_twice_is_importing_it_once(file: bytes, production: Nightly) -> None:
    production.night("etl/1/1")
    bring(production, file)
    with Store.open(production.url) as store:
        before = store.imports(production.cohort)
    again = bring(production, file)
    assert (fates(again), again.imported, again.verdicts) == ([Fate.IMPORTED_BEFORE], (), ())
    with Store.open(production.url) as store:
        assert store.imports(production.cohort) == before


@pytest.mark.parametrize("ruling", [Ruling.REJECT, Ruling.ROLL_BACK])
@pytest.mark.parametrize("pins", [False, True])
def test_what_people_refused_stays_out(file: bytes, production: Nightly, ruling: Ruling, pins: bool) -> None:
    production.night("etl/1/1")
    (trial,) = read_baseline(file, "b.json").trials
    with Store.open(production.url) as store:
        store.record(Verdict(production.cohort, trial.changes[0].id, ruling, "ben", datetime.now(UTC), "too large"))
    plan = bring(production, file, pins=pins)
    assert (fates(plan), plan.imported) == ([Fate.REFUSED_HERE], ())
    assert not production.prepare("etl/2/1").decision.in_force


def test_what_is_pinned_with_it_is_in_every_run(file: bytes, production: Nightly) -> None:
    production.night("etl/1/1")
    plan = bring(production, file, pins=True)
    assert [(one.fate, one.here and one.here.standing) for one in plan.trials] == [(Fate.DECIDED, Standing.PINNED)]
    assert [(v.ruling, v.by) for v in plan.verdicts] == [(Ruling.PIN, "ana")] * len(plan.imported)
    production.night("etl/2/1", SLOW)
    assert [d.standing for d in production.prepare("etl/3/1").decision.changes] == [Standing.PINNED]
    assert fates(bring(production, file, pins=True)) == fates(bring(production, file)) == [Fate.PINNED_HERE]


@pytest.mark.parametrize("mode", [Mode.OBSERVE, Mode.SUGGEST])
def test_a_mode_is_respected(file: bytes, production: Nightly, mode: Mode) -> None:
    production.mode = mode
    production.night("etl/1/1")
    plan = bring(production, file)
    assert [one.here and one.here.standing for one in plan.trials] == [Standing.PROPOSED]
    assert production.prepare("etl/2/1").decision.in_force == ()
    with Store.open(production.url) as store:
        for one in plan.imported:
            at = datetime.now(UTC)
            store.record(Verdict(production.cohort, one.change.id, Ruling.APPROVE, "ben", at))
    assert bool(production.prepare("etl/3/1").decision.in_force) is (mode is Mode.SUGGEST)


def test_what_is_proven_here_is_left_as_it_is(file: bytes, tmp_path: Path, steering: Steering) -> None:
    staging = job(tmp_path / "staging", steering)
    plan = bring(staging, file)
    assert (fates(plan), plan.imported) == ([Fate.PROVEN_HERE], ())


@BOTH
def test_another_spark_is_said(file: bytes, production: Nightly) -> None:
    production.submission = replace(SUBMISSION, spark=SparkAtHand(Path("/opt/spark"), "3.5.1", "2.12"))
    production.night("etl/1/1", Spark(version="3.5.1"))
    plan = bring(production, file)
    assert plan.differences == ("Spark 3.5 instead of 4.0",)
    (one,) = plan.trials
    held = production.steering is Steering.CONF
    assert one.here and one.here.standing is (Standing.HELD if held else Standing.TRIAL)


def test_exporting_twice_gives_the_same_bytes(file: bytes, tmp_path: Path, steering: Steering) -> None:
    staging = job(tmp_path / "staging", steering)
    assert exported(staging) == file
    staging.night("etl/3/1", STEERED if steering is Steering.AGENT else None)
    assert exported(staging) != file, "one more run is more evidence"


# --- After a move a job is as its people left it ---


@pytest.fixture
def moved(tmp_path: Path, file: bytes, steering: Steering) -> tuple[Nightly, Nightly]:
    """A job that was told to try nothing of what it had proven, and the same job with an empty store."""
    old = job(tmp_path / "staging", steering)
    (trial,) = read_baseline(file, "b.json").trials
    with Store.open(old.url) as store:
        store.record(Verdict(old.cohort, trial.changes[0].id, Ruling.REJECT, "ben", datetime.now(UTC), "too large"))
    return old, job(tmp_path / "elsewhere", steering)


def test_what_was_refused_before_a_move_is_not_tried_after_it(moved: tuple[Nightly, Nightly]) -> None:
    old, new = moved
    new.night("etl/1/1")
    plan = bring(new, exported(old))
    assert (plan.trials, len(plan.said.refusals)) == ((), 1)
    (held,) = new.prepare("etl/2/1").decision.changes
    assert (held.standing, held.why.code) == (Standing.HELD, ReasonCode.RULED)
    reason = held.why.numbers["reason"]
    assert held.why.numbers["by"] == "ana" and isinstance(reason, str)
    assert reason.startswith("imported from a baseline of etl.load ") and reason.endswith(": too large")
    assert bring(new, exported(old)).said == PlannedWords(), "twice is once"


def test_what_was_observed_before_a_move_is_observed_after_it(moved: tuple[Nightly, Nightly]) -> None:
    old, new = moved
    new.night("etl/1/1")
    with Store.open(old.url) as store:
        store.set_mode(ModeChange(old.cohort, Mode.OBSERVE, "ben", datetime.now(UTC)))
        store.set_objective(ObjectiveChange(old.cohort, Objective.COST, "ben", datetime.now(UTC)))
    bring(new, exported(old))
    with Store.open(new.url) as store:
        assert (store.mode(new.cohort), store.objective(new.cohort)) == (Mode.OBSERVE, Objective.COST)
    assert new.prepare("etl/2/1").decision.mode is Mode.OBSERVE


def test_nothing_is_said_over_what_people_here_have_said(moved: tuple[Nightly, Nightly], file: bytes) -> None:
    old, new = moved
    new.night("etl/1/1")
    (trial,) = read_baseline(file, "b.json").trials
    at = datetime.now(UTC)
    with Store.open(old.url) as store:
        store.set_mode(ModeChange(old.cohort, Mode.OBSERVE, "ben", at))
    with Store.open(new.url) as store:
        store.set_mode(ModeChange(new.cohort, None, "eve", at))
        store.record(Verdict(new.cohort, trial.changes[0].id, Ruling.APPROVE, "eve", at))
    assert bring(new, exported(old)).said == PlannedWords()


@pytest.mark.parametrize("meanwhile", [None, Mode.SUGGEST])
def test_a_file_takes_out_nothing_that_runs_here_have_proven(
    moved: tuple[Nightly, Nightly], meanwhile: Mode | None
) -> None:
    old, new = moved
    new.night("etl/1/1")
    new.night("etl/2/1", STEERED)
    with Store.open(new.url) as store:
        store.set_mode(ModeChange(new.cohort, meanwhile, "eve", datetime.now(UTC)))
    plan = bring(new, exported(old))
    assert (plan.said.refusals, list(plan.said.left_out.values())) == ((), [LeftOut.PROVEN_HERE])
    with Store.open(new.url) as store:
        store.set_mode(ModeChange(new.cohort, None, "eve", datetime.now(UTC)))
    assert [d.standing for d in new.prepare("etl/3/1").decision.changes] == [Standing.PROMOTED]


def test_a_file_gives_no_job_the_mode_auto(moved: tuple[Nightly, Nightly]) -> None:
    old, new = moved
    with Store.open(old.url) as store:
        store.set_mode(ModeChange(old.cohort, Mode.AUTO, "ben", datetime.now(UTC)))
    assert bring(new, exported(old)).said.mode is None
