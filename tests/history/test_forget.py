"""Forgetting old runs and retired cohorts, in both databases."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import Connection, event, select

from tuner.errors import StoreError
from tuner.history import forgotten_runs
from tuner.history.cohort_rows import lock_unborn
from tuner.history.forget import AT_ONCE, Forgotten, forget
from tuner.history.old_runs import LooksAt
from tuner.history.store import Store
from tuner.history.tables import Base, RunRow, SavingRow, TimesRow
from tuner.model.cluster import Cluster
from tuner.model.decision import Decision, Mode
from tuner.model.imported_change import ImportedChange
from tuner.model.look_ahead import LookAhead
from tuner.model.objective import Objective
from tuner.model.proof import Proof
from tuner.model.run import Run, RunDetails, RunState
from tuner.model.saving import Saving
from tuner.model.verdict import ModeChange, ObjectiveChange, Ruling, Verdict

from .database import database
from .samples import MIDNIGHT, full_decision, full_outcome, measured, running

COHORT, OTHER = "etl.load", "shop.report"
DAY = timedelta(days=1)
LONG_AFTER = MIDNIGHT + 999 * DAY


def few(_store: Store, _cohort: str) -> LooksAt:
    return LooksAt(newest=3, never_booked=1, first_after=2)


def a_run(day: int, cohort: str = COHORT) -> Run:
    return replace(running(f"{cohort}/{day:03}", cohort), started_at=MIDNIGHT + day * DAY, decision=full_decision())


def keep(store: Store, days: Collection[int], cohort: str = COHORT) -> None:
    """A run a day, each with all that a run can have; what is booked of it are as many seconds as its day."""
    started = {a_run(day, cohort).key: a_run(day, cohort).started_at for day in days}
    for day, key in zip(days, started, strict=True):
        store.begin(a_run(day, cohort))
        store.finish(key, RunState.SUCCEEDED, started[key] + timedelta(minutes=1), full_outcome())
        store.add_details(key, RunDetails(full_decision()))
    store.keep_books(cohort, None, started, [Saving(key, "x", 1.0 + int(key[-3:])) for key in started])


def say_all(store: Store, cohort: str = COHORT) -> None:
    """All that is known of a cohort beside its runs."""
    change = full_decision().changes[1].change
    store.record(Verdict(cohort, change.id, Ruling.PIN, "ann", MIDNIGHT, "SELECT secret"))
    store.set_mode(ModeChange(cohort, Mode.AUTO, "ann", MIDNIGHT))
    store.set_objective(ObjectiveChange(cohort, Objective.COST, "ann", MIDNIGHT))
    store.keep_imports([ImportedChange(cohort, change, "ann", MIDNIGHT)])
    store.keep_look_ahead(cohort, LookAhead("", Decision(Mode.AUTO, ()), "4.0.1", 1, False, "", (), {}, {}, (), "", ""))
    store.prove(cohort, [Proof(cohort, "q72", MIDNIGHT, "4.0.1", Cluster())])


def held_of(url: str, cohort: str) -> dict[str, int]:
    """In how many rows of each table a cohort's name stands, anywhere."""
    with database(url) as connection:
        rows = {table.name: connection.execute(select(table)).all() for table in Base.metadata.sorted_tables}
    found = {name: sum(cohort in repr(row) for row in of_it) for name, of_it in rows.items()}
    return {name: number for name, number in found.items() if number}


def total(store: Store, cohort: str = COHORT) -> float:
    return sum(week.saved.seconds for week in store.saved_by_week([cohort], MIDNIGHT))


@contextmanager
def at_each(store: Store, method: str, happens: Any) -> Iterator[None]:
    """Something happens before each call of a method of this store."""
    called = getattr(store, method)

    def instead(*given: Any) -> Any:
        happens()
        return called(*given)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(store, method, instead)
        yield


