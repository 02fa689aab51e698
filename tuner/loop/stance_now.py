"""Where a cohort stands now that people have spoken, or imported, since its last run."""

from __future__ import annotations

import logging

from tuner.history.store import Store
from tuner.loop.imports_since import imports_since
from tuner.loop.outlook import OUTLOOK_AMONG, outlook_of
from tuner.model.cohort_stance import stance_of
from tuner.policy.rulings_since import rulings_since
from tuner.printable import printable

_log = logging.getLogger(__name__)


def keep_stance_now(store: Store, cohort: str) -> None:
    """Stores it for lists of cohorts. What fails is logged: what a person said is stored already."""
    try:
        runs = store.runs(cohort, OUTLOOK_AMONG, brief=True)
        if runs:
            newest, found = runs[-1], outlook_of(store, runs)
            decision, run = found or (newest.decision, newest)
            made_at = (run.ended_at if found else None) or run.started_at
            mode = store.mode(cohort) or newest.decision.mode
            imports = imports_since(store, cohort, decision, made_at, runs)
            now = rulings_since(decision, made_at, store.verdicts(cohort), mode, imports)
            store.keep_stance(cohort, stance_of(now))
    except Exception:
        _log.warning("could not keep where cohort %s stands", printable(cohort), exc_info=True)
