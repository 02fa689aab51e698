"""Which hash joins built their larger side where the other may be built, and what building that gains."""

from __future__ import annotations

import math
from collections.abc import Iterator

from tuner.advice.candidates.broadcast_candidates import is_too_large
from tuner.advice.candidates.broadcast_wait import stage_outlasts_wait
from tuner.advice.candidates.busy_cores import busy_cores
from tuner.advice.candidates.fan_out import fans_out
from tuner.advice.candidates.growth import Growth
from tuner.advice.candidates.hint_candidate import HintCandidate
from tuner.advice.candidates.lost_filters import loses_filter
from tuner.advice.candidates.lost_rows import risks_rows
from tuner.advice.candidates.query_gain import predict_gains
from tuner.advice.candidates.row_widths import RowWidths, collected_bytes
from tuner.advice.candidates.spared_shuffles import most_tasks
from tuner.advice.candidates.task_relation import task_relation_bytes
from tuner.advice.facts import Facts, is_whole
from tuner.cost.operator_seconds import broadcast_seconds, shuffled_hash_core_seconds
from tuner.cost.what_if.interval import Interval
from tuner.model.action import Hint
from tuner.model.change import Prediction
from tuner.model.join_site import JoinSide, JoinSite
from tuner.model.query import Query
from tuner.model.strategy import BuildSide, Strategy
from tuner.spark.join_selection.build_sides import broadcast_sides, shuffled_hash_sides
from tuner.spark.join_selection.logical_join import LogicalJoin, Side
from tuner.spark.memory import relation_bytes

_HASH_JOINS = frozenset({Strategy.BROADCAST_HASH, Strategy.SHUFFLED_HASH})


def build_side_swaps(facts: Facts) -> Iterator[HintCandidate]:
    """Each hash join whose other side may be built and has fewer rows, by `shuffledHashJoinFactor`, than the built one."""
    conf = facts.selection
    for query in facts.queries:
        for join in query.joins:
            if join.strategy not in _HASH_JOINS or join.build_side is None or join.is_skipped:
                continue
            side, logical = join.build_side.other, LogicalJoin(join.type, Side(0), Side(0))
            shuffled = join.strategy is Strategy.SHUFFLED_HASH
            allowed = shuffled_hash_sides(logical, conf) if shuffled else broadcast_sides(logical)
            build, built = join.side(side), join.side(join.build_side)
            if side in allowed and (build.rows or 0) * conf.factor <= (built.rows or 0):
                candidate = _shuffled_hash_swap if shuffled else _broadcast_swap
                yield candidate(facts, query, join, side)


def _shuffled_hash_swap(facts: Facts, query: Query, join: JoinSite, side: BuildSide) -> HintCandidate:
    build, built, costs = join.side(side), join.side(side.other), facts.costs
    spared = shuffled_hash_core_seconds(built, build, costs) - shuffled_hash_core_seconds(build, built, costs)
    gain = spared / max(1, facts.cluster.cores)
    size = task_relation_bytes(query, join, build, facts.selection)
    growth = facts.once(Growth).factor(query, join, build)
    too_large = math.isinf(growth) or size * growth > facts.task_cap_bytes
    vetoed = _is_vetoed(query, join, build) or build.shuffle_bytes is None or too_large or risks_rows(facts, join, side)
    prediction = _predict(query, gain, gain / 2)
    replaced = task_relation_bytes(query, join, built, facts.selection)
    return HintCandidate(
        query, join, side, Hint.SHUFFLE_HASH, size, gain, 0.0, prediction, vetoed, replaced_bytes=replaced
    )


def _broadcast_swap(facts: Facts, query: Query, join: JoinSite, side: BuildSide) -> HintCandidate:
    """Broadcasts of one query are built side by side: in the worst case the next largest one takes as long as before, and rows
    are wide that nothing measured; they are expected to be as wide as those that were built."""
    build, built = join.side(side), join.side(side.other)
    beside = [other.built for other in query.joins if other is not join and other.strategy is Strategy.BROADCAST_HASH]
    others = [other for other in beside if other is not None]
    widths, held = facts.once(RowWidths), collected_bytes(built.rows or 0, built.broadcast_bytes or 0)
    data = widths.data_bytes(query, build)
    expected = min(data, widths.data_bytes(query, build, held / max(1, built.rows or 0)))
    size = relation_bytes(build.rows or 0, data)
    probing = ((built.rows or 0) - (build.rows or 0)) * facts.costs.probe / 1e9 / busy_cores(facts, query)
    before, after = _built_seconds(facts, built), _broadcast_seconds(facts, build, expected)
    slowest = max([_broadcast_seconds(facts, build, data), *(_built_seconds(facts, other) for other in others)])
    least = (before - slowest) / 2 - probing
    reused = any((other.relations, other.rows) == (built.relations, built.rows) for other in others)
    too_large = is_too_large(facts, build, size, facts.once(Growth).factor(query, join, build))
    vetoed = _is_vetoed(query, join, build) or too_large or reused or loses_filter(facts.reach, build)
    # What was built had all cores, what is streamed has the tasks that the job coalesces the stage to.
    vetoed = vetoed or most_tasks(facts, join) is not None or not join.placed or stage_outlasts_wait(facts, query, join)
    prediction = _predict(query, before - after - probing, least)
    replaced = built.broadcast_bytes or 0
    return HintCandidate(
        query,
        join,
        side,
        Hint.BROADCAST,
        size,
        before - after,
        probing,
        prediction,
        vetoed,
        replaced_bytes=replaced,
    )


def _broadcast_seconds(facts: Facts, side: JoinSide, data_bytes: int) -> float:
    """Wall seconds to build and send a side."""
    return broadcast_seconds(side, JoinSide(relations=()), data_bytes, facts.cluster.executors, facts.costs).serial


def _built_seconds(facts: Facts, side: JoinSide) -> float:
    """Wall seconds that building and sending a side took, as priced."""
    return _broadcast_seconds(facts, side, collected_bytes(side.rows or 0, side.broadcast_bytes or 0))


def _is_vetoed(query: Query, join: JoinSite, build: JoinSide) -> bool:
    return not is_whole(query) or build.rows is None or fans_out(query, join)


def _predict(query: Query, gain: float, least: float) -> Prediction:
    """At best half more is gained, for unit costs are priors."""
    return predict_gains([(query, Interval(min(gain, least), gain, 1.5 * gain))])
