"""Which broadcasts that Spark chose cost more than shuffling would, or endanger memory, and what forbidding them gains."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from tuner.advice.candidates.broadcast_candidates import shuffle_and_write_core_seconds
from tuner.advice.candidates.busy_cores import busy_cores
from tuner.advice.candidates.hint_candidate import HintCandidate
from tuner.advice.candidates.query_gain import predict_gains
from tuner.advice.candidates.row_widths import RowWidths, collected_bytes
from tuner.advice.facts import Facts
from tuner.cost.operator_seconds import sending_ns, sort_merge_core_seconds
from tuner.cost.unit_costs import UnitCosts
from tuner.cost.what_if.execution_conf import read_execution_conf
from tuner.cost.what_if.interval import Interval
from tuner.cost.what_if.task_counts import WRITTEN_SHARE, scan_tasks, shuffle_tasks
from tuner.model.action import Hint
from tuner.model.join_site import JoinSide, JoinSite
from tuner.model.query import Query
from tuner.model.query_work import BroadcastWork
from tuner.model.strategy import BuildSide, JoinType, Strategy


def broadcast_removals(facts: Facts) -> Iterator[HintCandidate]:
    """Each broadcast hash join whose broadcast was timed, with both sides shuffled and sorted instead.

    Saved is what the driver took to collect, hash and send, as far as the relation's size explains it; added is what
    shuffling and merging is priced at beyond probing.
    """
    for query in facts.succeeded:
        for join in query.joins:
            work = _work_of(query, join.built) if join.built else None
            if join.strategy is Strategy.BROADCAST_HASH and join.build_side and work:
                yield _removal(facts, query, join, join.build_side, work)


def is_over_cap(facts: Facts, removal: HintCandidate) -> bool:
    """Whether a hash relation, as measured, takes more than a query's broadcasts may."""
    return removal.relation_bytes > facts.cap.query_bytes


def _work_of(query: Query, side: JoinSide) -> BroadcastWork | None:
    """The broadcast that feeds a side, known by its rows and bytes."""
    found = [b for b in _broadcasts(query) if (b.rows, b.bytes) == (side.rows, side.broadcast_bytes)]
    return found[0] if len(found) == 1 else None


def _broadcasts(query: Query) -> tuple[BroadcastWork, ...]:
    return query.work.broadcasts if query.work else ()


def _removal(facts: Facts, query: Query, join: JoinSite, side: BuildSide, work: BroadcastWork) -> HintCandidate:
    costs, cores = facts.costs, busy_cores(facts, query)
    added, probing = (
        _shuffled_seconds(facts, query, join),
        (join.side(side.other).rows or 0) * costs.probe / 1e9 / cores,
    )
    timed = min(_timed_seconds(work), facts.price_error * _priced_seconds(work, facts.cluster.executors, costs))
    beside = max((_timed_seconds(b) for b in _broadcasts(query) if b is not work), default=0.0)
    broadcast, shuffled = _collect_seconds(work, costs) + timed, added - probing
    # At worst collecting saves nothing, the next largest broadcast takes as long as before, and prices err; at best nothing
    # is paid for shuffling.
    gain, least = broadcast - shuffled, max(0.0, timed - beside) - facts.price_error * added
    return HintCandidate(
        query,
        join,
        side,
        Hint.NO_BROADCAST,
        relation_bytes=join.side(side).broadcast_bytes or 0,
        saved_seconds=broadcast,
        added_seconds=shuffled,
        prediction=predict_gains([(query, Interval(min(gain, least), gain, broadcast))]),
        is_vetoed=_is_vetoed(join, work, join.side(side.other)),
    )


def _timed_seconds(work: BroadcastWork) -> float:
    return (work.build_ms + work.broadcast_ms) / 1e3


def _priced_seconds(work: BroadcastWork, executors: int, costs: UnitCosts) -> float:
    """What hashing and sending so much takes: a driver that was busy with other things as well took longer."""
    return (work.rows * costs.broadcast_build + sending_ns(_row_bytes(work), executors, costs)) / 1e9


def _collect_seconds(work: BroadcastWork, costs: UnitCosts) -> float:
    """Of the time to collect only what moving the rows is priced at: the rest is what computed them."""
    return min(work.collect_ms / 1e3, _row_bytes(work) * costs.collect / 1e9)


def _row_bytes(work: BroadcastWork) -> int:
    return collected_bytes(work.rows, work.bytes)


def _shuffled_seconds(facts: Facts, query: Query, join: JoinSite) -> float:
    """Wall seconds of shuffling, sorting and merging both sides of a join instead, on no more cores than tasks read them."""
    costs, conf = facts.costs, facts.selection
    execution = read_execution_conf(facts.conf, facts.spark_version)
    cores, partitions = busy_cores(facts, query), max(1, conf.shuffle_partitions)
    sides = [_as_shuffled(facts, query, side) for side in join.sides]
    data = [side.shuffle_bytes or 0 for side in sides]
    tasks = shuffle_tasks(data, partitions, conf.advisory_partition_bytes, execution, cores)
    read = (side.file_bytes or side.shuffle_bytes or 0 for side in sides)
    segments = partitions * sum(scan_tasks(size, execution, cores) for size in read)
    merged = sort_merge_core_seconds(replace(join, left=sides[0], right=sides[1]), costs)
    shuffled = sum(shuffle_and_write_core_seconds(side, costs) for side in sides)
    started = (segments * costs.shuffle_segment + tasks * costs.task) / 1e9
    return (merged + shuffled + started + _spill_core_seconds(facts, data, tasks)) / min(cores, tasks)


def _spill_core_seconds(facts: Facts, data_bytes: Iterable[int], tasks: int) -> float:
    """Core seconds of writing and reading again what a task cannot hold to sort it: all of a side."""
    most = tasks * facts.task_memory_bytes
    return sum(data for data in data_bytes if data > most) * WRITTEN_SHARE * facts.costs.spill / 1e9


def _as_shuffled(facts: Facts, query: Query, side: JoinSide) -> JoinSide:
    """A side as it would be shuffled and sorted."""
    return replace(side, shuffle_bytes=facts.once(RowWidths).data_bytes(query, side), sort_ms=None)


def _is_vetoed(join: JoinSite, work: BroadcastWork, probe: JoinSide) -> bool:
    # ExtractSingleColumnNullAwareAntiJoin: NOT IN over a nullable column is broadcast whatever the hint.
    null_aware = join.type is JoinType.LEFT_ANTI
    # Spark has no sort merge join for a scalar subquery.
    has_no_merge = join.type is JoinType.LEFT_SINGLE
    # Another join or a pruned scan reads the same broadcast.
    shared = work.readers > 1
    return null_aware or has_no_merge or shared or probe.rows is None
