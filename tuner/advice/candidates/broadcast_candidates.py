"""Which side of a join may be broadcast instead of shuffled, and what that gains: for all broadcast levers."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import replace

from tuner.advice.candidates.broadcast_budget import is_hinted
from tuner.advice.candidates.broadcast_wait import outlasts_wait, query_outlasts_wait
from tuner.advice.candidates.fan_out import fans_out
from tuner.advice.candidates.growth import Growth
from tuner.advice.candidates.hint_candidate import HintCandidate
from tuner.advice.candidates.joint_broadcasts import Place, Share, chained_gains, place_of, shared_gains
from tuner.advice.candidates.lost_filters import loses_filter
from tuner.advice.candidates.query_gain import capped
from tuner.advice.candidates.row_widths import built_bytes
from tuner.advice.candidates.scattered_files import scatters_files
from tuner.advice.candidates.side_name import side_name
from tuner.advice.candidates.spared_shuffles import (
    map_seconds,
    repeated_seconds,
    slowed_seconds,
    spared_join_core_seconds,
    spared_shuffle_core_seconds,
)
from tuner.advice.facts import Facts, is_whole
from tuner.advice.steering_reach import Reach
from tuner.cost.operator_seconds import broadcast_seconds, shuffle_core_seconds
from tuner.cost.unit_costs import UnitCosts
from tuner.model.action import Hint
from tuner.model.change import Evidence, Prediction
from tuner.model.join_site import JoinSide, JoinSite
from tuner.model.query import Query
from tuner.model.strategy import SHUFFLED, BuildSide, Strategy
from tuner.spark.join_selection.build_sides import BROADCAST_SIDES
from tuner.spark.memory import MAX_BROADCAST_ROWS, relation_bytes

# What a higher threshold may turn into a broadcast (JoinSelection asks for a broadcast first).
UNBROADCAST = SHUFFLED | {Strategy.CARTESIAN}


def broadcast_candidates(facts: Facts) -> Iterator[HintCandidate]:
    """Each side that could be broadcast, of joins that a side was shuffled for and that were measured on both."""
    return (found for found in facts.once(_for_hints) if found.join.strategy in SHUFFLED)


def without_others(facts: Facts, is_hinted: Callable[[HintCandidate], bool]) -> tuple[HintCandidate, ...]:
    """The broadcasts that hints ask for, with what they gain together where no other gets a hint."""
    return together(facts, [found for found in facts.once(_by_themselves) if is_hinted(found)])


def threshold_candidates(facts: Facts, *, after_shuffles: bool = False) -> Iterator[HintCandidate]:
    """Each side that a higher threshold might broadcast, measured or not: also of failed queries, vetoed.

    Only joins of two shuffled sides, measured on both, can gain; the gain of others is 0. `after_shuffles`: AQE turns the join
    when both sides have been shuffled, so that only the sort and the merge are saved.
    """
    for query in facts.queries:
        for join in query.joins:
            if join.strategy in UNBROADCAST and not join.is_skipped:
                for side in BROADCAST_SIDES.get(join.type, ()):
                    saved, added = _seconds(facts, query, join, side, after_shuffles=after_shuffles)
                    yield _candidate(facts, query, join, side, saved, added, after_shuffles=after_shuffles)


def late_broadcasts(facts: Facts) -> Iterator[HintCandidate]:
    """The joins that AQE made broadcasts only when their sides had been shuffled: a hint spares those shuffles.

    AQE plans anew at the end of each stage (AdaptiveSparkPlanExec.reOptimize): what a stage has written by then is read
    without being moved, but it was written.
    """
    return (found for found in facts.once(_for_hints) if found.join.strategy is Strategy.BROADCAST_HASH)


def together(facts: Facts, candidates: Collection[HintCandidate]) -> tuple[HintCandidate, ...]:
    """These candidates with what each gains if all of them are broadcast: of what some gain only together, equal shares."""

    def again(candidate: HintCandidate, which: BuildSide) -> float:
        return map_seconds(facts, candidate.query, candidate.join.side(which))

    def spared(candidate: HintCandidate) -> float:
        is_late = candidate.join.strategy is Strategy.BROADCAST_HASH
        price = shuffle_and_write_core_seconds if is_late else shuffle_core_seconds
        return price(candidate.other, facts.costs) / max(1, facts.cluster.cores)

    found = _shared_out(facts, candidates, shared_gains(candidates, again, spared))
    return _shared_out(facts, found, chained_gains(found, lambda c: _freed_gain(facts, c)))


def broadcast_by_aqe(join: JoinSite) -> BuildSide | None:
    """The side of a join that was planned with shuffles and that AQE broadcast, where a hint could do so, too."""
    side = join.build_side
    turned = join.strategy is Strategy.BROADCAST_HASH and join.planned_strategy in SHUFFLED
    return side if turned and side in BROADCAST_SIDES.get(join.type, ()) else None


def broadcast_evidence(candidate: HintCandidate) -> tuple[Evidence, ...]:
    """The measured numbers of a join to broadcast a side of."""
    side, join, name = candidate.hinted, candidate.join, side_name(candidate.hinted)
    evidence = [
        Evidence("build side rows", side.rows or 0, "rows", name),
        Evidence(
            "build side bytes" if is_counted(side) else "build side bytes, estimated",
            candidate.data_bytes,
            "bytes",
            name,
        ),
        Evidence("predicted hash relation", candidate.relation_bytes, "bytes", name),
        Evidence("probe side rows", candidate.other.rows or 0, "rows", side_name(candidate.other)),
        Evidence("sort time", (join.sort_ms or 0) / 1e3, "core seconds", "both sides"),
    ]
    if side.estimated_bytes is not None:
        evidence.append(Evidence("planner's estimate", side.estimated_bytes, "bytes", name))
    return (*evidence, *candidate.reached)


def predict_broadcasts(facts: Facts, before: float, gain: float, candidates: Collection[HintCandidate]) -> Prediction:
    """Seconds of queries that took `before`, where these candidates together gain `gain`, which may be capped."""
    total, added = sum(found.gain for found in candidates), sum(found.added_seconds for found in candidates)
    return _predict(facts.price_error, before, gain, total, added)


def is_measured_sort_merge(query: Query, join: JoinSite) -> bool:
    """Whether a join ran as a sort merge join to its end and both sides were counted."""
    return join.strategy is Strategy.SORT_MERGE and _is_measured_join(query, join)


def _is_measured_join(query: Query, join: JoinSite) -> bool:
    return is_whole(query) and join.left.rows is not None and join.right.rows is not None


def _is_priced(facts: Facts, query: Query, join: JoinSite) -> bool:
    """Whether what a broadcast saves of a join is known. A shuffled hash join is left where a hint may have asked for it: a job's
    own stays, and one of the agent's is to serve nights that are too large for a broadcast as well."""
    if join.strategy is Strategy.SHUFFLED_HASH:
        by_spark = facts.reach is Reach.AGENT and not join.hinted and not is_hinted(query, join)
        return by_spark and join.build_side is not None and _is_measured_join(query, join)
    return is_measured_sort_merge(query, join)


