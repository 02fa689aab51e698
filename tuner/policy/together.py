"""Which decided actions came of one recommendation: what belongs together is tried, and taken out, together."""

from __future__ import annotations

from tuner.history.model import DecidedAction


def together(decided: DecidedAction) -> object:
    """The same for actions that came of one recommendation: they rest on the same evidence."""
    return (decided.evidence, decided.predicted_seconds) if decided.evidence else decided.action.id
