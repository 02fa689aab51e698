"""For which values a change to a join loses, or makes its query fail: it stays for the others, where it has any."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from tuner.model.decision import DecidedChange, Standing
from tuner.model.query import QueryStatus
from tuner.model.run import Run
from tuner.policy.comparisons import Comparisons
from tuner.policy.evidence.comparison import MAX_TRIALS, Comparison, losers

# The classes of values that each change, by its id, acted on in runs that were measured.
Met = Mapping[str, Collection[str]]


def where_it_does_not_lose(
    found: Comparisons, changes: Sequence[DecidedChange], met: Met
) -> tuple[Comparisons, list[DecidedChange]]:
    """The changes, each acting no more on the classes of values (`tuner.policy.literal_classes`) that it loses for, and what is
    left to judge them by. What loses for all values that it may act on has lost, and stays to be judged by them; so has a trial
    that was seen on no others: what was advised for each of many tenants would lose once for each."""
    excluded = {one.id: lost for one in changes if (lost := _lost_values(found, one, met.get(one.id, ())))}

    def is_excluded(comparison: Comparison) -> bool:
        touching = [one for one in changes if comparison.fingerprint in one.queries]
        return bool(touching) and all(comparison.literals in excluded.get(one.id, ()) for one in touching)

    left = tuple(c for c in found.touched if not is_excluded(c))
    return replace(found, touched=left), [_without(one, excluded.get(one.id, frozenset())) for one in changes]


def where_it_does_not_fail(one: DecidedChange, run: Run, fingerprint: str, met: Met) -> DecidedChange | None:
    """The change, acting no more on the values that its query failed with in this run; None where it may act on no others, a
    trial has acted on no others, or these are not known."""
    if not one.change.is_on_joins or run.outcome is None or fingerprint not in one.queries:
        return None
    mine = [q for q in run.outcome.queries if q.fingerprint == fingerprint]
    failed = frozenset(q.literals for q in mine if q.status is not QueryStatus.SUCCEEDED)
    seen = {*met.get(one.id, ()), *(q.literals for q in mine)}
    if not failed or "" in failed or not _others(one, failed, seen):
        return None
    return _without(one, failed)


def _lost_values(found: Comparisons, one: DecidedChange, met: Collection[str]) -> frozenset[str]:
    """None where no values are left that it may act on."""
    if not one.change.is_on_joins:
        return frozenset()
    mine = [c for c in found.touched if c.fingerprint in one.queries and c.literals]
    lost = frozenset(c.literals for c in {*losers(mine), *(c for c in mine if c.slower or _rather_loses(c))})
    return lost if _others(one, lost, met) else frozenset()


def _others(one: DecidedChange, lost: frozenset[str], met: Collection[str]) -> set[str]:
    """The classes that are left; of a trial those that it has met."""
    left = set(one.literals) - set(one.excluded) - lost
    return left & set(met) if one.standing is Standing.TRIAL else left


def _rather_loses(comparison: Comparison) -> bool:
    """Whether after so many runs a loss is likelier than a gain: what one run without tells may never be surer."""
    return comparison.runs >= MAX_TRIALS and comparison.gain_probability < 0.5


def _without(one: DecidedChange, values: frozenset[str]) -> DecidedChange:
    return replace(one, excluded=tuple(sorted({*one.excluded, *values}))) if values else one
