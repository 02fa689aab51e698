"""What one of several changes that are judged together did to the queries that it reached."""

from __future__ import annotations

from collections.abc import Sequence

from tuner.model.decision import DecidedChange
from tuner.policy.comparisons import Comparisons
from tuner.policy.effect import Effect


def effect_of(decided: DecidedChange, group: Sequence[DecidedChange], found: Comparisons) -> Effect:
    """On the queries it names, and on those that it moved beside them where no other property can have done that."""
    properties = [d for d in group if not d.change.is_on_joins]
    named = [c for c in found.touched if c.fingerprint in decided.queries]
    return Effect(named, found.moved, found.beside) if properties == [decided] else Effect(named)