def is_measured(query: Query, side: JoinSide) -> bool:
    """Whether the rows and bytes of a side are known to the last."""
    return is_whole(query) and side.rows is not None and is_counted(side)


def is_counted(side: JoinSide) -> bool:
    """Whether a shuffle of its own counted the bytes of a side: none does where it is grouped, windowed or joined below by the
    join's keys, nor of a bucketed table."""
    return side.shuffle_bytes is not None


def broadcast_vetoed(
    facts: Facts, query: Query, join: JoinSite, build: JoinSide, relation_bytes: int, *, after_shuffles: bool = False
) -> bool:
    """Whether a side must not be broadcast, whatever that gains: unmeasured, too large, met by too many rows, no more filtered
    then, made for longer than Spark waits, or of a shuffle that nothing tells the readers of; it is filtered, and made already,
    where AQE turns the join `after_shuffles`."""
    unfit = not join.placed or loses_filter(facts.reach, build)
    if not after_shuffles and (unfit or _takes_long(facts, query, build)):
        return True
    # AQE compares what it has counted with its threshold in each run.
    growth = 1.0 if after_shuffles else facts.once(Growth).factor(query, join, build)
    known = is_whole(query) and build.rows is not None and built_bytes(facts, query, build) is not None
    return not known or fans_out(query, join) or is_too_large(facts, build, relation_bytes, growth)


def _takes_long(facts: Facts, query: Query, build: JoinSide) -> bool:
    return outlasts_wait(facts, query, build) if is_counted(build) else query_outlasts_wait(facts, query)


def is_too_large(facts: Facts, build: JoinSide, size: int, growth: float) -> bool:
    """Whether a side has too many rows or bytes for a broadcast, now or by the growth in runs to come."""
    if math.isinf(growth):
        return True
    return (build.rows or 0) * growth > MAX_BROADCAST_ROWS or size * growth > facts.cap.one_bytes


def _for_hints(facts: Facts) -> tuple[HintCandidate, ...]:
    """All broadcasts that hints may ask for, with what they gain together."""
    found = facts.once(_by_themselves)
    # A hint reaches all joins of one name.
    vetoed = {(c.query.fingerprint, c.join.signature, c.side) for c in found if c.is_vetoed}
    reached = (c for c in found if facts.reach.hints(c.join, c.hinted))
    usable = [c for c in reached if (c.query.fingerprint, c.join.signature, c.side) not in vetoed]
    shares = {place_of(c): c for c in together(facts, usable)}
    return tuple(shares.get(place_of(c), c) for c in found)


def _by_themselves(facts: Facts) -> tuple[HintCandidate, ...]:
    shuffled = (c for c in threshold_candidates(facts) if _is_priced(facts, c.query, c.join))
    return (*shuffled, *_of_late(facts))


def _of_late(facts: Facts) -> Iterator[HintCandidate]:
    for query in facts.succeeded:
        for join in query.joins:
            side = broadcast_by_aqe(join)
            if side is not None and join.side(side.other).shuffle_bytes is not None:
                yield _candidate(facts, query, join, side, *_late_seconds(facts, query, join, side))


