"""Which runs' plans are let go of."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from tests.panel.nights import COHORT, FIRST, decided, keep, night, outlook, query
from tuner.history.plan_rows import HeldPlans
from tuner.history.store import Store
from tuner.loop.books import keep_books
from tuner.loop.known_runs import known_runs, number_known
from tuner.loop.prune import Pruned, prune
from tuner.model.decision import Standing
from tuner.model.run import Run
from tuner.policy.history_runs import HISTORY_RUNS

CHANGE = decided(standing=Standing.PROMOTED)
ALWAYS = FIRST + timedelta(days=999)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(f"sqlite:///{tmp_path}/history.db") as opened:
        yield opened


def nights(number: int, cohort: str = COHORT) -> list[Run]:
    return [
        night(n, query("q1", 20 if n < 3 else 10), changes=[CHANGE] * (n >= 3), cohort=cohort) for n in range(number)
    ]


def test_decisions_and_savings_are_as_they_were(store: Store) -> None:
    keep(store, *nights(HISTORY_RUNS + 30), details=outlook(CHANGE))
    known, weeks = known_runs(store, COHORT), store.saved_by_week(None, FIRST)

    pruned = prune(store, ALWAYS)

    assert (pruned.cohorts, pruned.plans.runs) == (1, 30)
    assert known_runs(store, COHORT) == known
    keep_books(store, COHORT, None)
    assert store.saved_by_week(None, FIRST) == weeks != []
    assert [store.plans_let_go(run.key) for run in store.runs(COHORT, 99)] == [True] * 30 + [False] * HISTORY_RUNS
    assert prune(store, ALWAYS) == Pruned(0, HeldPlans())


def test_what_began_since_stays(store: Store) -> None:
    keep(store, *nights(HISTORY_RUNS + 30))
    assert prune(store, FIRST + timedelta(days=7)).plans.runs == 7
    assert store.plans_let_go(nights(7)[-1].key)
    assert not store.plans_let_go(nights(8)[-1].key)


def test_a_dry_run_tells_the_same_and_keeps_all(store: Store) -> None:
    for cohort in ("a", "b", "young"):
        keep(store, *nights(5 if cohort == "young" else HISTORY_RUNS + 30, cohort))
    told = prune(store, ALWAYS, dry_run=True)
    assert (told.cohorts, told.plans.runs) == (2, 60)
    assert told.plans.bytes > 0
    assert prune(store, ALWAYS) == told


def test_a_mapped_task_keeps_those_of_all_its_latest_dag_runs(store: Store) -> None:
    for number in range(7):
        one = night(number, query("q1", 10))
        instances = (
            replace(one, key=f"{one.key}/{index}", started_at=one.started_at + timedelta(seconds=index))
            for index in range(30)
        )
        keep(store, *instances)
    assert number_known(store, COHORT) == 150
    assert prune(store, ALWAYS).plans.runs == 60
