"""The files that the tasks of a shuffle write, and what they cost (SortShuffleManager's writers)."""

from __future__ import annotations

import math

from tuner.advice.facts import Facts
from tuner.model.query import ShuffleExchange
from tuner.spark.knobs import BYPASS_MERGE_THRESHOLD, SHUFFLE_MANAGER

_SORT_SHUFFLE = frozenset({"", "sort", "tungsten-sort", "org.apache.spark.shuffle.sort.sortshufflemanager"})

# Nanoseconds of a core to make, fill, merge and remove a file: 550,000 to 1,000,000 by tests/benchmarks/shuffle_writers.py, on
# a virtual machine. How fast files are made differs much among machines: where tasks of a run took less for each, that counts.
MOST_FILE_NS = 750_000.0
# Of a shuffle that is written to one file a task, what a partition costs it: most of 5 ms for 200, by the same measurement.
SORTED_SEGMENT_NS = 30_000.0
# Such tasks do other work, too: what one shuffle in so many took less than is near to what files take alone.
FASTEST = 10


def bypass_threshold(facts: Facts) -> int:
    """Shuffles of more partitions are written to one file a task already; by writers of others', all."""
    is_sparks = facts.conf.get(SHUFFLE_MANAGER.property, "").strip().lower() in _SORT_SHUFFLE
    return facts.settings[BYPASS_MERGE_THRESHOLD] if is_sparks else 0


def fewer_partitions_ns(facts: Facts, shuffle: ShuffleExchange, partitions: int) -> float:
    """What so many partitions instead of more would save the tasks of a shuffle, in nanoseconds of cores: segments that are
    neither written nor fetched, and files. Sorting instead spares the files alone, which is about half of that
    (docs/head-room.md)."""
    segments = (shuffle.map_tasks or 1) * max(0, shuffle.partitions - partitions)
    if shuffle.partitions > bypass_threshold(facts):
        return segments * min(facts.costs.shuffle_segment, SORTED_SEGMENT_NS)
    files = files_of(shuffle) - files_of(shuffle, min(partitions, shuffle.partitions))
    return segments * facts.costs.shuffle_segment + files * facts.once(file_ns)


def files_of(shuffle: ShuffleExchange, partitions: int | None = None) -> float:
    """Files that its tasks made, or would make of so many partitions: one for each that has rows, were these spread evenly by
    chance."""
    places = (shuffle.map_tasks or 0) * (partitions or shuffle.partitions)
    return places * -math.expm1(-(shuffle.rows or 0) / places) if places else 0.0


def file_ns(facts: Facts) -> float:
    """What a file costs at most, in nanoseconds of a core: the tasks of few shuffles took less for each of them."""
    threshold = bypass_threshold(facts)
    # With fewer rows, what a task takes besides would count for its files.
    telling = (
        s
        for q in facts.succeeded
        for s in q.shuffles
        if s.partitions <= threshold and (s.rows or 0) >= s.partitions * (s.map_tasks or 1)
    )
    each = sorted(s.map_core_ms * 1e6 / files_of(s) for s in telling if s.map_tasks and s.map_core_ms)
    return min(each[len(each) // FASTEST], MOST_FILE_NS) if each else facts.costs.shuffle_segment
