"""Which side of a sort merge join a shuffled hash join may build instead, and what that gains: for all its levers."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator

from tuner.advice.candidates.broadcast_candidates import is_measured, is_measured_sort_merge
from tuner.advice.candidates.cpu_share import cpu_share
from tuner.advice.candidates.fan_out import fans_out
from tuner.advice.candidates.growth import Growth
from tuner.advice.candidates.hint_candidate import HintCandidate
from tuner.advice.candidates.lost_rows import risks_rows
from tuner.advice.candidates.query_gain import predict_gains
from tuner.advice.candidates.side_name import side_name
from tuner.advice.candidates.task_relation import shuffle_of, task_relation_bytes
from tuner.advice.facts import Facts
from tuner.cost.operator_seconds import shuffled_hash_core_seconds, sort_core_seconds, sort_merge_core_seconds
from tuner.cost.unit_costs import UnitCosts
from tuner.cost.what_if.interval import Interval
from tuner.model.action import Hint
from tuner.model.change import Evidence, Prediction
from tuner.model.join_site import JoinSide, JoinSite
from tuner.model.query import Query
from tuner.model.strategy import BuildSide, Strategy
from tuner.spark.join_selection.build_sides import shuffled_hash_sides
from tuner.spark.join_selection.logical_join import LogicalJoin, Side
from tuner.spark.join_selection.selection_conf import SelectionConf
from tuner.spark.memory import relation_bytes
from tuner.spark.partition_limits import MOST_WITH_OWN_SIZES


def hash_candidates(facts: Facts) -> Iterator[HintCandidate]:
    """Each side that a shuffled hash join may build of each join that ran as a sort merge join, measured or not.

    Saved is sorting and merging on the CPU, added is building and probing, after the same shuffles.
    Measured on Spark 4.3, TPC-DS 50 at SF1 (273k rows hashed instead of sorted with 2.7M), CPU seconds saved: 1.9, 1.2
    and 1.1 in three rounds on a busy machine; here 1.6, 2.1 and 1.3, at least 0.6, 1.1 and 0.4.
    """
    for query in facts.queries:
        for join in query.joins:
            if join.strategy is Strategy.SORT_MERGE and not join.is_skipped:
                for side in shuffled_hash_sides(LogicalJoin(join.type, Side(0), Side(0)), facts.selection):
                    yield _candidate(facts, query, join, side)


def is_much_smaller(candidate: HintCandidate, conf: SelectionConf) -> bool:
    """Whether the probe side has `shuffledHashJoinFactor` times the bytes (JoinSelectionHelper.muchSmaller)."""
    build, probe = candidate.hinted.shuffle_bytes, candidate.other.shuffle_bytes
    if build is None or probe is None:
        build, probe = candidate.hinted.rows or 0, candidate.other.rows or 0
    return build * conf.factor <= probe


def hash_gain(facts: Facts, candidate: HintCandidate) -> Interval:
    """Wall seconds gained. At worst the sort saves what was measured of it, and the hash takes twice as long; at best half."""
    sort = _sort_seconds(facts, candidate.query, candidate.join)
    return _gain(candidate.saved_seconds, candidate.added_seconds, sort)


def hash_evidence(facts: Facts, candidate: HintCandidate) -> tuple[Evidence, ...]:
    """The measured numbers of a join to hash a side of."""
    build, probe, name = candidate.hinted, candidate.other, side_name(candidate.hinted)
    sort = _sort_seconds(facts, candidate.query, candidate.join)
    return (
        Evidence("build side rows", build.rows or 0, "rows", name),
        Evidence("build side bytes", build.shuffle_bytes or 0, "bytes", name),
        Evidence("probe side rows", probe.rows or 0, "rows", side_name(probe)),
        Evidence("predicted hash relation of a task", candidate.relation_bytes, "bytes", name),
        Evidence("memory a task may hash into", facts.task_cap_bytes, "bytes"),
        Evidence("sort time", sort, "seconds", "both sides, on the CPU"),
        *candidate.reached,
    )


def predict_hashes(facts: Facts, candidates: Iterable[HintCandidate]) -> Prediction:
    """Seconds of their queries after, if all of these joins are hashed."""
    return predict_gains((candidate.query, hash_gain(facts, candidate)) for candidate in candidates)


def _candidate(facts: Facts, query: Query, join: JoinSite, side: BuildSide) -> HintCandidate:
    build = join.side(side)
    size = task_relation_bytes(query, join, build, facts.selection)
    measured = is_measured_sort_merge(query, join)
    merge, hashed = _seconds(facts, query, join, side) if measured else (0.0, 0.0)
    sort = _sort_seconds(facts, query, join) if measured else 0.0
    growth = facts.once(Growth).factor(query, join, build)
    most = max(size, _uncounted_bytes(query, build))
    too_large = math.isinf(growth) or most * growth > facts.task_cap_bytes
    vetoed = not measured or not join.placed or not is_measured(query, build) or too_large or fans_out(query, join)
    vetoed = vetoed or risks_rows(facts, join, side)
    prediction = predict_gains([(query, _gain(merge, hashed, sort))])
    return HintCandidate(query, join, side, Hint.SHUFFLE_HASH, size, merge, hashed, prediction, vetoed)


def _uncounted_bytes(query: Query, build: JoinSide) -> int:
    """What one task may get of a side whose partitions the driver has no sizes of: the agent holds the hint for all of that."""
    shuffle = shuffle_of(query, build)
    told = shuffle is None or shuffle.partitions <= MOST_WITH_OWN_SIZES
    return 0 if told else relation_bytes(build.rows or 0, build.shuffle_bytes or 0)


def _gain(merge: float, hashed: float, sort: float) -> Interval:
    return Interval(sort - 2 * hashed, merge - hashed, merge - hashed / 2)


def _seconds(facts: Facts, query: Query, join: JoinSite, side: BuildSide) -> tuple[float, float]:
    """Wall seconds of sorting and merging, and of hashing instead."""
    costs, cores = facts.costs, max(1, facts.cluster.cores)
    # What was not sorted for this join had the order of a join below it: nothing is saved there.
    unsorted = sum(sort_core_seconds(s, costs) for s in join.sides if s.sort_ms is None)
    measured = (join.sort_ms or 0) / 1e3
    merge = join.runs * (sort_merge_core_seconds(join, costs) - unsorted) - measured + measured * cpu_share(query)
    build, probe = join.side(side), join.side(side.other)
    hashed = shuffled_hash_core_seconds(build, probe, costs) + _resort_core_seconds(query, join, costs)
    return merge / cores, join.runs * hashed / cores


def _sort_seconds(facts: Facts, query: Query, join: JoinSite) -> float:
    """Wall seconds of what the metric "sort time" counted of a join's sides, on the CPU."""
    return (join.sort_ms or 0) / 1e3 * cpu_share(query) / max(1, facts.cluster.cores)


def _resort_core_seconds(query: Query, join: JoinSite, costs: UnitCosts) -> float:
    """Core seconds to sort what the join puts out, where a merge join above it relied on its order."""
    relations = sorted((*join.left.relations, *join.right.relations))
    relied = any(
        list(side.relations) == relations and side.sort_ms is None and side.shuffle_bytes is None
        for above in query.joins
        if above.strategy is Strategy.SORT_MERGE and above is not join
        for side in above.sides
    )
    return (join.output_rows or 0) * (costs.sort + costs.sort_insert) / 1e9 if relied else 0.0