def _freed_gain(facts: Facts, candidate: HintCandidate) -> float:
    """What a candidate gains where no operator above relies on the shuffles of its join."""
    query, join, side = candidate.query, replace(candidate.join, reshuffle=None), candidate.side
    if join.strategy is Strategy.BROADCAST_HASH:
        saved, added = _late_seconds(facts, query, join, side)
    else:
        saved, added = _seconds(facts, query, join, side, after_shuffles=False)
    return saved - added


def _shared_out(
    facts: Facts, candidates: Collection[HintCandidate], shares: Mapping[Place, Share]
) -> tuple[HintCandidate, ...]:
    found = ((c, shares.get(place_of(c))) for c in candidates)
    return tuple(_priced(facts, c, of.gain, max(0.0, c.added_seconds - of.unmade)) if of else c for c, of in found)


def _priced(facts: Facts, candidate: HintCandidate, gain: float, added: float) -> HintCandidate:
    """The candidate with another gain, and with other seconds of what runs instead."""
    seconds = candidate.query.seconds
    prediction = _predict(facts.price_error, seconds, capped(gain, seconds), gain, added)
    return replace(candidate, saved_seconds=gain + added, added_seconds=added, prediction=prediction)


def _predict(price_error: float, before: float, gain: float, total: float, added: float) -> Prediction:
    """What is saved and what is added are off by the prices' error, each for itself: their errors add in quadrature.

    Those of several joins have the same prices in them, and add up.
    """
    removed = max(0.0, total + added)
    share = gain / total if total > 0 else 1.0
    less = share * math.hypot(removed * (1 - 1 / price_error), added * (price_error - 1))
    more = share * math.hypot(removed * (price_error - 1), added * (1 - 1 / price_error))
    return Prediction(before, before - gain, max(0.0, before - gain - more), before - gain + less)


def _candidate(
    facts: Facts,
    query: Query,
    join: JoinSite,
    side: BuildSide,
    saved: float,
    added: float,
    *,
    after_shuffles: bool = False,
) -> HintCandidate:
    build, gain = join.side(side), saved - added
    data = built_bytes(facts, query, build) or 0
    size = relation_bytes(build.rows or 0, data)
    prediction = _predict(facts.price_error, query.seconds, capped(gain, query.seconds), gain, added)
    vetoed = broadcast_vetoed(facts, query, join, build, size, after_shuffles=after_shuffles)
    # A join that neither side was shuffled for is left: all that a broadcast spares is merging, and buckets that are sorted.
    vetoed = vetoed or not any(map(is_counted, join.sides)) or scatters_files(facts, query, join, side.other)
    return HintCandidate(query, join, side, Hint.BROADCAST, size, saved, added, prediction, vetoed, data_bytes=data)


def _seconds(
    facts: Facts, query: Query, join: JoinSite, side: BuildSide, *, after_shuffles: bool
) -> tuple[float, float]:
    """Wall seconds of what a broadcast saves of a join that was shuffled for, and of what it takes itself."""
    if not _is_priced(facts, query, join):
        return 0.0, 0.0
    costs, cores, build = facts.costs, max(1, facts.cluster.cores), join.side(side)
    data = built_bytes(facts, query, build) or 0
    broadcast = broadcast_seconds(build, join.side(side.other), data, facts.cluster.executors, costs)
    joining = spared_join_core_seconds(join, side.other, costs) / cores
    added = broadcast.serial + join.runs * broadcast.probe_core / cores
    if after_shuffles:
        return joining, added
    shuffles = spared_shuffle_core_seconds(join, side.other, costs, shuffle_core_seconds) / cores
    return joining + shuffles, added + _lost_seconds(facts, query, join, side)


def _late_seconds(facts: Facts, query: Query, join: JoinSite, side: BuildSide) -> tuple[float, float]:
    """Wall seconds of the shuffles that AQE's broadcast came too late for, and of doing without them."""
    spared = spared_shuffle_core_seconds(join, side.other, facts.costs, shuffle_and_write_core_seconds)
    return spared / max(1, facts.cluster.cores), _lost_seconds(facts, query, join, side)


def _lost_seconds(facts: Facts, query: Query, join: JoinSite, side: BuildSide) -> float:
    """Wall seconds that it takes to do without the shuffles of a join's sides when one is broadcast. What none of them has
    counted the agent may have shuffled, to count it first (MeasuredFirst)."""
    build, probe = join.side(side), side.other
    lost = repeated_seconds(facts, query, join, probe) + slowed_seconds(facts, query, join, probe)
    if is_counted(build):
        return lost
    counted = replace(build, shuffle_bytes=built_bytes(facts, query, build))
    return lost + shuffle_and_write_core_seconds(counted, facts.costs) / max(1, facts.cluster.cores)


def shuffle_and_write_core_seconds(side: JoinSide, costs: UnitCosts) -> float:
    """Core seconds of the shuffle of a side with its rows; 0 where there was none."""
    rows = side.rows or 0 if side.shuffle_bytes is not None else 0
    return shuffle_core_seconds(side, costs) + rows * costs.shuffle_write_row / 1e9
