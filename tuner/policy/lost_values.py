"""For which values a change to a join loses, or makes its query fail: it stays for the others, where it has any."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tuner.model.decision import DecidedChange
from tuner.model.query import QueryStatus
from tuner.model.run import Run
from tuner.policy.compare import Comparisons
from tuner.policy.evidence.comparison import MAX_TRIALS, Comparison, losers


def where_it_does_not_lose(
    found: Comparisons, changes: Sequence[DecidedChange]
) -> tuple[Comparisons, list[DecidedChange]]:
    """The changes, each acting no more on the classes of values (`tuner.policy.literal_classes`) that it loses for, and what is
    left to judge them by. What loses for all values that it may act on has lost, and stays to be judged by them."""
    excluded = {one.id: lost for one in changes if (lost := _lost_values(found, one))}

    def is_excluded(comparison: Comparison) -> bool:
        touching = [one for one in changes if comparison.fingerprint in one.queries]
        return bool(touching) and all(comparison.literals in excluded.get(one.id, ()) for one in touching)

    left = tuple(c for c in found.touched if not is_excluded(c))
    return replace(found, touched=left), [_without(one, excluded.get(one.id, frozenset())) for one in changes]


def where_it_does_not_fail(one: DecidedChange, run: Run, fingerprint: str) -> DecidedChange | None:
    """The change, acting no more on the values that its query failed with in this run; None where it may act on no others, or
    these are not known."""
    if not one.change.is_on_joins or run.outcome is None or fingerprint not in one.queries:
        return None
    ended = [q for q in run.outcome.queries if q.fingerprint == fingerprint and q.status is not QueryStatus.SUCCEEDED]
    failed = frozenset(q.literals for q in ended)
    if not failed or "" in failed or not set(one.literals) - set(one.excluded) - failed:
        return None
    return _without(one, failed)


def _lost_values(found: Comparisons, one: DecidedChange) -> frozenset[str]:
    """None where it loses for all that it may act on."""
    if not one.change.is_on_joins:
        return frozenset()
    mine = [c for c in found.touched if c.fingerprint in one.queries and c.literals]
    lost = frozenset(c.literals for c in {*losers(mine), *(c for c in mine if c.slower or _rather_loses(c))})
    return lost if set(one.literals) - set(one.excluded) - lost else frozenset()


def _rather_loses(comparison: Comparison) -> bool:
    """Whether after so many runs a loss is likelier than a gain: what one run without tells may never be surer."""
    return comparison.runs >= MAX_TRIALS and comparison.gain_probability < 0.5


def _without(one: DecidedChange, values: frozenset[str]) -> DecidedChange:
    return replace(one, excluded=tuple(sorted({*one.excluded, *values}))) if values else one
