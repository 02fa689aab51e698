"""What is kept of a cohort's runs for lists of many, night after night."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import update

from tests.panel.nights import COHORT, HINT, PARTITIONS, decided, night, query
from tuner.history.store import Store
from tuner.history.tables import RunRow
from tuner.loop.books import BOOKED_RUNS, CONTROL_RUNS, keep_books
from tuner.loop.stance_now import keep_stance_now
from tuner.model.cohort_figures import Gained
from tuner.model.decision import DecidedChange, Mode, Standing
from tuner.model.failure import Failure, FailureKind
from tuner.model.reason import Reason, ReasonCode
from tuner.model.resource_use import ResourceUse
from tuner.model.run import Origin, Run, RunState
from tuner.model.size_change import SizeChange
from tuner.model.verdict import ModeChange
from tuner.policy.evidence.log_ratio import Z_90

CHANGE = decided(HINT, Standing.PROMOTED)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(f"sqlite:///{tmp_path}/history.db") as opened:
        yield opened


def a_night(number: int, *, steered: bool) -> Run:
    queries = (query("q1", 10.0 if steered else 20.0), query("q2", 30.0))
    return night(number, *queries, changes=[CHANGE] if steered else [])


def begin(store: Store, run: Run) -> None:
    store.begin(replace(run, state=RunState.RUNNING, ended_at=None, outcome=None))


def finish(store: Store, run: Run) -> Gained | None:
    store.finish(run.key, run.state, run.ended_at or run.started_at, run.outcome)
    return keep_books(store, COHORT, None, run.key)


def total(store: Store) -> float:
    since = a_night(0, steered=False).started_at
    return sum(week.saved.seconds for week in store.saved_by_week(None, since))


def test_what_fewer_executors_saved_stays_when_their_author_asks_for_another_number(store: Store) -> None:
    """The runs in the number that he asked for before are older than those that are told anew, among which are some without the
    change."""
    fewer = SizeChange("spark.executor.instances", "2", "4", Reason(ReasonCode.EXECUTORS_CUT, {}))
    for number in range(20):
        asked, sizes = (4, (fewer,) if number >= 3 else ()) if number < 8 else (1, ())
        steered = number >= 3 and number not in (9, 12)
        run = night(number, query("q1", 2395.0 if steered else 3595.0), changes=[CHANGE] if steered else [])
        had = 2 if sizes else asked
        assert run.outcome is not None
        outcome = replace(
            run.outcome,
            conf={fewer.property: str(had)},
            allocated_core_ms=had * (run.outcome.duration_ms or 0),
            resources=ResourceUse(executor_ms=run.outcome.duration_ms, container_bytes=1 << 30),
        )
        begin(store, run := replace(run, decision=replace(run.decision, cuts=sizes), outcome=outcome))
        store.finish(run.key, run.state, run.started_at, outcome)
        keep_books(store, COHORT, None, most=15)
        if number == 7:
            before = hours(store)
    gained = 1200 / 3600
    assert before[""] == pytest.approx(5 * 2 * 2400 / 3600)
    assert before[CHANGE.id] == pytest.approx(5 * 4 * gained, rel=0.05)
    after = hours(store)
    assert after[""] == before[""]
    assert after[CHANGE.id] == pytest.approx(before[CHANGE.id] + 10 * gained, rel=0.05)


def hours(store: Store) -> dict[str, float]:
    since = a_night(0, steered=False).started_at
    return {one.change_id: one.saved.core_hours for one in store.saved_by_change(None, since, 5)}


@pytest.mark.nightly
def test_a_job_that_was_tuned_long_ago_is_still_booked(store: Store) -> None:
    """Of its latest 60 runs none was without the change: the nights before it are what it is held against."""
    before = 0.0
    for number in range(BOOKED_RUNS + 30):
        run = a_night(number, steered=number >= 3)
        begin(store, run)
        booked = finish(store, run)
        if number >= 3:
            assert booked is not None and booked.seconds == pytest.approx(10, rel=0.1), number
            assert total(store) > before + 8, number
        before = total(store)
    assert before == pytest.approx(10 * (BOOKED_RUNS + 27), rel=0.1)
    (summary,) = store.cohorts()
    assert summary.figures and summary.figures.gained
    assert summary.figures.gained.seconds == pytest.approx(10, rel=0.1)


def test_what_two_changes_gained_is_booked_once_each_was_left_out_and_never_both(store: Store) -> None:
    other = decided(replace(HINT, target="sales=stores"), Standing.PROMOTED)
    for number in range(81):
        first, second = number >= 3 and number != 63, number >= 5 and number != 65
        took = 20.0 * (0.5 if first else 1) * (0.8 if second else 1)
        run = night(number, query("q1", took), query("q2", 30.0), changes=[CHANGE] * first + [other] * second)
        begin(store, run)
        booked = finish(store, run)
    assert booked is not None and booked.seconds == pytest.approx(12, rel=0.1)
    (summary,) = store.cohorts()
    assert summary.figures and summary.figures.gained
    assert summary.figures.gained.seconds == pytest.approx(12, rel=0.1)


def test_what_executors_held_before_any_change_is_held_against_what_they_hold_since(store: Store) -> None:
    """With dynamic allocation, as many core-hours as before; each of two changes is left out once, and never both."""
    other = decided(replace(HINT, query="q2"), Standing.PROMOTED, queries=("q2",))
    for number in range(BOOKED_RUNS + 20):
        changes = [CHANGE] * (number >= 5 and number != 40) + [other] * (number >= 5 and number != 41)
        took = 2000.0 * 0.8 ** (CHANGE in changes), 2000.0 * 0.8 ** (other in changes)
        after = replace(query("q2", took[1]), start_ms=round(took[0] * 1000))
        run = night(number, query("q1", took[0]), after, changes=changes)
        assert run.outcome is not None
        conf = {"spark.dynamicAllocation.enabled": "true"}
        begin(store, run := replace(run, outcome=replace(run.outcome, conf=conf, allocated_core_ms=400_000_000)))
        store.finish(run.key, run.state, run.started_at, run.outcome)
        booked = keep_books(store, COHORT, None, run.key) if number == BOOKED_RUNS + 19 else None
    assert booked is not None and booked.seconds == pytest.approx(800, rel=0.1)
    by_clock = booked.seconds * 400 / 3205 / 3.6
    assert 0 <= (booked.core_hours or 0) < 0.25 * by_clock


def test_nights_that_found_nothing_to_read_are_none_to_hold_others_against(store: Store) -> None:
    """As many as there are runs without the change that are looked for."""
    for number in range(BOOKED_RUNS + CONTROL_RUNS + 6):
        run = a_night(number, steered=number >= 3 + CONTROL_RUNS)
        if 3 <= number < 3 + CONTROL_RUNS and run.outcome:
            idle = [replace(one, duration_ms=300, input_bytes=0) for one in run.outcome.queries]
            run = replace(run, outcome=replace(run.outcome, queries=tuple(idle)))
        begin(store, run)
        booked = finish(store, run)
    assert booked is not None
    assert booked.seconds == pytest.approx(10, rel=0.1)


def test_what_is_booked_stays_where_no_run_tells_of_it_any_more(store: Store) -> None:
    runs = [a_night(number, steered=number >= 3) for number in range(10)]
    for run in runs:
        begin(store, run)
        finish(store, run)
    before = total(store)
    begin(store, replace(a_night(10, steered=True), started_at=runs[-1].started_at + timedelta(days=1)))
    keep_books(store, COHORT, None, most=3)
    assert total(store) == pytest.approx(before, rel=0.05)


def test_a_query_of_every_week_is_booked_though_most_runs_with_its_change_were_without_it(store: Store) -> None:
    """Its change is in force every night. Of the nights before that, only those that ran it tell what it took."""
    for number in range(113):
        run = a_night(number, steered=number >= 14)
        if number % 7:
            run = night(number, query("q2", 30.0), changes=run.decision.changes)
        begin(store, run)
        store.finish(run.key, run.state, run.ended_at or run.started_at, run.outcome)
        if number % 7 == 0:
            keep_books(store, COHORT, None)
    assert total(store) == pytest.approx(10 * 15, rel=0.05)


def test_what_cannot_be_told_anew_of_a_run_stays_beside_what_can(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    other = decided(replace(HINT, query="q2"), Standing.PROMOTED, queries=("q2",))
    for number in range(10):
        changes = [CHANGE] * (number >= 3) + [other] * (number >= 8)
        queries = query("q1", 20.0 if number < 3 else 10.0), query("q2", 30.0 if number < 8 else 25.0)
        begin(store, run := night(number, *queries, changes=changes))
        finish(store, run)
    before = store.saved_by_change(None, run.started_at - timedelta(days=14), 5)
    weeks = store.saved_by_week(None, run.started_at - timedelta(days=14))
    monkeypatch.setattr(Store, "never_booked", lambda *_: [])
    keep_books(store, COHORT, None, most=5)
    after = store.saved_by_change(None, run.started_at - timedelta(days=14), 5)
    assert [(one.change_id, one.saved.runs) for one in after] == [(CHANGE.id, 7), (other.id, 2)]
    assert [one.saved.seconds for one in after] == pytest.approx([one.saved.seconds for one in before], rel=0.05)
    kept = store.saved_by_week(None, run.started_at - timedelta(days=14))
    assert [week.saved.runs for week in kept] == [week.saved.runs for week in weeks]


def test_of_a_mapped_task_every_instance_is_booked_night_after_night(store: Store) -> None:
    """Each has values of its own: only the same one, three nights and more before, tells what it takes without the change."""
    instances = BOOKED_RUNS + 2
    for number in range(5):
        for index in range(instances):
            told = replace(query("q1", 20.0 if number == 0 else 10.0), literals=f"{index:016x}")
            run = night(number, told, query("q2", 9.0), changes=[CHANGE] if number else [])
            started = run.started_at + timedelta(seconds=index)
            run = replace(run, key=f"{run.key}/{index}", started_at=started, ended_at=started + timedelta(minutes=10))
            begin(store, run)
            store.finish(run.key, run.state, started, run.outcome)
        keep_books(store, COHORT, None)
    assert total(store) == pytest.approx(10 * 4 * instances, rel=0.05)


def test_while_others_of_its_task_run_an_instance_tells_of_itself_and_the_last_of_all(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody else begins while books are kept: 200 that end one after another would each tell 600 runs anew."""
    asked = list[int]()
    kept = store.keep_books
    monkeypatch.setattr(Store, "keep_books", lambda _, *given: (asked.append(len(given[2])), kept(*given))[1])
    for number in range(3):
        runs = []
        for index in range(4):
            run = night(number, query("q1", 20.0 if number == 0 else 10.0), changes=[CHANGE] if number else [])
            origin = Origin("etl", str(number), "load", index)
            runs.append(replace(run, key=f"{run.key}/{index}", origin=origin))
            begin(store, runs[-1])
        assert all(finish(store, run) is not None or number == 0 for run in runs)
    assert asked == [*[1, 1, 1, 4], *[1, 1, 1, 8], *[1, 1, 1, 12]]
    assert total(store) == pytest.approx(10 * 2 * 4, rel=0.05)


