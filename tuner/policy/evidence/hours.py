"""How fast the machine was while each query of a run ran, by those before and after it: it may be busy for a part of a run."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from tuner.policy.evidence.machine import Control, Speed

# So much of what the machine is off by while a query runs, it still is while the next one does (a correlation). Chosen, as is
# what is believed: simulated slow hours made a quarter fewer wrong rollbacks with these, and other nights as many as without.
TO_THE_NEXT = 0.8
# What neighbours have in common is believed when it is so many standard deviations more than chance makes.
BELIEVED = 2.0

_AS_USUAL = Speed(0.0, 0.0)


class Turn(NamedTuple):
    """A query of a run in its turn, each part by how much it is off beside the rest of the run: all of it, which tells of its
    neighbours' time, and those of its stages that no change reaches, which tell of its own, too."""

    query: Control | None = None
    stages: Control | None = None


def speeds_by_turn(turns: Sequence[Turn]) -> list[Speed]:
    """By how much the machine was off from its speed in the run while each query ran; as in the rest, where nothing tells.

    A stationary first-order autoregression, filtered from both ends (Fraser and Potter 1969), whose variance is what
    neighbours have in common: a query that is off alone is its own.
    """
    common = _common_variance([_of_all(turn) for turn in turns])
    if not common:
        return [_AS_USUAL] * len(turns)
    before = list(_foretold(turns, common))
    after = list(_foretold(turns[::-1], common))[::-1]
    return [
        _between(earlier, later, turn.stages, common) for earlier, later, turn in zip(before, after, turns, strict=True)
    ]


def _of_all(turn: Turn) -> Speed | None:
    told = [control for control in turn if control]
    return _pooled((c.error, c.variance) for c in told) if told else None


def _common_variance(told: Sequence[Speed | None]) -> float:
    """Of what the machine is off by from query to query; 0 where neighbours have no more in common than all of them have, and
    chance makes."""
    mean, _ = _pooled(one for one in told if one) if any(told) else _AS_USUAL
    off, precision = _products(told, mean)
    if not precision or off <= BELIEVED / math.sqrt(precision):
        return 0.0
    return max(0.0, _products(told, 0.0)[0] / TO_THE_NEXT)


def _products(told: Sequence[Speed | None], mean: float) -> tuple[float, float]:
    """Of two neighbours' distances from a mean, each by its precision; and all precisions together."""
    products = precision = 0.0
    for one, following in pairwise(told):
        if one and following:
            both = 1 / (one.variance * following.variance)
            precision += both
            products += both * (one.log - mean) * (following.log - mean)
    return products / precision if precision else 0.0, precision


def _foretold(turns: Iterable[Turn], common: float) -> Iterator[Speed]:
    """What those before each of them tell of it."""
    foretold = Speed(0.0, common)
    for turn in turns:
        yield foretold
        seen = _pooled([foretold, *((c.error, c.variance) for c in turn if c)])
        foretold = Speed(TO_THE_NEXT * seen.log, TO_THE_NEXT**2 * seen.variance + (1 - TO_THE_NEXT**2) * common)


def _between(before: Speed, after: Speed, own: Control | None, common: float) -> Speed:
    """Both sides count that the machine is off by no more than is common: one of them is enough for that."""
    told = [before, after, *([(own.error, own.variance)] if own else [])]
    precision = sum(1 / variance for _, variance in told) - 1 / common
    return Speed(sum(log / variance for log, variance in told) / precision, 1 / precision)


def _pooled(told: Iterable[tuple[float, float]]) -> Speed:
    precision = weighted = 0.0
    for log, variance in told:
        precision += 1 / variance
        weighted += log / variance
    return Speed(weighted / precision, 1 / precision)
