"""How the newest round of each cohort's runs ended."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Select, text

from tuner.history.last_rounds import newest_ended, runs_of_rounds
from tuner.history.store import Store
from tuner.model.cohort_figures import CohortFigures
from tuner.model.last_round import LastRound
from tuner.model.run import Origin, RunState

from .samples import LATER, MIDNIGHT, running


def store_run(store: Store, night: str, state: RunState, minute: int, map_index: int = -1, try_number: int = 1) -> None:
    run = running(f"etl/{night}/load/{map_index}/{try_number}", minute=minute)
    store.begin(replace(run, try_number=try_number, origin=Origin("etl", night, "load", map_index)))
    if state is not RunState.RUNNING:
        store.finish(run.key, state, LATER, None)


def ended(store: Store) -> LastRound | None:
    (summary,) = store.cohorts(rounds=True)
    assert store.cohorts(cohort="etl.load", rounds=True) == [summary]
    return summary.last_round and replace(summary.last_round, newest="")


@pytest.mark.parametrize("state", [RunState.FAILED, RunState.LOST, RunState.PARTIAL])
def test_what_ended_badly_does_so_while_the_next_one_runs(store: Store, state: RunState) -> None:
    store_run(store, "1", RunState.SUCCEEDED, 1)
    store_run(store, "2", state, 2)
    store_run(store, "3", RunState.RUNNING, 3)
    assert ended(store) == LastRound(state, MIDNIGHT + timedelta(minutes=2), 1, ("etl/2/load/-1/1",))


def test_an_instance_that_failed_counts_though_another_ended_later(store: Store) -> None:
    for map_index in range(5):
        state = {2: RunState.LOST, 3: RunState.FAILED}.get(map_index, RunState.SUCCEEDED)
        store_run(store, "1", state, map_index, map_index)
    assert ended(store) == LastRound(RunState.FAILED, MIDNIGHT, 5, ("etl/1/load/3/1", "etl/1/load/2/1"))


def test_of_tries_the_last_that_has_ended_counts(store: Store) -> None:
    store_run(store, "1", RunState.FAILED, 1, 7)
    store_run(store, "1", RunState.SUCCEEDED, 2, 8)
    store_run(store, "1", RunState.RUNNING, 3, 7, try_number=2)
    assert ended(store) == LastRound(RunState.FAILED, MIDNIGHT + timedelta(minutes=1), 2, ("etl/1/load/7/1",))
    store.finish("etl/1/load/7/2", RunState.SUCCEEDED, LATER, None)
    assert ended(store) == LastRound(RunState.SUCCEEDED, MIDNIGHT + timedelta(minutes=1), 2)


def test_a_run_that_its_task_saw_succeed_has_ended_though_its_log_has_not_landed(store: Store) -> None:
    store_run(store, "1", RunState.FAILED, 1)
    store_run(store, "2", RunState.RUNNING, 2)
    store.keep_success("etl/2/load/-1/1", LATER)
    assert ended(store) == LastRound(RunState.SUCCEEDED, MIDNIGHT + timedelta(minutes=2))
    (summary,) = store.cohorts(rounds=True)
    assert (summary.last_state, summary.last_has_ended) == (RunState.RUNNING, True)
    store_run(store, "3", RunState.RUNNING, 3)
    assert not store.cohorts(rounds=True)[0].last_has_ended


def test_a_try_that_its_task_saw_succeed_makes_up_for_the_one_before(store: Store) -> None:
    store_run(store, "1", RunState.FAILED, 1)
    store_run(store, "1", RunState.RUNNING, 2, try_number=2)
    store.keep_success("etl/1/load/-1/2", LATER)
    assert ended(store) == LastRound(RunState.SUCCEEDED, MIDNIGHT + timedelta(minutes=1))


def test_tries_of_before_a_dag_run_was_cleared_are_not_of_its_last_round(store: Store) -> None:
    """Its logs had stopped coming, and it counted as measured since another DAG run had been, long after its own first try."""
    day = timedelta(days=1) // timedelta(minutes=1)
    store_run(store, "1", RunState.FAILED, 0, map_index=5)
    store_run(store, "1", RunState.SUCCEEDED, 0)
    store_run(store, "2", RunState.SUCCEEDED, 9 * day)
    figures = CohortFigures(1.0, None, None, None, None, (1.0,), MIDNIGHT + timedelta(days=9))
    store.keep_books("etl.load", figures, {}, [])
    store_run(store, "1", RunState.LOST, 21 * day, try_number=2)
    assert ended(store) == LastRound(RunState.LOST, MIDNIGHT + timedelta(days=21), 1, ("etl/1/load/-1/2",))
    (summary,) = store.cohorts(rounds=True)
    assert not summary.is_measured


def test_a_start_that_cannot_be_read_hides_no_other_cohort(sqlite_url: str) -> None:
    with Store.open(sqlite_url) as store:
        for map_index, minute in enumerate((1, 2)):
            store_run(store, "1", RunState.FAILED, minute, map_index)
        store.begin(running("other", cohort="other"))
        store.finish("other", RunState.LOST, LATER, None)
        with store._engine.begin() as connection:
            connection.execute(text("UPDATE spark_tuner_runs SET started_at = 'once' WHERE map_index = 0"))
        found = {summary.cohort: summary.last_round for summary in store.cohorts(rounds=True)}
    assert found == {
        "other": LastRound(RunState.LOST, MIDNIGHT, 1, ("other",), "other"),
        "etl.load": LastRound(
            RunState.FAILED, MIDNIGHT + timedelta(minutes=2), 1, ("etl/1/load/1/1",), "etl/1/load/1/1"
        ),
    }


def test_outside_airflow_it_is_the_newest_run_that_has_ended(store: Store) -> None:
    store.begin(running("1"))
    assert ended(store) is None
    store.finish("1", RunState.FAILED, LATER, None)
    store.begin(running("2", minute=2))
    assert ended(store) == LastRound(RunState.FAILED, MIDNIGHT, 1, ("1",))


def test_a_run_of_tenants_side_by_side_is_read_once(store: Store) -> None:
    """Each with a cohort of its own, mapped from one task: all runs were read for each."""
    tenants = 300
    for number in range(tenants):
        run = running(f"etl/1/load/{number}", cohort=f"tenant-{number:03d}", minute=number)
        store.begin(replace(run, origin=Origin("etl", "1", "load", number)))
        store.finish(run.key, RunState.FAILED if number == 7 else RunState.SUCCEEDED, LATER, None)
    with store._engine.connect() as connection:
        assert [len(connection.execute(read(None)).all()) for read in (newest_ended, runs_of_rounds)] == [tenants] * 2
    states = {summary.cohort: summary.last_round for summary in store.cohorts(dag_id="etl", rounds=True)}
    failed = "etl/1/load/7"
    assert states.pop("tenant-007") == LastRound(RunState.FAILED, MIDNIGHT + timedelta(minutes=7), 1, (failed,), failed)
    assert {ended.state for ended in states.values() if ended} == {RunState.SUCCEEDED} and len(states) == tenants - 1
    assert store.last_round("tenant-299") == states["tenant-299"]


@pytest.mark.parametrize("read", [newest_ended, runs_of_rounds])
@pytest.mark.parametrize("cohorts", [None, ["etl.load"]])
def test_runs_are_found_by_indexes(
    tmp_path: Path, read: Callable[[Collection[str] | None], Select[Any]], cohorts: list[str] | None
) -> None:
    """A list of 2,000 cohorts of a year each would read all their runs else."""
    with Store.open(f"sqlite:///{tmp_path}/history.db") as store:
        query = str(read(cohorts).compile(store._engine, compile_kwargs={"literal_binds": True}))
        with store._engine.connect() as connection:
            steps = [row[3] for row in connection.execute(text(f"EXPLAIN QUERY PLAN {query}"))]
    assert len(steps) > 3 and not [step for step in steps if step.startswith("SCAN spark_tuner_runs")], steps
    assert sum("spark_tuner_runs" in step and "(cohort=?)" in step for step in steps) == 1, steps