def test_of_a_run_that_is_forgotten_only_the_sums_of_its_week_are_left(store: Store, url: str) -> None:
    keep(store, range(40))
    say_all(store)
    before, weeks = held_of(url, COHORT), store.saved_by_week(None, MIDNIGHT)
    by_change, last = store.saved_by_change(None, MIDNIGHT, 9), store.last_runs_with([(COHORT, "x")])

    assert forget(store, MIDNIGHT + 35 * DAY, few) == Forgotten(runs=35, cohorts=1)

    after = held_of(url, COHORT)
    assert {name: before[name] - after[name] for name in before if before[name] != after[name]} == dict.fromkeys(
        (RunRow.__tablename__, SavingRow.__tablename__, TimesRow.__tablename__), 35
    )
    assert [run.key for run in store.runs(COHORT)] == [a_run(day).key for day in range(35, 40)]
    assert [(found.runs, found.last_key) for found in store.cohorts()] == [(5, a_run(39).key)]
    assert store.saved_by_week(None, MIDNIGHT) == weeks
    assert store.saved_by_change(None, MIDNIGHT, 9) == by_change
    assert store.last_runs_with([(COHORT, "x")]) == last
    assert [verdict.ruling for verdict in store.verdicts(COHORT)] == [Ruling.PIN]
    assert store.mode(COHORT) is Mode.AUTO
    assert store.run(a_run(0).key) is None and store.details(a_run(0).key) is None
    assert forget(store, MIDNIGHT + 35 * DAY, few) == Forgotten()


def test_of_a_retired_cohort_nothing_is_left(store: Store, url: str) -> None:
    for cohort in (COHORT, OTHER):
        keep(store, range(10), cohort)
        say_all(store, cohort)
    keep(store, [400], OTHER)
    others = held_of(url, OTHER)
    assert len(held_of(url, COHORT)) == len(Base.metadata.tables), "all that a store can hold"

    assert forget(store, MIDNIGHT + 300 * DAY, few) == Forgotten(runs=6, cohorts=1, retired=1, retired_runs=10)

    assert held_of(url, COHORT) == {}
    assert (store.names(), [found.cohort for found in store.cohorts()]) == ([OTHER], [OTHER])
    assert store.proofs("another", MIDNIGHT, 9) == store.proofs(COHORT, MIDNIGHT, 9)
    assert {name: others[name] - held for name, held in held_of(url, OTHER).items() if others[name] != held} == (
        dict.fromkeys((RunRow.__tablename__, SavingRow.__tablename__, TimesRow.__tablename__), 6)
    )
    assert forget(store, MIDNIGHT + 300 * DAY, few) == Forgotten()
    # It may come back, as a job that nobody knows.
    keep(store, [500])
    assert (store.count(COHORT), store.verdicts(COHORT)) == (1, [])


def test_a_dry_run_tells_the_same_and_takes_nothing(store: Store, url: str) -> None:
    keep(store, range(10))
    keep(store, range(120), OTHER)
    say_all(store)
    store.begin(replace(a_run(1, "hung"), key="hung"))
    held = held_of(url, COHORT), held_of(url, OTHER)
    told = forget(store, MIDNIGHT + 60 * DAY, few, dry_run=True)
    assert told == Forgotten(runs=60, cohorts=1, retired=1, retired_runs=10, unended=("hung",))
    assert (held_of(url, COHORT), held_of(url, OTHER)) == held
    assert forget(store, MIDNIGHT + 60 * DAY, few) == told


def test_it_takes_few_at_once_and_may_be_interrupted(store: Store, url: str) -> None:
    keep(store, range(2 * AT_ONCE + 10))
    say_all(store)
    keep(store, range(2 * AT_ONCE + 10), OTHER)
    keep(store, [900], OTHER)
    taken = list[int]()

    def third() -> None:
        taken.append(store.count(COHORT))
        if len(taken) == 3:
            raise KeyboardInterrupt

    with at_each(store, "forget_cohort", third), pytest.raises(KeyboardInterrupt):
        forget(store, LONG_AFTER - 200 * DAY, few)
    assert taken == [2 * AT_ONCE + 10, AT_ONCE + 10, 10]
    assert len(store.verdicts(COHORT)) == 1, "what people said goes with the last run"
    assert [(found.cohort, found.runs) for found in store.cohorts()] == [(COHORT, 10), (OTHER, 2 * AT_ONCE + 11)]
    again = forget(store, LONG_AFTER - 200 * DAY, few)
    assert again == Forgotten(runs=2 * AT_ONCE + 6, cohorts=1, retired=1, retired_runs=10)
    assert held_of(url, COHORT) == {}


