"""Letting go of the plans of old runs, which no decision looks at any more."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from tuner.history.plan_rows import HeldPlans
from tuner.history.store import Store
from tuner.loop.known_runs import number_known

# The plans of so many runs go in one transaction, and a job that writes meanwhile waits for no more: 0.08 s where each holds
# 270 kB (SQLite; PostgreSQL 0.03 s), measured on 2 shared cores.
_AT_ONCE = 20


@dataclass(frozen=True, slots=True)
class Pruned:
    """What was let go of, in runs of so many cohorts."""

    cohorts: int
    plans: HeldPlans


def prune(store: Store, before: datetime, *, dry_run: bool = False) -> Pruned:
    """Lets go of the plans of all runs that began before a time, but for those of each cohort that its next decision looks at.

    Columns, decisions, savings, and what times rest on stay. `dry_run` only tells what would go.
    """
    go = store.held_plans if dry_run else store.let_go_of_plans
    cohorts, plans = 0, HeldPlans()
    for summary in store.cohorts():
        keys = store.keys_with_plans(summary.cohort, before, number_known(store, summary.cohort))
        batches = (keys[start : start + _AT_ONCE] for start in range(0, len(keys), _AT_ONCE))
        of_cohort = sum(map(go, batches), HeldPlans())
        cohorts += bool(of_cohort.runs)
        plans += of_cohort
    return Pruned(cohorts, plans)
