"""Where a cohort stands now that people have spoken, or imported, since its last run."""

from __future__ import annotations

import logging

from tuner.history.store import Store
from tuner.loop.decision_now import decision_now
from tuner.model.cohort_stance import stance_of
from tuner.model.decision import Decision
from tuner.printable import printable

_log = logging.getLogger(__name__)


def decided_now(store: Store, cohort: str) -> Decision | None:
    """What a run that started now would have; None where there is no telling."""
    try:
        return decision_now(store, cohort).decision if store.count(cohort) else None
    except Exception:
        _log.debug("could not tell what the next run of cohort %s has", printable(cohort), exc_info=True)
        return None


def keep_stance_now(store: Store, cohort: str) -> Decision | None:
    """Stores it for lists of cohorts, and tells what it follows from. What fails is logged: what was said is stored already."""
    try:
        if store.count(cohort):
            now = decision_now(store, cohort).decision
            store.keep_stance(cohort, stance_of(now))
            return now
    except Exception:
        _log.warning("could not keep where cohort %s stands", printable(cohort), exc_info=True)
    return None
