"""Which of a cohort's old runs the next decision and the books read."""

from __future__ import annotations

from tuner.history.old_runs import LooksAt
from tuner.history.store import Store
from tuner.loop.books import BOOKED_DAG_RUNS, FIRST_RUNS, OLDER_RUNS
from tuner.loop.known_runs import MOST_HISTORY_RUNS, number_known


def looks_at(store: Store, cohort: str) -> LooksAt:
    """As `known_runs` and `keep_books` read them."""
    of_dag_run = store.runs_since(cohort, BOOKED_DAG_RUNS, MOST_HISTORY_RUNS) // BOOKED_DAG_RUNS
    return LooksAt(number_known(store, cohort), max(OLDER_RUNS, of_dag_run), max(FIRST_RUNS, of_dag_run))
