"""What the columns of runs tell."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest
from sqlalchemy import text

from tuner.history import run_columns
from tuner.history.store import Store
from tuner.model.run import Origin, RunState

from .database import database
from .samples import LATER, full_decision, full_outcome, measured, running


def test_the_columns_for_lookups_hold_what_the_documents_say(store: Store, url: str) -> None:
    store.begin(replace(running("k"), decision=full_decision()))
    store.finish("k", RunState.SUCCEEDED, LATER, full_outcome())
    with database(url) as connection:
        row = connection.execute(
            text("SELECT state, mode, app_id, duration_ms, event_log_dir FROM spark_tuner_runs")
        ).one()
    assert tuple(row) == ("succeeded", "suggest", "app-7", 2**33, "/logs/k")


def test_keys_are_found_by_a_part_of_them_the_newest_first(store: Store) -> None:
    for minute, key in enumerate(("etl/1_a/load", "etl/12a/load", "sales/1_a/load")):
        store.begin(running(key, "sales" if key.startswith("sales") else "etl", minute))
    assert store.keys_with("load", 10) == ["sales/1_a/load", "etl/12a/load", "etl/1_a/load"]
    assert store.keys_with("1_a", 10) == ["sales/1_a/load", "etl/1_a/load"]
    assert store.keys_with("1_a", 10, "etl") == ["etl/1_a/load"]
    assert store.keys_with("load", 1) == ["sales/1_a/load"]
    assert store.keys_with("%", 10) == []


def test_how_many_runs_go_back_to_the_first_of_the_latest_dag_runs(store: Store) -> None:
    dag_runs = ["a", "a", "b", None, "b", "c", "c", "c"]
    for minute, run_id in enumerate(dag_runs):
        origin = Origin("etl", run_id, "load", minute) if run_id else None
        store.begin(replace(running(f"{minute}", minute=minute), origin=origin))
    found = [store.runs_since("etl.load", dag_runs=n, most=100) for n in range(5)]
    assert found == [0, 3, 5, 7, 7]
    assert store.runs_since("etl.load", dag_runs=3, most=4) == 4
    assert store.runs_since("other", dag_runs=3, most=4) == 0


def test_a_dag_run_that_was_cleared_long_after_goes_back_to_where_it_ran_anew(store: Store) -> None:
    """Else the decision looked at all that lies between: other runs of a store that forgets the old ones."""
    for day in (0, 1, 2, 3, 20, 21, 22):
        run = running(f"{day}")
        origin = Origin("etl", "cleared" if day in (0, 20, 22) else f"{day}", "load")
        store.begin(replace(run, started_at=run.started_at + timedelta(days=day), origin=origin))
    assert [store.runs_since("etl.load", dag_runs=n, most=100) for n in range(4)] == [0, 3, 3, 4]


def test_how_many_runs_go_back_to_the_first_of_those_measured(store: Store) -> None:
    states = [RunState.SUCCEEDED, RunState.SUCCEEDED, RunState.FAILED, RunState.SUCCEEDED, RunState.LOST, None]
    for minute, state in enumerate(states):
        store.begin(running(f"{minute}", minute=minute))
        if state is not None:
            store.finish(f"{minute}", state, LATER, None if state is RunState.LOST else full_outcome())
    assert [store.runs_since_measured("etl.load", n, most=100) for n in range(5)] == [0, 3, 5, 6, 6]
    assert store.runs_since_measured("etl.load", 3, most=4) == 3
    assert store.runs_since_measured("other", 3, most=4) == 0


def test_how_long_runs_take_is_told_by_the_newest(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """A job whose runs leave no log has all of them looked through at each start."""
    for minute in range(10):
        store.begin(running(f"{minute}", minute=minute))
        told = measured(duration_ms=1000 * minute) if minute < 8 else None
        store.finish(f"{minute}", RunState.SUCCEEDED if told else RunState.LOST, LATER, told)
    assert store.usual_ms("etl.load") == 5000
    monkeypatch.setattr(run_columns, "_NEWEST_LOOKED_AT", 3)
    assert store.usual_ms("etl.load") == 7000
    monkeypatch.setattr(run_columns, "_NEWEST_LOOKED_AT", 2)
    assert store.usual_ms("etl.load") == store.usual_ms("another") == 0


def test_marks_are_those_of_the_runs(store: Store) -> None:
    for minute in range(3):
        store.begin(running(f"k{minute}", minute=minute))
    store.finish("k0", RunState.SUCCEEDED, LATER, full_outcome())
    store.finish("k1", RunState.LOST, LATER, None)
    assert store.marks("etl.load", 10) == [run.mark for run in store.runs("etl.load")]
    assert store.marks("etl.load", 2) == [run.mark for run in store.recent("etl.load", 2, 1)]
