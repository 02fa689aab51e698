"""Files that become small where more tasks write them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tuner.advice.candidates.coalescing import Coalescing
from tuner.advice.candidates.read_together import read_together
from tuner.advice.facts import Facts
from tuner.model.query import Query, ShuffleExchange


def makes_small_files(facts: Facts, current: int, wanted: int) -> bool:
    """Whether with so many shuffle partitions a job that writes may write files of less than half of what AQE fills a task with,
    as many more as there are tasks after its shuffles, of those that feed a write: who reads these pays. So where its log does
    not tell what it wrote; where it tells of no shuffle what it feeds, all count."""
    merging = Coalescing.of(facts)
    return any(_makes_small_files(q, merging, current, wanted) for q in facts.succeeded if q.writes)


def _makes_small_files(query: Query, merging: Coalescing, current: int, wanted: int) -> bool:
    shuffles = query.shuffles_of(current)
    feeding = [shuffle for shuffle in shuffles if _may_feed_write(shuffle)]
    # Of an execution in brief nothing tells which of them a join reads beside each other: all, at most.
    read = [feeding] if query.work_in_brief and feeding else read_together(query, shuffles)
    growth = _growth([s for s in shuffles if not _may_feed_write(s)], merging, current, wanted)
    by_writers = [those for those in read if any(map(_may_feed_write, those))]
    times = max((merging.tasks(_grown(g, growth), wanted) / merging.tasks(g, current) for g in by_writers), default=1.0)
    return times > 1 and 2 * query.output_bytes <= times * query.output_files * merging.advisory_bytes


def _may_feed_write(shuffle: ShuffleExchange) -> bool:
    return shuffle.feeds_write is not False


def _growth(before: Sequence[ShuffleExchange], merging: Coalescing, current: int, wanted: int) -> float:
    """How many times as much shuffles that feed a write may take: each of more tasks before them writes its part of a group."""
    is_more = bool(before) and merging.tasks(before, wanted) > merging.tasks(before, current)
    return wanted / current if is_more else 1.0


def _grown(shuffles: Sequence[ShuffleExchange], growth: float) -> list[ShuffleExchange]:
    return [
        replace(s, written_bytes=None if s.written_bytes is None else round(s.written_bytes * growth)) for s in shuffles
    ]