def test_instances_whose_logs_land_late_are_booked_once_these_have(store: Store) -> None:
    """Each runs on, as far as is known, when it has ended: what is booked then is of the DAG run before."""
    waiting = list[Run]()
    for number in range(4):
        runs = []
        for index in range(3):
            run = night(number, query("q1", 20.0 if number == 0 else 10.0), changes=[CHANGE] if number else [])
            runs.append(replace(run, key=f"{run.key}/{index}", origin=Origin("etl", str(number), "load", index)))
            begin(store, runs[-1])
        for run in waiting:
            store.finish(run.key, run.state, run.ended_at or run.started_at, run.outcome)
        for run in runs:
            assert keep_books(store, COHORT, None, run.key) is None
        waiting = runs
    assert total(store) == pytest.approx(10 * 2 * 3, rel=0.05)


def test_faster_machines_are_no_gain_of_a_change_that_was_there_before_them(store: Store) -> None:
    change = decided(PARTITIONS, Standing.PROMOTED, queries=("q1", "q2"))
    noise = random.Random(1)
    for number in range(110):
        speed = 1.0 if number < 25 else 0.65
        took = [speed * usual * math.exp(noise.gauss(0, 0.03)) for usual in (100.0, 60.0)]
        run = night(number, query("q1", took[0]), query("q2", took[1]), changes=[change] if number >= 5 else [])
        begin(store, run)
        store.finish(run.key, run.state, run.ended_at or run.started_at, run.outcome)
        if number % 20 == 19:
            keep_books(store, COHORT, None)
    booked = keep_books(store, COHORT, None, run.key)
    assert booked is not None
    assert booked.seconds < Z_90 * booked.deviation, "that it does nothing is within the bounds"


