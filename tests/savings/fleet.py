"""Three cohorts of two teams, booked as the loop books them: two gained, one lost."""

from __future__ import annotations

import json
import sqlite3
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import cache
from tempfile import TemporaryDirectory

from tests.panel.nights import HINT, decided, night, outlook, query
from tuner.history.store import Store
from tuner.loop.books import keep_books
from tuner.model.decision import Standing
from tuner.model.run import RunState

MONDAY = datetime(2026, 11, 2, 2, tzinfo=UTC)
NIGHTS = 14
# Seconds of a query with its hint, instead of 20, and the tags of its DAG.
COHORTS = {"etl.load": (10.0, ["finance"]), "shop.report": (15.0, ["finance", "daily"]), "ads.clean": (26.0, [])}


def book(store: Store, description: str = "SELECT revenue") -> None:
    """Four nights of each as they were, then ten with the hint, from a Monday on; into a new store."""
    with sqlite3.connect(str(store.file)) as target:
        _booked(description, json.dumps(COHORTS)).backup(target)
    target.close()


@cache
def _booked(description: str, cohorts: str) -> sqlite3.Connection:
    """The database of a store with that: once in a process, for it takes half a second."""
    found = sqlite3.connect(":memory:", check_same_thread=False)
    with TemporaryDirectory() as folder:
        with Store.open(f"sqlite:///{folder}/history.db") as store:
            _book(store, description, json.loads(cohorts))
        with sqlite3.connect(f"{folder}/history.db") as source:
            source.backup(found)
        source.close()
    return found


def _book(store: Store, description: str, cohorts: dict[str, tuple[float, list[str]]]) -> None:
    for cohort, (seconds, tags) in cohorts.items():
        change = decided(HINT, Standing.PROMOTED)
        nights = []
        for number in range(NIGHTS):
            on = [change] if number >= 4 else []
            queries = (query("q1", seconds if on else 20.0, description), query("q2", 30.0))
            run = night(number, *queries, changes=on, cohort=cohort, dag_id=cohort.split(".")[0])
            assert run.outcome and run.outcome.duration_ms
            outcome = replace(run.outcome, allocated_core_ms=8 * run.outcome.duration_ms)
            nights.append(replace(run, started_at=MONDAY + timedelta(days=number), outcome=outcome))
        for run in nights:
            store.begin(replace(run, state=RunState.RUNNING, ended_at=None, outcome=None), tags=tags)
            store.finish(run.key, run.state, run.ended_at or run.started_at, run.outcome)
        store.add_details(nights[-1].key, outlook(change))
        keep_books(store, cohort, outlook(change).outlook)
