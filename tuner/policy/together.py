"""Which decided actions came of one recommendation: what belongs together is tried, and taken out, together."""

from __future__ import annotations

from tuner.model.action import ON_JOINS, Action, ActionKind
from tuner.model.decision import DecidedAction


def together(decided: DecidedAction) -> object:
    """The same for actions that came of one recommendation: they rest on the same evidence."""
    return (decided.evidence, decided.predicted_seconds) if decided.evidence else decided.action.id


def depends(decided: DecidedAction, other: DecidedAction) -> bool:
    """Whether what was decided is nothing without the other: both came of one recommendation."""
    return together(decided) == together(other) and needs(decided.action, other.action)


def needs(action: Action, other: Action) -> bool:
    """Whether an action is nothing without another of its recommendation: properties need each other, and a hint needs the
    order that makes its join, which does without the hint, as other hints do."""
    return action is not other and not (other.kind is ActionKind.HINT_JOIN and action.kind in ON_JOINS)
