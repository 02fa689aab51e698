"""Advisor: one file a task for small shuffles, where Spark writes one for each partition and merges them.

SortShuffleManager takes BypassMergeSortShuffleWriter where a shuffle has no more partitions than
`spark.shuffle.sort.bypassMergeThreshold`, 200 as spark.sql.shuffle.partitions is by default: each task makes a file and a
compressing stream for each partition that has rows, however few, and joins the files in the end. Beyond the threshold
UnsafeShuffleWriter sorts the rows, still serialized, by partition. How many partitions there are does not change.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from tuner.advice.candidates.query_gain import is_worth_it, total_gain, total_seconds
from tuner.advice.candidates.shuffle_files import bypass_threshold, file_ns, files_of
from tuner.advice.facts import Facts
from tuner.model.action import Action, ActionKind
from tuner.model.change import Change, Evidence, Prediction
from tuner.model.query import Query, ShuffleExchange
from tuner.model.reason import Reason, ReasonCode
from tuner.spark.knobs import BYPASS_MERGE_THRESHOLD, DRIVER_MEMORY

# Nanoseconds of a core to sort a row that would have been written at once: none to 100, the narrower the more
# (tests/benchmarks/shuffle_writers.py, Spark 4.3, 200 partitions).
SORT_ROW_NS = 100.0
UNSURE = 3.0
# A relation that is broadcast takes several times its size while it is built (LongToUnsafeRowMap doubles its page, and
# copies), in one piece. In local mode that is on the heap where tasks would sort, each in a page of up to 64 MiB
# (MemoryManager.pageSizeBytes): with 4 GiB, TPC-DS 69 at SF1 then had no room left to build one of 284 MB.
BUILD_FACTOR = 3
MOST_OF_LOCAL_HEAP = 1 / 8


@dataclass(frozen=True, slots=True)
class _Merged:
    """A shuffle that was written to a file for each partition: seconds that the files cost, and that sorting would."""

    query: Query
    shuffle: ShuffleExchange
    files: float
    file_seconds: float
    sort_seconds: float


def advise_bypass_merge(facts: Facts) -> Sequence[Change]:
    """At most one recommendation: the threshold just below the partitions of shuffles that gain, of several the best."""
    return facts.once(_advised)


def _advised(facts: Facts) -> Sequence[Change]:
    if not _has_room(facts):
        return ()
    threshold = bypass_threshold(facts)
    price = facts.once(file_ns)
    merged = [m for q in facts.succeeded for m in _merged(facts, q, threshold, price)]
    best: tuple[float, list[_Merged]] = (0.0, [])
    for partitions in {m.shuffle.partitions for m in merged if m.shuffle.partitions > 1}:
        found = [m for m in merged if m.shuffle.partitions >= partitions]
        best = max(best, (_gain(found), found), key=lambda one: one[0])
    gain, found = best
    if not is_worth_it(gain, facts.succeeded):
        return ()
    return (_recommendation(found, threshold, gain),)


def _merged(facts: Facts, query: Query, threshold: int, price: float) -> Iterator[_Merged]:
    cores = max(1, facts.cluster.cores)
    for shuffle in query.shuffles:
        files = files_of(shuffle)
        if files and shuffle.rows and shuffle.partitions <= threshold:
            yield _Merged(query, shuffle, files, files * price / 1e9 / cores, _sort_ns(facts, shuffle) / 1e9 / cores)


def _has_room(facts: Facts) -> bool:
    """Whether broadcasts of all runs leave room on a heap that driver and tasks share."""
    joins = (join for queries in facts.of_all_runs for q in queries for join in q.joins)
    sides = (side for join in joins for side in join.sides)
    largest = max((side.broadcast_bytes or 0 for side in sides), default=0)
    heap = facts.cluster.driver_memory_bytes or DRIVER_MEMORY.default
    return not facts.cluster.local or largest * BUILD_FACTOR <= heap * MOST_OF_LOCAL_HEAP


def _sort_ns(facts: Facts, shuffle: ShuffleExchange) -> float:
    """What sorting takes, and writing once more the rows of tasks that spill."""
    size = shuffle.data_bytes or 0
    spills = size > facts.task_memory_bytes * (shuffle.map_tasks or 1)
    return (shuffle.rows or 0) * SORT_ROW_NS + (size * facts.costs.shuffle_write if spills else 0.0)


def _gain(found: Iterable[_Merged], unsure: float = 1.0) -> float:
    """Wall seconds gained, with files that much cheaper."""
    return total_gain((m.query, seconds) for m in found for seconds in (m.file_seconds / unsure, -m.sort_seconds))


def _recommendation(found: Sequence[_Merged], threshold: int, gain: float) -> Change:
    queries = {m.query.id: m.query for m in found}
    before = total_seconds(queries.values())
    partitions = min(m.shuffle.partitions for m in found)
    tasks, files = sum(m.shuffle.map_tasks or 0 for m in found), sum(m.files for m in found)
    rows, size = sum(m.shuffle.rows or 0 for m in found), sum(m.shuffle.written_bytes or 0 for m in found)
    return Change.of(
        actions=(Action(ActionKind.SET_CONF, BYPASS_MERGE_THRESHOLD.property, str(partitions - 1)),),
        queries=tuple(dict.fromkeys(q.fingerprint for q in queries.values())),
        reason=Reason(
            ReasonCode.BYPASS_MERGE,
            {
                "partitions": partitions,
                "tasks": tasks,
                "files": files,
                "file_bytes": size / files,
                "rows": rows,
                "gain_seconds": gain,
            },
        ),
        evidence=(
            Evidence("files written and merged", round(files), "files"),
            Evidence("bytes a file", size / files, "bytes", "compressed"),
            Evidence("tasks that wrote shuffles", tasks, "tasks"),
            Evidence("rows a task", rows / max(1, tasks), "rows"),
            Evidence("threshold so far", threshold, "partitions", BYPASS_MERGE_THRESHOLD.property),
        ),
        prediction=Prediction(
            before, before - gain, max(0.0, before - _gain(found, 1 / UNSURE)), before - _gain(found, UNSURE)
        ),
        risk=BYPASS_MERGE_THRESHOLD.risk,
        advisor="bypass_merge",
    )
