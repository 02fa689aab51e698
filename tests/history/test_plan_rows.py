"""Letting go of what old runs hold of plans, in both databases."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest
from sqlalchemy import delete, update

from tuner.history.plan_rows import HeldPlans
from tuner.history.store import Store
from tuner.history.tables import RunRow, TimesRow
from tuner.model.run import RunDetails, RunState

from .samples import MIDNIGHT, full_decision, full_outcome, measured, running

LATER = MIDNIGHT + timedelta(hours=1)
ALWAYS = MIDNIGHT + timedelta(days=99)


def ended(store: Store, key: str, minute: int = 0, state: RunState = RunState.SUCCEEDED) -> None:
    store.begin(replace(running(key, minute=minute), decision=full_decision()))
    store.finish(key, state, LATER, full_outcome())
    store.add_details(key, RunDetails(full_decision()))


def test_times_and_decisions_stay_and_are_all_that_is_read(store: Store) -> None:
    ended(store, "k")
    (brief,) = store.runs("etl.load", brief=True)
    held = store.held_plans(["k"])
    assert (held.runs, held.bytes > 1000) == (1, True)
    assert not store.plans_let_go("k")

    assert store.let_go_of_plans(["k"]) == held

    assert store.plans_let_go("k")
    assert store.held_plans(["k"]) == HeldPlans(1, 0)
    assert store.details("k") is None
    assert store.runs("etl.load", brief=True) == [brief]
    assert store.run("k") == brief
    assert store.recent("etl.load", 9, 9) == [brief]
    assert [app_id for app_id, _ in store.whole("etl.load").values()] == ["app-7"]
    assert store.usual_ms("etl.load") == 2.0**33
    assert store.elsewhere("other", 9, 9).outcomes == ()


def test_runs_that_still_run_or_are_among_the_newest_or_are_young_hold_theirs(store: Store) -> None:
    store.begin(running("running"))
    for minute in range(1, 7):
        ended(store, f"{minute}", minute)
    assert store.keys_with_plans("etl.load", ALWAYS, 2) == ["1", "2", "3", "4"]
    assert store.keys_with_plans("etl.load", MIDNIGHT + timedelta(minutes=3), 2) == ["1", "2"]
    assert store.keys_with_plans("etl.load", ALWAYS, 7) == []
    assert store.keys_with_plans("etl.load", ALWAYS, 60) == []
    assert store.keys_with_plans("other", ALWAYS, 2) == []
    store.let_go_of_plans(["1", "3"])
    assert store.keys_with_plans("etl.load", ALWAYS, 2) == ["2", "4"]


def test_a_run_that_left_no_log_is_not_one_whose_plans_were_let_go(store: Store) -> None:
    store.begin(running("k"))
    store.finish("k", RunState.LOST, LATER, None)
    assert not store.plans_let_go("k")
    assert not store.plans_let_go("nobody")


def test_what_was_let_go_of_is_not_harvested_in_part(store: Store) -> None:
    """A run that left a broken log has an outcome all the same; once its log is whole, that is taken."""
    store.begin(running("k"))
    store.finish("k", RunState.PARTIAL, LATER, measured("first", None))
    store.let_go_of_plans(["k"])
    assert not store.finish("k", RunState.PARTIAL, LATER, measured("second", None))
    assert store.whole("etl.load") == {}
    assert store.finish("k", RunState.SUCCEEDED, LATER, full_outcome())
    assert store.run("k") == replace(running("k"), state=RunState.SUCCEEDED, ended_at=LATER, outcome=full_outcome())
    assert not store.plans_let_go("k")


def test_times_of_runs_that_were_stored_before_these_were_kept_are_kept_now(
    store: Store, caplog: pytest.LogCaptureFixture
) -> None:
    ended(store, "old")
    ended(store, "unreadable", 1)
    (brief, _) = store.runs("etl.load", brief=True)
    with store._writing() as connection:
        connection.execute(delete(TimesRow))
        connection.execute(update(RunRow).where(RunRow.key == "unreadable").values(outcome="no JSON"))
    assert store.let_go_of_plans(["old", "unreadable"]).runs == 1
    assert store.run("old") == brief
    assert store.keys_with_plans("etl.load", ALWAYS, 1) == []
    assert not store.plans_let_go("unreadable")
    assert "run unreadable cannot be read" in caplog.text
