"""For which values a change to a join loses: it stays for the others, where it has any."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from tuner.model.decision import DecidedChange
from tuner.policy.compare import Comparisons
from tuner.policy.evidence.comparison import Comparison, losers


def lost_values(found: Comparisons, changes: Sequence[DecidedChange]) -> dict[str, frozenset[str]]:
    """By the id of a change, the classes of values (`tuner.policy.literal_classes`) that it is to act on no more: it loses for
    these, and may act on others. What loses for all that it may act on has lost, and is none of these."""
    excluded: dict[str, frozenset[str]] = {}
    for one in changes:
        if one.change.is_on_joins:
            mine = [c for c in found.touched if c.fingerprint in one.queries and c.literals]
            lost = frozenset(c.literals for c in {*losers(mine), *(c for c in mine if c.slower)})
            if lost and set(one.literals) - set(one.excluded) - lost:
                excluded[one.id] = lost
    return excluded


def without_lost_values(
    found: Comparisons, changes: Sequence[DecidedChange], excluded: Mapping[str, frozenset[str]]
) -> Comparisons:
    """What is left to judge the changes by."""

    def is_excluded(comparison: Comparison) -> bool:
        touching = [one for one in changes if comparison.fingerprint in one.queries]
        return bool(touching) and all(comparison.literals in excluded.get(one.id, ()) for one in touching)

    return replace(found, touched=tuple(c for c in found.touched if not is_excluded(c)))


def with_excluded(decided: DecidedChange, excluded: Mapping[str, frozenset[str]]) -> DecidedChange:
    """A change that acts on these values no more."""
    more = excluded.get(decided.id, frozenset())
    return replace(decided, excluded=tuple(sorted({*decided.excluded, *more}))) if more else decided
