"""Which hash joins built their larger side where the other may be built, and what building that gains."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tuner.advice.candidates.broadcast_builds import fans_out
from tuner.advice.candidates.hash_builds import task_relation_bytes
from tuner.advice.facts import Facts, is_whole
from tuner.cost.operators import broadcast_seconds, shuffled_hash_core_seconds
from tuner.cost.unit_costs import UnitCosts
from tuner.model.change import Prediction
from tuner.model.join_site import JoinSide, JoinSite
from tuner.model.query import Query
from tuner.model.strategy import BuildSide, Strategy
from tuner.spark.join_selection.build_sides import broadcast_sides, shuffled_hash_sides
from tuner.spark.join_selection.logical_join import BOTH, LogicalJoin, Side, other_side
from tuner.spark.memory import MAX_BROADCAST_ROWS, relation_bytes

# A side that was not shuffled has no bytes in the log: its rows are taken to be this wide (thirty columns of 8 bytes).
WIDE_ROW_BYTES = 256
_HASH_JOINS = frozenset({Strategy.BROADCAST_HASH, Strategy.SHUFFLED_HASH})


@dataclass(frozen=True, slots=True)
class BuildSideSwap:
    """One hash join of one query with its other side built: `side` is the one to build.

    Bytes are hash relations' (a task's for a shuffled hash join): `built_bytes` as it ran, `relation_bytes` of the side
    to build. Seconds are wall time: `gain`, and at least `least_gain`. `veto` says why it must not be, or is empty.
    """

    query: Query
    join: JoinSite
    side: BuildSide
    built_bytes: int
    relation_bytes: int
    gain: float
    least_gain: float
    veto: str = ""

    @property
    def build(self) -> JoinSide:
        return self.join.left if self.side is BuildSide.LEFT else self.join.right

    @property
    def built(self) -> JoinSide:
        """The side that was built."""
        return self.join.right if self.side is BuildSide.LEFT else self.join.left

    @property
    def prediction(self) -> Prediction:
        """Seconds after; at best half more is gained, for unit costs are priors."""
        before = (self.query.duration_ms or 0) / 1e3
        most, gain, least = (min(gain, 0.8 * before) for gain in (1.5 * self.gain, self.gain, self.least_gain))
        return Prediction(before, before - gain, before - most, before - min(gain, least))


def build_side_swaps(facts: Facts) -> Iterator[BuildSideSwap]:
    """Each hash join whose other side may be built and has fewer rows, by `shuffledHashJoinFactor`, than the built one."""
    conf, costs = facts.selection, facts.costs
    for query in facts.queries:
        for join in query.joins:
            if join.strategy not in _HASH_JOINS or join.build_side is None:
                continue
            side = other_side(join.build_side)
            logical = LogicalJoin(join.type, Side(0), Side(0))
            shuffled = join.strategy is Strategy.SHUFFLED_HASH
            allowed = shuffled_hash_sides(logical, conf) if shuffled else broadcast_sides(logical)
            built, build = (join.right, join.left) if side is BuildSide.LEFT else (join.left, join.right)
            if side in allowed and (build.rows or 0) * conf.factor <= (built.rows or 0):
                price = _shuffled if shuffled else _broadcast
                yield price(facts, query, join, side, costs)


def _shuffled(facts: Facts, query: Query, join: JoinSite, side: BuildSide, costs: UnitCosts) -> BuildSideSwap:
    built, build = _sides(join, side)
    cores, conf = max(1, facts.cluster.cores), facts.selection
    saved = shuffled_hash_core_seconds(built, build, costs) - shuffled_hash_core_seconds(build, built, costs)
    before, after = (task_relation_bytes(query, join, s, conf) for s in (built, build))
    unmeasured = "" if build.shuffle_bytes is not None else "its bytes were not measured"
    veto = _veto(query, join, build) or unmeasured or _over(after, facts.task_cap_bytes)
    return BuildSideSwap(query, join, side, before, after, saved / cores, saved / cores / 2, veto)


def _broadcast(facts: Facts, query: Query, join: JoinSite, side: BuildSide, costs: UnitCosts) -> BuildSideSwap:
    """Broadcasts of one query are built side by side: in the worst case the next largest one takes as long as before."""
    built, build = _sides(join, side)
    cap = facts.cap
    size = relation_bytes(build.rows or 0, _bytes(build))
    probing = ((built.rows or 0) - (build.rows or 0)) * costs.probe / 1e9 / max(1, facts.cluster.cores)
    seconds, instead = _build_seconds(facts, built, costs), _build_seconds(facts, build, costs)
    others = [_build_seconds(facts, other, costs) for other in _broadcast_beside(query, join)]
    gain = seconds - instead - probing
    least = (seconds - max([instead, *others])) / 2 - probing
    reused = any(
        other.relations == built.relations and other.rows == built.rows for other in _broadcast_beside(query, join)
    )
    veto = _veto(query, join, build) or _over(size, cap.one_bytes)
    if (build.rows or 0) > MAX_BROADCAST_ROWS:
        veto = f"{build.rows} rows are more than a broadcast takes"
    if reused:
        veto = "another join uses the same broadcast"
    return BuildSideSwap(query, join, side, built.broadcast_bytes or 0, size, gain, min(gain, least), veto)


def _sides(join: JoinSite, side: BuildSide) -> tuple[JoinSide, JoinSide]:
    """The side that was built, and the one to build."""
    return (join.right, join.left) if side is BuildSide.LEFT else (join.left, join.right)


def _broadcast_beside(query: Query, join: JoinSite) -> list[JoinSide]:
    """What the query's other joins broadcast."""
    others = ((other, which) for other in query.joins if other is not join for which in BOTH)
    return [
        side
        for other, which in others
        if other.strategy is Strategy.BROADCAST_HASH and other.build_side is which
        for side in [other.left if which is BuildSide.LEFT else other.right]
    ]


def _build_seconds(facts: Facts, side: JoinSide, costs: UnitCosts) -> float:
    nothing = JoinSide(relations=())
    return broadcast_seconds(side, nothing, side.shuffle_bytes or 0, facts.cluster.executors, costs).serial


def _bytes(side: JoinSide) -> int:
    return side.shuffle_bytes if side.shuffle_bytes is not None else (side.rows or 0) * WIDE_ROW_BYTES


def _veto(query: Query, join: JoinSite, build: JoinSide) -> str:
    if not is_whole(query):
        return "its query did not succeed"
    return fans_out(join) if build.rows is not None else "its rows were not measured"


def _over(size: int, cap: int) -> str:
    return f"its hash relation of {size} bytes is over the cap of {cap} bytes" if size > cap else ""
