"""A property is tried when nothing else is tried on its queries: what they do together tells of neither."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from tuner.model.action import ON_JOINS
from tuner.model.decision import DecidedAction, Standing
from tuner.policy.held_back import held_back
from tuner.policy.together import together

_WHY = "another change to a query it is for is tried first"


def apart(decided: Sequence[DecidedAction], asked_for: Collection[str]) -> list[DecidedAction]:
    """Properties on trial wait where another trial on one of their queries comes before them: of changes tried together the
    one that loses would ride with the one that wins, for as long as both are in force.

    Changes to single joins are tried side by side: each is foretold from what its own joins were measured at, and many
    queries need several. They come first, unless a property is surer to gain than all of those on its queries. What came of
    one recommendation is tried together; what a person has asked for (action ids) waits for nothing.
    """
    trials = [d for d in decided if d.standing is Standing.TRIAL]
    joins = [d for d in trials if d.action.kind in ON_JOINS]
    properties = [d for d in trials if d.action.kind not in ON_JOINS]
    held: set[str] = set()
    taken: dict[str, object] = {}
    for d in sorted(properties, key=lambda d: d.action.id not in asked_for):
        others = [j for j in joins if j.action.id not in held and not set(j.queries).isdisjoint(d.queries)]
        asked = d.action.id in asked_for
        first = not others or (_sure([d]) > _sure(others) and not any(j.action.id in asked_for for j in others))
        if not asked and (not first or any(taken.get(q, together(d)) != together(d) for q in d.queries)):
            held.add(d.action.id)
            continue
        taken.update(dict.fromkeys(d.queries, together(d)))
        if first:
            held.update(j.action.id for j in others)
    return [held_back(d, _WHY) if d.action.id in held else d for d in decided]


def _sure(decided: Iterable[DecidedAction]) -> float:
    """Seconds that the changes are to gain at least; what came of one recommendation has one prediction."""
    each = {together(d): d.predicted_seconds for d in decided}
    return sum(predicted.before - predicted.high for predicted in each.values() if predicted)
