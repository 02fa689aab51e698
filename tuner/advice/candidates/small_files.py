"""Files that become small where more tasks write them."""

from __future__ import annotations

from tuner.advice.candidates.coalescing import Coalescing
from tuner.advice.candidates.read_together import read_together
from tuner.advice.facts import Facts
from tuner.model.query import Query


def makes_small_files(facts: Facts, current: int, wanted: int) -> bool:
    """Whether with so many shuffle partitions a job that writes may write files of less than half of what AQE fills a task with,
    as many more as there are tasks after its shuffles: who reads these pays. So where its log does not tell what it wrote."""
    merging = Coalescing.of(facts)
    return any(_makes_small_files(q, merging, current, wanted) for q in facts.succeeded if q.writes)


def _makes_small_files(query: Query, merging: Coalescing, current: int, wanted: int) -> bool:
    shuffles = query.shuffles_of(current)
    # Of an execution in brief nothing tells which of them a join reads beside each other: all, at most.
    read = [shuffles] if query.work_in_brief and shuffles else read_together(query, shuffles)
    times = max((merging.tasks(those, wanted) / merging.tasks(those, current) for those in read), default=1.0)
    return times > 1 and 2 * query.output_bytes <= times * query.output_files * merging.advisory_bytes
