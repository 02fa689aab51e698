"""Where a cohort stands now that people have spoken, or imported, since its last run."""

from __future__ import annotations

import logging

from tuner.history.store import Store
from tuner.loop.decision_now import decision_now
from tuner.model.cohort_stance import stance_of
from tuner.printable import printable

_log = logging.getLogger(__name__)


def keep_stance_now(store: Store, cohort: str) -> None:
    """Stores it for lists of cohorts. What fails is logged: what a person said is stored already."""
    try:
        if store.count(cohort):
            store.keep_stance(cohort, stance_of(decision_now(store, cohort).decision))
    except Exception:
        _log.warning("could not keep where cohort %s stands", printable(cohort), exc_info=True)
