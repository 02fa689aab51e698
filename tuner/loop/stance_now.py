"""Where a cohort stands now that people have spoken since its last run."""

from __future__ import annotations

from tuner.history.store import Store
from tuner.model.cohort_stance import stance_of
from tuner.policy.rulings_since import rulings_since

# Runs whose outlook is looked for: those since may be running, or lost.
_DETAILS_AMONG = 10


def keep_stance_now(store: Store, cohort: str) -> None:
    """Stores it for lists of cohorts; nothing where no run of the cohort has told yet."""
    runs = store.runs(cohort, _DETAILS_AMONG, brief=True)
    for run in reversed(runs):
        if (details := store.details(run.key)) is not None and (outlook := details.outlook) is not None:
            mode = store.mode(cohort) or runs[-1].decision.mode
            now = rulings_since(outlook, run.ended_at or run.started_at, store.verdicts(cohort), mode)
            store.keep_stance(cohort, stance_of(now))
            return
