"""A cohort of an import, stored."""

from __future__ import annotations

from tuner.history.store import Store
from tuner.problems import Problems
from tuner.replay.carried_out_next import carried_out_next
from tuner.replay.cohort_replay import CohortReplay
from tuner.replay.replayed import Replayed
from tuner.replay.store_cohort import store_cohort


def imported_cohort(
    store: Store, cohort: CohortReplay, replayed: Replayed, problems: Problems, *, by_agent: bool
) -> tuple[CohortReplay, int]:
    """The cohort with the next run that its store tells of too, and how many of its runs were new. `by_agent`: the agent carries
    changes into its runs."""
    if by_agent:
        cohort = carried_out_next(cohort, replayed.logged(cohort.cohort), problems)
    return cohort, store_cohort(store, cohort, replayed, problems)
