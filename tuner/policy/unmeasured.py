"""Which queries a change is in force on with values that never ran without it: no run would tell what it does to them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence

from tuner.model.decision import Standing
from tuner.policy.evidence.history import History
from tuner.policy.measure import Measured

# So much of a run's seconds must be of such queries, for a run to be left without the change; of what is proven, so many times in
# a row.
UNMEASURED_SHARE, UNMEASURED_RUNS = 0.5, 2


def unmeasured(
    before: Mapping[str, int], id_: str, measured: Sequence[Measured], history: History, passing: Collection[str]
) -> dict[str, int]:
    """By query (fingerprint): how often in a row, with the latest run, most of its seconds had values that never ran without a
    change; but for those that will hardly come back."""
    seconds: dict[str, list[float]] = defaultdict(lambda: [0.0, 0.0])
    for query in _reached(measured, id_):
        if query.fingerprint not in passing:
            is_known = history.effect(query, frozenset([id_])) is not None
            seconds[query.fingerprint][is_known] += query.seconds
    found = {name: count for name, count in before.items() if name not in seconds}
    late = {name for name, (unknown, known) in seconds.items() if unknown > known}
    return found | {name: before.get(name, 0) + 1 for name in late}


def most_unmeasured(
    counts: Mapping[str, int], id_: str, measured: Sequence[Measured], standing: Standing
) -> frozenset[str]:
    """The queries which no run would tell of, where they are most of what a change reached in the latest run; else none."""
    if not counts:
        return frozenset()
    reached = _reached(measured, id_)
    late = [query for query in reached if counts.get(query.fingerprint, 0) >= _due(standing)]
    if sum(query.seconds for query in late) < UNMEASURED_SHARE * sum(query.seconds for query in reached):
        return frozenset()
    return frozenset(query.fingerprint for query in late)


def are_new(counts: Mapping[str, int], queries: Collection[str], standing: Standing) -> bool:
    """Whether it is since the latest run that no run would tell of some of these queries."""
    return any(counts[query] == _due(standing) for query in queries)


def _reached(measured: Sequence[Measured], id_: str) -> list[Measured]:
    return [query for query in measured if query.is_reached_by(id_)]


def _due(standing: Standing) -> int:
    return UNMEASURED_RUNS if standing is Standing.PROMOTED else 1
