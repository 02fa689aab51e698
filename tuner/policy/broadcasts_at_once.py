"""What executors store of broadcasts at once: those of queries that ran together, and the job's own."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence

from tuner.model.query import Query

# A broadcast is stored as a value and in compressed pieces (TorrentBroadcast): in all 1.02 to 1.08 times what relations measured
# by their joins, where nothing had gone yet (45 queries of TPC-DS, Spark 4.3.0).
STORED = 1.25

# Broadcast relations of a query with their bytes, each once (ReuseExchangeAndSubquery): it shares them with those that it runs.
_Relations = dict[tuple[object, ...], int]


def broadcasts_at_once(queries: Sequence[Query], storage_bytes: int) -> int:
    """The bytes of relations that queries had broadcast at once, at most, and of what their joins do not account for in
    `storage_bytes`, the most that was stored: a job's own broadcasts, for as long as it holds them.

    Of queries that went before, broadcasts stay until something else needs their place: these are no need.
    """
    held = [(query, _relations(query)) for query in queries]
    known = sum(sum(relations.values()) for _, relations in held)
    return _most_at_once(held) + max(0, storage_bytes - round(STORED * known))


def _most_at_once(held: Sequence[tuple[Query, _Relations]]) -> int:
    turns = sorted((turn for one in held for turn in _turns(*one)), key=lambda turn: turn[:2])
    there = Counter[tuple[object, ...]]()
    most = now = 0
    for _, begins, relations in turns:
        for relation, size in relations.items():
            there[relation] += 1 if begins else -1
            if there[relation] == int(begins):
                now += size if begins else -size
        most = max(most, now)
    return most


def _turns(query: Query, relations: _Relations) -> Iterator[tuple[float, bool, _Relations]]:
    """When a query begins, and ends: who ends goes before who begins then."""
    yield query.start_ms, True, relations
    ends = math.inf if query.duration_ms is None else query.start_ms + max(1, query.duration_ms)
    yield ends, False, relations


def _relations(query: Query) -> _Relations:
    sides = [side for join in query.joins for side in (join.left, join.right)]
    return {(query.root_id, s.relations, s.rows, s.bytes): s.broadcast_bytes for s in sides if s.broadcast_bytes}