def test_each_of_two_runs_at_once_is_told_its_own(store: Store) -> None:
    for number in range(3):
        begin(store, a_night(number, steered=False))
        finish(store, a_night(number, steered=False))
    first, second = a_night(3, steered=True), a_night(4, steered=True)
    begin(store, first)
    begin(store, second)
    booked = finish(store, first)
    assert booked is not None and booked.seconds == pytest.approx(10, rel=0.1)
    assert finish(store, second) is not None
    assert total(store) == pytest.approx(20, rel=0.1)


def test_two_hints_that_are_always_together_are_as_sure_as_one(store: Store) -> None:
    """What each did is not known; what both did is."""
    other = decided(replace(HINT, target="sales=stores"), Standing.PROMOTED)
    for number in range(13):
        steered = number >= 3
        queries = (query("q1", 10.0 if steered else 40.0), query("q2", 30.0))
        run = night(number, *queries, changes=[CHANGE, other] if steered else [])
        begin(store, run)
        booked = finish(store, run)
    assert booked is not None and booked.seconds == pytest.approx(30, rel=0.05)
    assert booked.deviation < 3
    (first, *_), since = store.saved_by_change(None, a_night(0, steered=False).started_at, 5), a_night(0, steered=False)
    assert first.saved.deviation > 10 * booked.deviation, "what one of them did alone is open"
    assert sum(week.saved.deviation for week in store.saved_by_week(None, since.started_at)) < 30


