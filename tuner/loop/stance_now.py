"""Where a cohort stands now that people have spoken since its last run."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from datetime import datetime

from tuner.history.store import Store
from tuner.model.cohort_stance import stance_of
from tuner.model.decision import Decision
from tuner.model.run import Run
from tuner.policy.rulings_since import rulings_since
from tuner.printable import printable

_log = logging.getLogger(__name__)

# Runs whose outlook is looked for: those since may be running, or lost.
_DETAILS_AMONG = 10


def keep_stance_now(store: Store, cohort: str) -> None:
    """Stores it for lists of cohorts. What fails is logged: what a person said is stored already."""
    try:
        runs = store.runs(cohort, _DETAILS_AMONG, brief=True)
        if runs:
            decision, made_at = _outlook(store, runs)
            mode = store.mode(cohort) or runs[-1].decision.mode
            now = rulings_since(decision, made_at, store.verdicts(cohort), mode)
            store.keep_stance(cohort, stance_of(now))
    except Exception:
        _log.warning("could not keep where cohort %s stands", printable(cohort), exc_info=True)


def _outlook(store: Store, runs: Sequence[Run]) -> tuple[Decision, datetime]:
    """What was decided for the next run when one of these (oldest first) ended, or else for the newest; and when."""
    for run in reversed(runs):
        if (details := store.details(run.key)) is not None and details.outlook is not None:
            return details.outlook, run.ended_at or run.started_at
    return runs[-1].decision, runs[-1].started_at
