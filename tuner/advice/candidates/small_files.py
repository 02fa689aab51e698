"""Files that become small where more tasks write them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tuner.advice.candidates.coalescing import Coalescing
from tuner.advice.candidates.read_together import read_together
from tuner.advice.facts import Facts
from tuner.model.query import Query, ShuffleExchange

_Together = Sequence[ShuffleExchange]


def makes_small_files(facts: Facts, current: int, wanted: int) -> bool:
    """Whether with so many shuffle partitions a job that writes may write files of less than half of what AQE fills a task with,
    as many more as there are tasks after its shuffles, of those that feed a write: who reads these pays. So where its log does
    not tell what it wrote; where it tells of no shuffle what it feeds, all count."""
    merging = Coalescing.of(facts)
    return any(_makes_small_files(q, merging, current, wanted) for q in facts.succeeded if q.writes)


def _makes_small_files(query: Query, merging: Coalescing, current: int, wanted: int) -> bool:
    by_writers: list[_Together] = []
    before: list[_Together] = []
    for together in _read_together(query, query.shuffles_of(current)):
        (by_writers if any(map(_may_feed_write, together)) else before).append(together)
    is_more = any(merging.tasks(those, wanted) > merging.tasks(those, current) for those in before)
    # Each of more tasks before shuffles that feed a write writes its part of a group into them.
    growth = wanted / current if is_more else 1.0
    times = max((merging.tasks(_grown(g, growth), wanted) / merging.tasks(g, current) for g in by_writers), default=1.0)
    return times > 1 and 2 * query.output_bytes <= times * query.output_files * merging.advisory_bytes


def _read_together(query: Query, shuffles: Sequence[ShuffleExchange]) -> Sequence[_Together]:
    """Of an execution in brief nothing tells which of them a join reads beside each other: all, at most, of those that may feed a
    write, and of the others."""
    if not query.work_in_brief:
        return read_together(query, shuffles)
    feeding = [shuffle for shuffle in shuffles if _may_feed_write(shuffle)]
    return [those for those in (feeding, [s for s in shuffles if not _may_feed_write(s)]) if those]


def _may_feed_write(shuffle: ShuffleExchange) -> bool:
    return shuffle.feeds_write is not False


def _grown(shuffles: _Together, growth: float) -> list[ShuffleExchange]:
    return [
        replace(s, written_bytes=None if s.written_bytes is None else round(s.written_bytes * growth)) for s in shuffles
    ]