DIED = Failure(FailureKind.BROADCAST_OUT_OF_MEMORY, "not enough memory to build a broadcast", "q1")
TRIAL = decided(HINT, Standing.TRIAL)


def a_death(number: int, *changes: DecidedChange, failure: Failure = DIED, seconds: float = 90.0) -> Run:
    run = night(number, query("q1", seconds - 5), changes=changes, state=RunState.FAILED)
    assert run.outcome
    return replace(run, outcome=replace(run.outcome, failure=failure))


def lost(store: Store) -> list[tuple[float, int]]:
    since = a_night(0, steered=False).started_at
    return [(one.saved.lost_seconds, one.saved.failed) for one in store.saved_by_change(None, since, 9)]


def a_night_that_somebody_ended(store: Store) -> Run:
    """For it took far longer than the nights before it; the night after it has told what it lost."""
    killed = Failure(FailureKind.KILLED, "somebody ended it", None)
    slow = a_death(3, TRIAL, failure=killed, seconds=900.0)
    for run in (*(a_night(number, steered=False) for number in range(3)), slow, a_night(4, steered=False)):
        begin(store, run)
        finish(store, run)
    assert lost(store) == [(900.0, 1)]
    return slow


def test_a_loss_is_taken_back_once_the_job_fails_alike_without_the_change(store: Store) -> None:
    for run in (a_death(0, TRIAL), a_death(1)):
        begin(store, run)
        finish(store, run)
        if run.decision.changes:
            assert lost(store) == [(90.0, 1)]
    assert lost(store) == []
    assert store.saved_by_week(None, run.started_at - timedelta(days=30)) == []


def test_a_loss_that_older_runs_bear_out_stays_when_these_are_looked_at_no_more(store: Store) -> None:
    a_night_that_somebody_ended(store)
    keep_books(store, COHORT, None, most=2)
    assert lost(store) == [(900.0, 1)]


def test_a_loss_stays_where_a_run_that_bears_it_out_is_written_as_this_version_cannot_read_it(store: Store) -> None:
    slow = a_night_that_somebody_ended(store)
    with store._writing() as connection:
        connection.execute(update(RunRow).where(RunRow.started_at < slow.started_at).values(decision='{"mode": 1}'))
    keep_books(store, COHORT, None)
    assert lost(store) == [(900.0, 1)]


def test_nothing_is_kept_of_a_cohort_without_runs(store: Store) -> None:
    assert keep_books(store, "nobody", None) is None
    keep_stance_now(store, "nobody")
    assert store.cohorts() == []


def test_a_mode_is_listed_at_once_also_where_no_run_has_told_of_the_next(store: Store) -> None:
    begin(store, a_night(0, steered=False))
    store.set_mode(ModeChange(COHORT, Mode.OBSERVE, "ana", a_night(0, steered=False).started_at))
    keep_stance_now(store, COHORT)
    assert store.cohorts()[0].stance.mode is Mode.OBSERVE
