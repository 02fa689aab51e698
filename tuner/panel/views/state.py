"""One word for where a cohort stands."""

from __future__ import annotations

from tuner.model.decision import CohortState, Decision


def state_of(decision: Decision | None) -> CohortState:
    """The state that a decision leaves its cohort in; without one it is observed."""
    return decision.state if decision else CohortState.OBSERVING
