"""A property is tried when nothing else is tried on its queries: what they do together tells of neither."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from tuner.advice.model import ON_JOINS
from tuner.history.model import DecidedAction, Standing
from tuner.policy.held_back import held_back
from tuner.policy.together import together

_JOINS = object()
_WHY = "another change to a query it is for is tried first"


def apart(decided: Sequence[DecidedAction], asked_for: Collection[str]) -> list[DecidedAction]:
    """Properties on trial wait where another trial on one of their queries comes before them: of changes tried together the
    one that loses would ride with the one that wins, for as long as both are in force.

    Changes to single joins come first, and are tried side by side: each is foretold from what its own joins were measured
    at, and many queries need several. What came of one recommendation is tried together; what a person has asked for
    (action ids) waits for nothing.
    """
    trials = [d for d in decided if d.standing is Standing.TRIAL]
    taken: dict[str, object] = {q: _JOINS for d in trials if d.action.kind in ON_JOINS for q in d.queries}
    held = set()
    for d in sorted(trials, key=lambda d: d.action.id not in asked_for):
        if d.action.kind in ON_JOINS:
            continue
        if d.action.id not in asked_for and any(taken.get(q, together(d)) != together(d) for q in d.queries):
            held.add(d.action.id)
        else:
            taken.update(dict.fromkeys(d.queries, together(d)))
    return [held_back(d, _WHY) if d.action.id in held else d for d in decided]
