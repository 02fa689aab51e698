"""What of a decision the agent cannot be told."""

from __future__ import annotations

from collections.abc import Iterable

from tuner.model.action import Action
from tuner.model.decision import Decision
from tuner.model.reason import Reason, ReasonCode


def undirectable(decision: Decision, skipped: Iterable[tuple[Action, str]]) -> dict[str, Reason]:
    """Changes in force with an action that is skipped, by id, and why it is."""
    why = dict(skipped)
    return {
        decided.id: Reason(ReasonCode.UNDIRECTABLE, {"why": why[action]})
        for decided in decision.in_force
        for action in decided.change.actions
        if action in why
    }
