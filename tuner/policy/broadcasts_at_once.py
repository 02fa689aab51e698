"""What executors store of broadcasts at once: those of queries that ran together, and the job's own."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from tuner.model.query import Query

# A broadcast is stored as a value and in compressed pieces (TorrentBroadcast): in all 1.02 to 1.08 times what relations measured
# by their joins, where nothing had gone yet (45 queries of TPC-DS, Spark 4.3.0).
STORED = 1.25

# A relation of one query and of those in it: its sides are read once (ReuseExchangeAndSubquery).
_Relation = tuple[int, object, int | None, int | None]


def broadcasts_at_once(queries: Sequence[Query], storage_bytes: int) -> int:
    """The bytes of relations that queries had broadcast at once, at most, and of what their joins do not account for in
    `storage_bytes`, the most that was stored: a job's own broadcasts, for as long as it holds them.

    Of queries that went before, broadcasts stay until something else needs their place: these are no need.
    """
    known = sum(size for query in queries for _, size in _relations(query))
    return _most_at_once(queries) + max(0, storage_bytes - round(STORED * known))


def _most_at_once(queries: Sequence[Query]) -> int:
    turns = sorted(_turns(queries), key=lambda turn: turn[:2])
    there = Counter[_Relation]()
    most = now = 0
    for _, begins, query in turns:
        for relation, size in _relations(query):
            there[relation] += 1 if begins else -1
            if there[relation] == int(begins):
                now += size if begins else -size
        most = max(most, now)
    return most


def _turns(queries: Sequence[Query]) -> Iterator[tuple[float, bool, Query]]:
    """When queries begin, and end: who ends goes before who begins then."""
    for query in queries:
        yield query.start_ms, True, query
        ends = float("inf") if query.duration_ms is None else query.start_ms + max(1, query.duration_ms)
        yield ends, False, query


def _relations(query: Query) -> Iterator[tuple[_Relation, int]]:
    sides = [side for join in query.joins for side in (join.left, join.right) if side.broadcast_bytes]
    sizes = {(query.root_id, side.relations, side.rows, side.bytes): side.broadcast_bytes or 0 for side in sides}
    yield from sizes.items()