def test_a_cohort_that_runs_again_meanwhile_keeps_what_is_left(store: Store) -> None:
    keep(store, range(AT_ONCE + 10))
    say_all(store)
    calls = list[int]()

    def second() -> None:
        calls.append(1)
        if len(calls) == 2:
            store.begin(a_run(900))

    with at_each(store, "forget_cohort", second):
        assert forget(store, LONG_AFTER - 200 * DAY, few) == Forgotten(runs=AT_ONCE, cohorts=1)
    assert [run.key for run in store.runs(COHORT)] == [a_run(day).key for day in (*range(AT_ONCE, AT_ONCE + 10), 900)]
    assert len(store.verdicts(COHORT)) == 1
    assert total(store) == sum(range(1, AT_ONCE + 11))


def test_a_cohort_that_somebody_speaks_of_meanwhile_stays(store: Store) -> None:
    keep(store, range(5))
    speak = ModeChange(COHORT, Mode.OBSERVE, "ann", LONG_AFTER)
    with at_each(store, "forget_cohort", lambda: store.set_mode(speak)):
        assert forget(store, LONG_AFTER, few) == Forgotten()
    assert store.count(COHORT) == 5


def test_a_first_run_that_begins_in_that_very_moment_is_not_taken(
    store: Store, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a cohort that no run has there is no row that keeps others out."""
    if url.startswith("sqlite"):
        pytest.skip("SQLite has one writer")
    say_all(store)

    def begins(connection: Connection, cohort: str) -> None:
        with Store.open(url) as other:
            other.begin(a_run(900))
        lock_unborn(connection, cohort)

    monkeypatch.setattr(forgotten_runs, "lock_unborn", begins)
    assert forget(store, LONG_AFTER - 200 * DAY, few) == Forgotten()
    assert (store.count(COHORT), len(store.verdicts(COHORT)), store.cohorts()[0].runs) == (1, 1, 1)


def test_a_first_run_that_begins_a_moment_later_waits_and_what_is_said_then_stays(
    store: Store, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if url.startswith("sqlite"):
        pytest.skip("SQLite has one writer")
    say_all(store)
    with Store.open(url) as other, ThreadPoolExecutor(1) as threads:

        def begins(connection: Connection, cohort: str) -> None:
            lock_unborn(connection, cohort)
            other.set_mode(ModeChange(COHORT, Mode.OBSERVE, "bea", LONG_AFTER))
            late = threads.submit(other.begin, a_run(900))
            with pytest.raises(TimeoutError):
                late.result(0.3)

        monkeypatch.setattr(forgotten_runs, "lock_unborn", begins)
        assert forget(store, LONG_AFTER - 200 * DAY, few) == Forgotten(retired=1)
    assert (store.count(COHORT), store.verdicts(COHORT), store.mode(COHORT)) == (1, [], Mode.OBSERVE)
    assert [(one.last_key, one.runs) for one in store.cohorts()] == [(a_run(900).key, 1)]


def test_a_run_that_is_stored_late_is_not_taken_with_what_people_said(store: Store) -> None:
    """A log of long ago that is imported meanwhile."""
    keep(store, range(5))
    say_all(store)

    def import_log() -> None:
        keep(store, [77])

    with at_each(store, "forget_cohort", import_log):
        forget(store, LONG_AFTER, few)
    assert [run.key for run in store.runs(COHORT)] == [a_run(77).key]
    assert len(store.verdicts(COHORT)) == 1
    assert forget(store, LONG_AFTER, few) == Forgotten(retired=1, retired_runs=1)


def test_a_run_that_ends_once_it_was_forgotten_is_told_so_or_stored_anew(store: Store) -> None:
    """One that was given up as lost, and comes to its end after all."""
    keep(store, range(1, 10))
    store.begin(a_run(0))
    store.finish(a_run(0).key, RunState.LOST, MIDNIGHT + DAY, None)
    forget(store, MIDNIGHT + 5 * DAY, few)
    assert store.run(a_run(0).key) is None
    with pytest.raises(StoreError, match="is not in the history store"):
        store.finish(a_run(0).key, RunState.SUCCEEDED, LONG_AFTER, measured())
    with pytest.raises(StoreError, match="is not in the history store"):
        store.add_details(a_run(0).key, RunDetails())
    store.begin(a_run(0))
    assert store.finish(a_run(0).key, RunState.SUCCEEDED, LONG_AFTER, measured())
    assert store.cohorts()[0].last_key == a_run(9).key


def test_weeks_are_told_anew_with_what_was_booked_of_forgotten_runs(store: Store) -> None:
    """Twenty nights of which those of the first two weeks are forgotten but for some: what is left is told anew each night."""
    keep(store, range(20))
    assert total(store) == sum(range(1, 21))
    store.forget_runs(COHORT, [a_run(day).key for day in range(12)], LONG_AFTER)
    for added in (0.0, 0.0, 10.0, 3.0):
        started = {a_run(day).key: a_run(day).started_at for day in range(12, 20)}
        anew = [Saving(key, "x", 1.0 + int(key[-3:]) + added) for key in started]
        store.keep_books(COHORT, None, started, anew)
        assert total(store) == pytest.approx(sum(range(1, 21)) + 8 * added, abs=1e-9)
    (one,) = store.saved_by_change([COHORT], MIDNIGHT, 9)
    assert (one.first_at, one.last_at, one.saved.runs) == (MIDNIGHT, a_run(19).started_at, 20)


def test_what_is_taken_back_of_a_week_leaves_what_was_booked_of_forgotten_runs(store: Store) -> None:
    keep(store, range(5))
    lost = a_run(4).key
    started = {lost: a_run(4).started_at}
    store.keep_books(COHORT, None, started, [Saving(lost, "y", -7.0, failed=True)])
    store.forget_runs(COHORT, [a_run(day).key for day in range(4)], LONG_AFTER)
    assert total(store) == 1 + 2 + 3 + 4 - 7
    store.keep_books(COHORT, None, started, [], told=[lost])
    assert total(store) == 1 + 2 + 3 + 4
    saved = [week.saved for week in store.saved_by_week([COHORT], MIDNIGHT)]
    assert [(one.failed, one.lost_seconds) for one in saved] == [(0, 0.0)] * 2
    assert sum(one.runs for one in saved) == 4


def test_what_is_told_of_a_run_that_was_forgotten_since_it_was_read_counts_once(store: Store) -> None:
    keep(store, range(5))
    started = {a_run(day).key: a_run(day).started_at for day in range(5)}
    store.forget_runs(COHORT, [a_run(day).key for day in range(3)], LONG_AFTER)
    store.keep_books(COHORT, None, started, [Saving(key, "x", 1.0 + int(key[-3:])) for key in started])
    assert total(store) == sum(range(1, 6))


def test_what_runs_saved_that_are_imported_again_and_again_counts_once(store: Store) -> None:
    """Their logs stay longer than they do, and an import looks at all that are there."""
    keep(store, range(12))
    saved = store.saved_by_week(None, MIDNIGHT), store.saved_by_change(None, MIDNIGHT, 9)
    for _ in range(3):
        assert store.forget_runs(COHORT, [a_run(day).key for day in range(10)], LONG_AFTER) == 10
        assert (store.saved_by_week(None, MIDNIGHT), store.saved_by_change(None, MIDNIGHT, 9)) == saved
        keep(store, range(10))
        assert (store.saved_by_week(None, MIDNIGHT), store.saved_by_change(None, MIDNIGHT, 9)) == saved


def test_of_a_week_of_which_some_runs_are_imported_again_the_others_count_as_they_did(store: Store) -> None:
    """What each had saved is not known any more: the sum goes by equal shares."""
    keep(store, range(20))
    lost = a_run(2).key
    store.keep_books(COHORT, None, {lost: a_run(2).started_at}, [Saving(lost, "x", 3.0, failed=True)])
    for _ in range(9):
        store.forget_runs(COHORT, [a_run(day).key for day in range(12)], LONG_AFTER)
        keep(store, [3, 9])
    (one,) = store.saved_by_change([COHORT], MIDNIGHT, 9)
    assert (one.saved.runs, one.saved.failed) == (20, 1)
    assert total(store) == pytest.approx(sum(range(1, 21)), abs=10)


def test_runs_of_another_cohort_or_that_still_run_are_not_taken(store: Store) -> None:
    keep(store, range(3))
    store.begin(a_run(3))
    keep(store, range(3), OTHER)
    keys = [a_run(day, cohort).key for cohort in (COHORT, OTHER) for day in range(4)]
    assert store.forget_runs(COHORT, keys, MIDNIGHT + 2 * DAY) == 2
    assert (store.count(COHORT), store.count(OTHER)) == (2, 3)


def test_two_that_forget_at_once_do_it_once(store: Store, url: str) -> None:
    for cohort in ("a", "b", "c"):
        keep(store, range(60), cohort)
        say_all(store, cohort)
    keep(store, [900], "c")

    def prune(_: int) -> Forgotten:
        with Store.open(url) as own:
            return forget(own, LONG_AFTER - 200 * DAY, few)

    with ThreadPoolExecutor(2) as threads:
        found = list(threads.map(prune, range(2)))
    assert sum(one.retired_runs for one in found) == 120
    assert sum(one.runs for one in found) == 56
    assert store.names() == ["c"]
    assert [(one.cohort, one.runs) for one in store.cohorts()] == [("c", 5)]
    assert held_of(url, "'a'") == held_of(url, "'b'") == {}


def test_runs_begin_and_end_while_others_are_forgotten(store: Store, url: str) -> None:
    keep(store, range(200))

    def live() -> None:
        with Store.open(url) as own:
            for day in range(900, 930):
                keep(own, [day])

    with ThreadPoolExecutor(2) as threads:
        alive = threads.submit(live)
        found = forget(store, LONG_AFTER - 200 * DAY, few)
        alive.result()
    assert found.runs + found.retired_runs + store.count(COHORT) == 230
    assert [one.runs for one in store.cohorts()] == [store.count(COHORT)]
    assert {run.key for run in store.runs(COHORT, 30)} == {a_run(day).key for day in range(900, 930)}


def test_plans_are_let_go_of_and_runs_forgotten_at_once(store: Store, url: str) -> None:
    """Each locks the runs in the same order."""
    keep(store, range(200))
    keys = [a_run(day).key for day in range(200)]

    def let_go() -> None:
        with Store.open(url) as own:
            for start in range(0, 200, 20):
                own.let_go_of_plans(keys[start : start + 20][::-1])

    with ThreadPoolExecutor(2) as threads:
        going = threads.submit(let_go)
        for start in range(0, 180, 20):
            store.forget_runs(COHORT, keys[start : start + 20], LONG_AFTER)
        going.result()
    assert store.count(COHORT) == 20


def test_a_transaction_takes_no_more_than_so_many_runs(store: Store) -> None:
    keep(store, range(3 * AT_ONCE))
    keep(store, [900])
    deleted, open_ = list[int](), [0]

    def hear(_connection: Any, cursor: Any, statement: str, *_: Any) -> None:
        if statement.startswith(f"DELETE FROM {RunRow.__tablename__}"):
            open_[0] += 1

    def ends(_connection: Any) -> None:
        deleted.append(open_[0])
        open_[0] = 0

    event.listen(store._engine, "before_cursor_execute", hear)
    event.listen(store._engine, "commit", ends)
    assert forget(store, LONG_AFTER - 200 * DAY, few).runs == 3 * AT_ONCE - 4
    assert [one for one in deleted if one] == [1, 1, 1]


def test_what_is_left_of_a_run_that_ended_as_its_cohort_was_forgotten_goes_next_time(store: Store, url: str) -> None:
    say_all(store)
    assert store.cohorts() == []
    assert forget(store, LONG_AFTER, few) == Forgotten(retired=1)
    assert held_of(url, COHORT) == {}


def test_a_time_without_a_zone_is_refused(store: Store) -> None:
    keep(store, [1])
    with pytest.raises(TypeError):
        forget(store, datetime(2026, 11, 20), few)
    assert store.count(COHORT) == 1
