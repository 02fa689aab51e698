"""Which broadcasts that Spark chose cost more than shuffling would, or endanger memory, and what forbidding them gains."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from tuner.advice.candidates.broadcast_builds import capped
from tuner.advice.candidates.build_side_swaps import WIDE_ROW_BYTES
from tuner.advice.facts import Facts
from tuner.cost.operators import shuffle_core_seconds, sort_merge_core_seconds
from tuner.cost.unit_costs import UnitCosts
from tuner.model.change import Prediction
from tuner.model.join_site import JoinSide, JoinSite
from tuner.model.query import Query
from tuner.model.query_work import BroadcastWork
from tuner.model.strategy import BuildSide, JoinType, Strategy
from tuner.spark.memory import relation_bytes


@dataclass(frozen=True, slots=True)
class BroadcastRemoval:
    """One broadcast hash join of one query with both sides shuffled and sorted instead; `side` was broadcast.

    Wall seconds: `broadcast_seconds` are what the driver took to collect, hash and send, as far as the relation's size
    explains them, `shuffle_seconds` what shuffling and merging is priced at beyond probing. `least_gain` leaves out the
    collecting, has the next largest broadcast of the query take as long as before, and prices err. `is_over` says that
    the hash relation, as measured, is over the cap. `veto` says why it must not be, or is empty.
    """

    query: Query
    join: JoinSite
    side: BuildSide
    broadcast_seconds: float
    shuffle_seconds: float
    least_gain: float
    is_over: bool = False
    veto: str = ""

    @property
    def build(self) -> JoinSide:
        """The side that is hinted: it was broadcast."""
        return self.join.left if self.side is BuildSide.LEFT else self.join.right

    @property
    def probe(self) -> JoinSide:
        return self.join.right if self.side is BuildSide.LEFT else self.join.left

    @property
    def gain(self) -> float:
        return self.broadcast_seconds - self.shuffle_seconds

    @property
    def prediction(self) -> Prediction:
        """Seconds after; at best nothing is paid for shuffling."""
        before = (self.query.duration_ms or 0) / 1e3
        most, gain, least = (
            capped(seconds, before) for seconds in (self.broadcast_seconds, self.gain, self.least_gain)
        )
        return Prediction(before, before - gain, before - most, before - min(gain, least))


def broadcast_removals(facts: Facts) -> Iterator[BroadcastRemoval]:
    """Each broadcast hash join whose broadcast was timed."""
    costs = facts.costs
    for query in facts.succeeded:
        for join in query.joins:
            if join.strategy is Strategy.BROADCAST_HASH and join.build_side is not None:
                side = join.left if join.build_side is BuildSide.LEFT else join.right
                if (work := _work_of(query, side)) is not None:
                    yield _price(facts, query, join, join.build_side, work, costs)


def _work_of(query: Query, side: JoinSide) -> BroadcastWork | None:
    """The broadcast that feeds a side, known by its rows and bytes."""
    found = [b for b in _broadcasts(query) if (b.rows, b.bytes) == (side.rows, side.broadcast_bytes)]
    return found[0] if len(found) == 1 else None


def _broadcasts(query: Query) -> tuple[BroadcastWork, ...]:
    return query.work.broadcasts if query.work else ()


def _price(
    facts: Facts, query: Query, join: JoinSite, built: BuildSide, work: BroadcastWork, costs: UnitCosts
) -> BroadcastRemoval:
    left, right = (_as_shuffled(side) for side in (join.left, join.right))
    build, probe = (left, right) if built is BuildSide.LEFT else (right, left)
    cores = max(1, facts.cluster.cores)
    shuffles = shuffle_core_seconds(left, costs) + shuffle_core_seconds(right, costs)
    merge = sort_merge_core_seconds(replace(join, left=left, right=right), costs)
    added, probing = (shuffles + merge) / cores, (probe.rows or 0) * costs.probe / 1e9 / cores
    timed = min(_timed_seconds(work), facts.price_error * _priced_seconds(work, facts.cluster.executors, costs))
    beside = max((_timed_seconds(b) for b in _broadcasts(query) if b is not work), default=0.0)
    return BroadcastRemoval(
        query,
        join,
        built,
        broadcast_seconds=_collect_seconds(work, costs) + timed,
        shuffle_seconds=added - probing,
        least_gain=max(0.0, timed - beside) - facts.price_error * added,
        is_over=(build.broadcast_bytes or 0) > facts.cap.query_bytes,
        veto=_veto(join, work, probe),
    )


def _timed_seconds(work: BroadcastWork) -> float:
    return (work.build_ms + work.broadcast_ms) / 1e3


def _priced_seconds(work: BroadcastWork, executors: int, costs: UnitCosts) -> float:
    """What hashing and sending so much takes: a driver that was busy with other things as well took longer."""
    return (work.rows * costs.broadcast_build + _row_bytes(work) * costs.broadcast * max(1, executors)) / 1e9


def _collect_seconds(work: BroadcastWork, costs: UnitCosts) -> float:
    """Of the time to collect only what moving the rows is priced at: the rest is what computed them."""
    return min(work.collect_ms / 1e3, _row_bytes(work) * costs.collect / 1e9)


def _row_bytes(work: BroadcastWork) -> int:
    """Bytes of the rows: what the hash relation has beyond its map (`relation_bytes`); its last page may be empty."""
    return min(max(0, work.bytes - relation_bytes(work.rows, 0)), work.rows * WIDE_ROW_BYTES)


def _as_shuffled(side: JoinSide) -> JoinSide:
    """A side that was not shuffled has no bytes in the log: its rows are taken to be wide, and to be sorted."""
    size = side.shuffle_bytes if side.shuffle_bytes is not None else (side.rows or 0) * WIDE_ROW_BYTES
    return replace(side, shuffle_bytes=size, sort_ms=None)


def _veto(join: JoinSite, work: BroadcastWork, probe: JoinSide) -> str:
    if join.type is JoinType.LEFT_ANTI:
        # ExtractSingleColumnNullAwareAntiJoin: NOT IN over a nullable column is broadcast whatever the hint.
        return "an anti join may be one that Spark can only broadcast"
    if work.readers > 1:
        return "another join or a pruned scan reads the same broadcast"
    return "" if probe.rows is not None else "its probe side was not measured"
