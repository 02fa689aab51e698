"""Many processes, one store."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from tuner.errors import TriedMeanwhileError
from tuner.history.schema import upgrade
from tuner.history.store import Store
from tuner.model.run import Run, RunState

from .samples import full_decision, running

pytestmark = pytest.mark.processes

PROCESSES = 8
RUNS = 25


def crowd(url: str, runs: int) -> list[str]:
    """Lets PROCESSES processes loose on the database (see crowd.py); every one must succeed."""
    command = [sys.executable, str(Path(__file__).with_name("crowd.py")), url, str(PROCESSES), str(runs)]
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.split()


def test_no_run_is_lost_and_one_process_finishes_the_shared_one(store: Store, url: str) -> None:
    store.begin(running("shared", cohort="shared"))

    finished_shared = crowd(url, RUNS)

    runs = store.runs("crowd", limit=1000)
    assert sorted(run.key for run in runs) == sorted(f"p{n}/{i}" for n in range(PROCESSES) for i in range(RUNS))
    assert all(run.state is RunState.SUCCEEDED and run.outcome and run.outcome.app_id == run.key for run in runs)
    assert [found.runs for found in store.cohorts(cohort="crowd")] == [PROCESSES * RUNS]
    shared = store.run("shared")
    assert shared is not None and shared.outcome is not None
    assert finished_shared == [shared.outcome.app_id]


def test_a_server_whose_default_is_stricter_ends_none_that_has_waited(postgres_url: str) -> None:
    upgrade(postgres_url)
    crowd(f"{postgres_url}&options=-cdefault_transaction_isolation%3Dserializable", RUNS)
    with Store.open(postgres_url) as store:
        assert [found.runs for found in store.cohorts(cohort="crowd")] == [PROCESSES * RUNS]


def test_an_empty_database_can_be_migrated_and_opened_by_all_at_once(empty_url: str) -> None:
    crowd(empty_url, runs=0)
    with Store.open(empty_url) as store:
        assert store.cohorts() == []


def test_threads_can_share_a_store(store: Store) -> None:
    with ThreadPoolExecutor(PROCESSES) as threads:
        list(threads.map(lambda number: store.begin(running(f"{number:02}", minute=number)), range(RUNS)))
    assert [run.key for run in store.runs("etl.load")] == [f"{number:02}" for number in range(RUNS)]


def test_of_threads_that_try_the_same_change_one_begins(store: Store) -> None:
    tries = [replace(running(f"{number:02}", minute=number), decision=full_decision()) for number in range(RUNS)]

    def begins(run: Run) -> bool:
        try:
            return store.begin(run, decided_with=[])
        except TriedMeanwhileError:
            return False

    with ThreadPoolExecutor(PROCESSES) as threads:
        begun = list(threads.map(begins, tries))
    assert [run.key for run in store.runs("etl.load")] == [
        run.key for run, has in zip(tries, begun, strict=True) if has
    ]
    assert sum(begun) == 1
