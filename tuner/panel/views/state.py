"""One word for where a cohort stands."""

from __future__ import annotations

from tuner.history.model import IN_FORCE, TAKEN_OUT, Decision, Standing
from tuner.panel.models import CohortState


def state_of(decision: Decision | None) -> CohortState:
    """By what a decision has in force; without any, by what it took out or held back."""
    standings = {decided.standing for decided in decision.actions} if decision else set()
    if Standing.TRIAL in standings:
        return CohortState.TRIAL
    if standings & IN_FORCE:
        return CohortState.TUNED
    if standings & TAKEN_OUT:
        return CohortState.ROLLED_BACK
    return CohortState.HELD if standings == {Standing.HELD} else CohortState.OBSERVING
