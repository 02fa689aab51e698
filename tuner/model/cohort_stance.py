"""Where a cohort stands before its next run."""

from __future__ import annotations

from dataclasses import dataclass

from tuner.model.decision import CohortState, DecidedChange, Decision, Mode, Standing
from tuner.model.trial import decided_by_trial


@dataclass(frozen=True, slots=True)
class CohortStance:
    """Its state and mode, and how many trials are in force, and wait for a person."""

    state: CohortState
    mode: Mode
    in_force: int = 0
    waiting: int = 0


def stance_of(decision: Decision) -> CohortStance:
    """Where a decision for the next run leaves its cohort."""
    in_force = decided_by_trial(decision.in_force)
    return CohortStance(decision.state, decision.mode, len(in_force), len(waiting(decision)))


def waiting(decision: Decision) -> list[tuple[DecidedChange, ...]]:
    """Trials that only a person brings into force: those that are proposed. In mode observe nothing is asked of anybody."""
    if decision.mode is Mode.OBSERVE:
        return []
    return [t for t in decided_by_trial(decision.changes) if any(d.standing is Standing.PROPOSED for d in t)]
