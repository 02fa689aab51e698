"""Which old runs nothing looks at any more, in both databases."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import replace
from datetime import datetime, timedelta, timezone

import pytest
from sqlalchemy import event, text

from tuner.history import old_runs
from tuner.history.old_runs import LooksAt, OldRuns
from tuner.history.store import Store
from tuner.model.cluster import Cluster
from tuner.model.decision import Decision, Mode
from tuner.model.imported_change import ImportedChange
from tuner.model.objective import Objective
from tuner.model.run import Origin, Outcome, Run, RunState
from tuner.model.saving import Saving
from tuner.model.verdict import ModeChange, ObjectiveChange, Ruling, Verdict

from .database import database
from .samples import MIDNIGHT, full_decision, measured

COHORT = "etl.load"
FEW = LooksAt(newest=3, never_booked=1, first_after=2)
DAY = timedelta(days=1)
MEASURED = measured()
RETIRED_SINCE = MIDNIGHT + 300 * DAY


def a_run(day: float, cohort: str = COHORT, origin: Origin | None = None) -> Run:
    key, started = f"{cohort}/{day:g}", MIDNIGHT + day * DAY
    return Run(key, cohort, 1, started, RunState.RUNNING, Decision(Mode.AUTO, ()), "", origin=origin)


def keep(
    store: Store,
    days: Iterable[float],
    cohort: str = COHORT,
    *,
    state: RunState = RunState.SUCCEEDED,
    outcome: Outcome | None = MEASURED,
    booked: Collection[float] = (),
    origin: Origin | None = None,
) -> None:
    """One run a day, which takes a minute; of those `booked` a saving is."""
    for day in days:
        run = a_run(day, cohort, origin)
        store.begin(run)
        if state is not RunState.RUNNING:
            store.finish(run.key, state, run.started_at + timedelta(minutes=1), outcome)
    started = {a_run(day, cohort).key: a_run(day, cohort).started_at for day in booked}
    store.keep_books(cohort, None, started, [Saving(key, "x", 1.0) for key in started])


def old(store: Store, before: float, looks_at: LooksAt = FEW, cohort: str = COHORT) -> list[float]:
    """The days of those that may be forgotten."""
    found = store.old_runs(cohort, MIDNIGHT + before * DAY, looks_at)
    assert not found.is_retired and not found.is_unended
    return [float(key.rsplit("/", 1)[1]) for key in found.keys]


def test_what_decisions_and_books_look_at_stays(store: Store) -> None:
    """The newest and one more; the oldest and the newest that nothing is booked of, and the two after each; by whom the saving is
    told; the newest five that were measured, which are more than the newest here."""
    keep(store, range(40), booked=[day for day in range(1, 40) if day != 20])
    # 0 and 20 are not booked; 35 to 39 tell how long a run takes.
    assert old(store, before=39) == [float(day) for day in range(3, 35) if day not in (20, 21, 22)]
    assert old(store, before=8) == [3, 4, 5, 6, 7]
    assert old(store, before=0.5) == []


def test_a_run_that_began_at_that_very_time_stays(store: Store) -> None:
    keep(store, range(40), booked=range(1, 40))
    assert old(store, before=3) == []
    assert old(store, before=3.001) == [3]


def test_the_time_is_one_moment_in_whatever_zone_it_is_told(store: Store) -> None:
    keep(store, range(40), booked=range(1, 40))
    before = (MIDNIGHT + 3.5 * DAY).astimezone(timezone(timedelta(hours=-11)))
    assert store.old_runs(COHORT, before, FEW).keys == ("etl.load/3",)


def test_of_those_that_nothing_is_booked_of_only_some_are_looked_at(store: Store) -> None:
    keep(store, range(40))
    assert old(store, before=39) == [float(day) for day in range(3, 35)]


def test_of_those_that_books_look_for_nowhere_none_is_looked_at(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    keep(store, range(40), booked=[day for day in range(1, 40) if day != 20])
    monkeypatch.setattr(old_runs, "UNBOOKED_AMONG", 10)
    assert old(store, before=39) == [float(day) for day in range(3, 35)]
    monkeypatch.setattr(old_runs, "UNBOOKED_AMONG", 20)
    assert old(store, before=39) == [float(day) for day in range(3, 35) if day not in (20, 21, 22)]


def test_runs_that_run_stay_and_those_that_are_lost_or_failed_go(store: Store) -> None:
    keep(store, range(3))
    keep(store, [3], state=RunState.RUNNING)
    keep(store, [4], state=RunState.LOST, outcome=None)
    keep(store, [5], state=RunState.FAILED)
    keep(store, range(6, 20), booked=range(6, 20))
    assert old(store, before=19) == [4, 5, 8, 9, 10, 11, 12, 13, 14]


def test_what_tells_how_long_a_run_takes_stays_though_it_is_old(store: Store) -> None:
    """Without it a job whose runs lost their logs would be taken for one that cannot start where its log is to go."""
    keep(store, range(10), booked=range(10))
    keep(store, range(10, 80), state=RunState.FAILED, outcome=None)
    assert old(store, before=79) == [float(day) for day in (*range(5), *range(10, 76))]


def test_the_run_that_names_a_change_stays(store: Store) -> None:
    """Of each change the newest that a saving is booked of: by its decision the savings say what it does."""
    keep(store, range(40), booked=range(3, 40))
    run = a_run(7)
    store.keep_books(COHORT, None, {run.key: run.started_at}, [Saving(run.key, "y", 2.0), Saving(run.key, "x", 1.0)])
    assert 7 not in old(store, before=39)
    assert [run.key for run in store.last_runs_with([(COHORT, "y")]).values()] == [run.key]


def test_earlier_tries_of_a_task_instance_that_ran_again_stay(store: Store) -> None:
    """Of a mapped task, too, each instance by itself."""
    cleared = Origin("etl", "monday", "load", 3)
    keep(store, [0.5], state=RunState.FAILED, origin=replace(cleared, map_index=4))
    keep(store, [0.6], state=RunState.FAILED, origin=cleared)
    keep(store, range(1, 40), booked=range(1, 40))
    keep(store, [50], origin=cleared)
    assert 0.5 in old(store, before=39)
    assert 0.6 not in old(store, before=39)


def test_a_cohort_that_has_not_run_since_is_retired(store: Store) -> None:
    keep(store, range(5), booked=range(5))
    found = store.old_runs(COHORT, RETIRED_SINCE, FEW)
    assert found == OldRuns(tuple(f"etl.load/{day}" for day in range(5)), is_retired=True)
    assert old(store, before=4) == []


def test_a_run_that_began_long_ago_and_ended_since_is_a_sign_of_life(store: Store) -> None:
    """A job that runs on for months ends."""
    store.begin(a_run(0))
    store.finish(a_run(0).key, RunState.SUCCEEDED, RETIRED_SINCE + DAY, measured())
    assert old(store, before=300) == []


def test_a_cohort_whose_only_run_is_old_and_has_not_ended_is_none_that_retired(store: Store) -> None:
    keep(store, [1], state=RunState.RUNNING)
    assert store.old_runs(COHORT, RETIRED_SINCE, FEW) == OldRuns(is_unended=True)
    assert store.forget_cohort(COHORT, [a_run(1).key], RETIRED_SINCE) is None
    assert store.forget_runs(COHORT, [a_run(1).key], RETIRED_SINCE) == 0
    assert store.count(COHORT) == 1


def test_what_ended_beside_a_run_that_has_not_goes_as_of_any_cohort(store: Store) -> None:
    keep(store, range(40), booked=range(1, 40))
    store.begin(a_run(5.5))
    found = store.old_runs(COHORT, RETIRED_SINCE, FEW)
    assert (found.is_retired, found.is_unended) == (False, True)
    assert [float(key.rsplit("/", 1)[1]) for key in found.keys] == [float(day) for day in range(3, 35)]


@pytest.mark.parametrize("kind", ["verdict", "mode", "objective", "import"])
def test_a_cohort_that_was_spoken_of_since_is_none_that_retired(store: Store, kind: str) -> None:
    change = full_decision().changes[1].change

    def speak(at: datetime) -> None:
        if kind == "verdict":
            store.record(Verdict(COHORT, change.id, Ruling.PIN, "ann", at))
        elif kind == "mode":
            store.set_mode(ModeChange(COHORT, Mode.OBSERVE, "ann", at))
        elif kind == "objective":
            store.set_objective(ObjectiveChange(COHORT, Objective.COST, "ann", at))
        else:
            store.keep_imports([ImportedChange(COHORT, change, "ann", at, "4.0.1", Cluster())])

    keep(store, range(5))
    speak(RETIRED_SINCE - DAY)
    assert store.old_runs(COHORT, RETIRED_SINCE, FEW).is_retired
    speak(RETIRED_SINCE)
    assert not store.old_runs(COHORT, RETIRED_SINCE, FEW).is_retired


def test_an_import_that_cannot_be_read_may_be_of_yesterday(store: Store, url: str) -> None:
    """Another version wrote it."""
    keep(store, range(5))
    store.keep_imports([ImportedChange(COHORT, full_decision().changes[1].change, "ann", MIDNIGHT)])
    assert store.old_runs(COHORT, RETIRED_SINCE, FEW).is_retired
    with database(url) as connection:
        connection.execute(text("UPDATE spark_tuner_imports SET document = '{}'"))
    assert not store.old_runs(COHORT, RETIRED_SINCE, FEW).is_retired


def test_what_people_said_of_a_cohort_that_never_ran_is_old_one_day(store: Store) -> None:
    store.set_mode(ModeChange("soon", Mode.OBSERVE, "ann", MIDNIGHT))
    assert store.names() == ["soon"]
    assert store.old_runs("soon", MIDNIGHT, FEW) == OldRuns()
    assert store.old_runs("soon", MIDNIGHT + DAY, FEW) == OldRuns(is_retired=True)


def test_a_run_whose_start_cannot_be_read_is_left_alone(store: Store, url: str) -> None:
    if not url.startswith("sqlite"):
        pytest.skip("PostgreSQL holds no such thing")
    keep(store, range(5))
    with database(url) as connection:
        connection.execute(text("UPDATE spark_tuner_runs SET started_at = 'once' WHERE key = 'etl.load/3'"))
    assert not store.old_runs(COHORT, RETIRED_SINCE, FEW).is_retired


def test_runs_are_found_without_reading_their_documents(store: Store) -> None:
    asked = list[str]()
    event.listen(store._engine, "before_cursor_execute", lambda *told: asked.append(told[2]))
    store.old_runs(COHORT, datetime.now(MIDNIGHT.tzinfo), FEW)
    assert asked and not any(column in one for one in asked for column in ("decision", "outcome", "details"))
