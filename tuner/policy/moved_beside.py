"""Which properties moved queries that they were not meant for."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from tuner.policy.evidence.comparison import MIN_SECONDS, Comparison, gainers, losers
from tuner.policy.evidence.log_ratio import LogRatio
from tuner.policy.measure import Measured

EffectOf = Callable[[Measured, frozenset[str]], LogRatio | None]


def moved_beside(
    queries: Sequence[Measured], effect_of: EffectOf, likely: EffectOf | None = None
) -> dict[int, frozenset[str]]:
    """By position among the queries of a run, the properties that were not meant for that one and moved it beyond what chance
    does to any of so many. `effect_of` tells how many times as long a query takes with a change as without; `likely`, if it is
    given, tells that cheaply and roughly, and what it finds too small to count is looked at no closer.
    """
    found: dict[int, frozenset[str]] = {}
    for property_ in sorted({id_ for query in queries for id_ in query.properties - query.changes}):
        alone = frozenset((property_,))
        beside = [(n, q) for n, q in enumerate(queries) if property_ in q.properties and property_ not in q.changes]
        by_comparison = {}
        for number, query in beside:
            if likely is not None and _seconds(query, likely(query, alone)) < MIN_SECONDS / 2:
                continue
            if (ratio := effect_of(query, alone)) is not None:
                without = query.seconds * math.exp(-ratio.mean)
                by_comparison[Comparison(str(number), query.seconds, ratio, without)] = number
        comparisons = list(by_comparison)
        for moved in (*gainers(comparisons, len(beside)), *losers(comparisons, len(beside))):
            number = by_comparison[moved]
            found[number] = found.get(number, frozenset()) | alone
    return found


def _seconds(query: Measured, ratio: LogRatio | None) -> float:
    return abs(query.seconds * math.expm1(-ratio.mean)) if ratio is not None else 0.0
