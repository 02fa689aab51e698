"""Where a cohort stands now that people have spoken, or imported, since its last run."""

from __future__ import annotations

import logging
from functools import partial

from tuner.history.store import Store
from tuner.loop.decision_now import decision_now
from tuner.model.cohort_stance import stance_of
from tuner.model.decision import Decision
from tuner.printable import printable
from tuner.problems import Problems

_log = logging.getLogger(__name__)


def decided_now(store: Store, cohort: str) -> Decision | None:
    """What a run that started now would have; None where there is no telling."""
    return Problems().guard(
        f"tell what the next run of cohort {printable(cohort)} has", partial(_decided, store, cohort), None
    )


def keep_stance_now(store: Store, cohort: str) -> Decision | None:
    """Stores it for lists of cohorts, and tells what it follows from. What fails is logged: what was said is stored already."""
    problems = Problems()
    kept = problems.guard(f"keep where cohort {printable(cohort)} stands", partial(_kept, store, cohort), None)
    for problem in problems.found:
        _log.warning("%s", problem)
    return kept


def _decided(store: Store, cohort: str) -> Decision | None:
    return decision_now(store, cohort).decision if store.count(cohort) else None


def _kept(store: Store, cohort: str) -> Decision | None:
    now = _decided(store, cohort)
    if now is not None:
        store.keep_stance(cohort, stance_of(now))
    return now
