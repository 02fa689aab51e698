"""What changes gained is booked run by run, and summed."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import text

from tuner.history import saving_rows
from tuner.history.saving_rows import never_booked
from tuner.history.store import Store
from tuner.model.cohort_figures import CohortFigures
from tuner.model.run import RunState
from tuner.model.saving import Saving

from .database import database
from .samples import full_outcome, running


def test_what_was_booked_of_what_is_not_told_of_stays(store: Store) -> None:
    monday = datetime(2026, 11, 16, 1, tzinfo=UTC)
    store.begin(running("1", "a"))
    booked = [Saving("1", change, 3.0, 3.0, 0.5, None, variance_of_run=8.0) for change in ("w", "x", "y")]
    store.keep_books("a", None, {"1": monday}, booked)
    told = [Saving("1", "x", 4.0, 2.0, 1.0, variance_of_run=17.0)]
    for _ in range(2):
        store.keep_books("a", None, {"1": monday}, told, untold={("1", "y"), ("1", "z")})
    (week,) = store.saved_by_week(None, monday)
    assert (week.saved.seconds, week.saved.core_hours, week.saved.runs) == (7.0, 1.5, 1)
    assert week.saved.deviation == pytest.approx(5.0)
    changes = store.saved_by_change(None, monday, 5)
    assert {one.change_id: one.saved.seconds for one in changes} == {"x": 4.0, "y": 3.0}


def test_runs_that_nothing_is_booked_of_are_the_newest_and_the_oldest(store: Store) -> None:
    for day in range(1, 9):
        run = running(str(day), "a", day)
        store.begin(run)
        if day != 4:
            store.finish(run.key, RunState.SUCCEEDED, run.started_at, full_outcome())
    started = {str(day): running(str(day), "a", day).started_at for day in range(1, 9)}
    store.keep_books("a", None, started, [Saving("2", "x", 1.0), Saving("6", "x", 1.0)])
    assert [run.key for run in store.never_booked("a", started["8"], 1)] == ["1", "7"]
    assert [run.key for run in store.never_booked("a", started["8"], 9)] == ["1", "3", "5", "7"]
    assert store.never_booked("b", started["8"], 9) == []
    assert [run.key for run in store.first_between("a", started["1"], started["8"], 3)] == ["2", "3", "5"]
    assert [run.key for run in store.first_between("a", started["6"], started["8"], 3)] == ["7"]


def test_they_are_looked_for_among_the_newest_and_the_oldest(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where fewer are than are asked for, each run that there ever was would be looked at after each run."""
    for day in range(1, 13):
        run = running(str(day), "a", day)
        store.begin(run)
        store.finish(run.key, RunState.SUCCEEDED, run.started_at, full_outcome())
    started = {str(day): running(str(day), "a", day).started_at for day in range(1, 13)}
    store.keep_books("a", None, started, [Saving(str(day), "x", 1.0) for day in range(1, 13) if day not in (2, 6, 10)])
    before = running("13", "a", 13).started_at
    assert [run.key for run in store.never_booked("a", before, 9)] == ["2", "6", "10"]
    monkeypatch.setattr(saving_rows, "UNBOOKED_AMONG", 4)
    assert [run.key for run in store.never_booked("a", before, 9)] == ["2", "10"]


_A_YEAR_OF_BOOKINGS = """
    INSERT INTO spark_tuner_savings
        (cohort, at, week, run_key, change_id, seconds, deviation, deviation_in_run, failed, of_run)
    SELECT 'etl', now(), '2026-W' || run % 52, run, change, 1, 1, 1, 0, 1
    FROM generate_series(1, 8000) AS run, generate_series(1, 5) AS change
"""


def test_runs_that_nothing_is_booked_of_are_found_without_reading_all_bookings(url: str) -> None:
    """A job of every hour with five changes in force books 40,000 rows a year: PostgreSQL read all of these for each run."""
    with database(url) as connection:
        is_sqlite = connection.dialect.name == "sqlite"
        if not is_sqlite:
            connection.execute(text(_A_YEAR_OF_BOOKINGS))
            connection.execute(text("ANALYZE spark_tuner_savings"))
        for newest in (True, False):
            query = never_booked("etl", datetime.now(UTC), 50, newest=newest)
            asked = query.compile(connection, compile_kwargs={"literal_binds": True})
            found = connection.execute(text(f"EXPLAIN {'QUERY PLAN' if is_sqlite else ''} {asked}")).all()
            plan = "\n".join(str(row[-1]) for row in found)
            assert "ix_spark_tuner_savings_run_key" in plan, plan
            assert "ix_spark_tuner_runs_cohort_started_at" in plan, plan
            assert is_sqlite or "SubPlan" not in plan, plan


def test_savings_are_summed_by_week_and_change_and_told_anew(store: Store) -> None:
    monday, sunday, next_monday = (datetime(2026, 11, day, 1, tzinfo=UTC) for day in (16, 22, 23))
    figures = CohortFigures(30.0, None, None, None, None, ())
    for number, cohort in enumerate(("a", "b")):
        store.begin(running(cohort, cohort))
        started = {f"{cohort}1": monday, f"{cohort}2": sunday, f"{cohort}3": next_monday}
        booked = [
            Saving(f"{cohort}1", "x", 3.0, 3.0, 1.0, 2.0, variance_of_run=9.0),
            Saving(f"{cohort}1", "y", 4.0, 4.0, variance_of_run=16.0),
            Saving(f"{cohort}2", "x", -1.0, 3.0, failed=True, variance_of_run=9.0),
            Saving(f"{cohort}3", "x", 10.0 + number, 3.0, variance_of_run=9.0),
        ]
        store.keep_books(cohort, figures, started, [Saving(f"{cohort}1", "z", 99.0)])
        store.keep_books(cohort, figures, started, booked)
    weeks = store.saved_by_week(None, monday)
    assert [(s.cohort, s.week) for s in weeks] == [
        ("a", "2026-11-16"),
        ("b", "2026-11-16"),
        ("a", "2026-11-23"),
        ("b", "2026-11-23"),
    ]
    first = weeks[0].saved
    assert (first.seconds, first.core_hours, first.gib_hours, first.runs, first.failed) == (6.0, 1.0, 2.0, 2, 1)
    assert first.deviation == pytest.approx(5.0 + 3.0), "unsure each by itself in a run, and alike in every run"
    assert [s.week for s in store.saved_by_week(["a"], sunday + timedelta(1))] == ["2026-11-23"]
    changes = store.saved_by_change(None, monday, 3)
    assert [(s.cohort, s.change_id, s.saved.seconds) for s in changes] == [
        ("b", "x", 13.0),
        ("a", "x", 12.0),
        ("a", "y", 4.0),
    ]
    assert (changes[1].saved.deviation, changes[1].first_at, changes[1].last_at) == (9.0, monday, next_monday)
    assert store.saved_by_change([], monday, 3) == []
