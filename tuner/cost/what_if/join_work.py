"""What the parts of a join take, from unit costs and sizes."""

from __future__ import annotations

from typing import NamedTuple

from tuner.cost.operator_seconds import sending_ns
from tuner.cost.size import Size
from tuner.cost.unit_costs import UnitCosts
from tuner.cost.what_if.ensure_requirements import LEFT
from tuner.cost.what_if.physical_order import PlannedJoin
from tuner.cost.what_if.sizes import Sizes
from tuner.model.strategy import Strategy

# The unit costs that a price here, or of a stage, is made of.
PRICES = (
    *("sort", "sort_insert", "merge", "hash_build", "probe", "pair", "emit"),
    *("shuffle_write", "shuffle_write_row", "shuffle_read", "shuffle_segment", "task"),
    *("broadcast_build", "collect", "broadcast"),
)


class JoinWork(NamedTuple):
    """Nanoseconds of one join: in the stages that write its shuffles, in its own, and on the driver."""

    left_write: float
    right_write: float
    own: float
    serial: float

    @property
    def core_seconds(self) -> float:
        return (self.left_write + self.right_write + self.own) / 1e9


def join_work(join: PlannedJoin, sizes: Sizes, costs: UnitCosts, executors: int) -> JoinWork:
    """What a join takes; an exchange that is reused is read once more, and not written again."""
    left, right = sizes[join.left], sizes[join.right]
    left_write = right_write = 0.0
    own = sizes[join.left | join.right].rows * costs.emit
    for side in join.shuffled:
        size = left if side is LEFT else right
        own += size.bytes * costs.shuffle_read
        written = 0.0 if side in join.reused else size.bytes * costs.shuffle_write + size.rows * costs.shuffle_write_row
        if side is LEFT:
            left_write = written
        else:
            right_write = written
    for side in join.sorted:
        own += (left if side is LEFT else right).rows * (costs.sort + costs.sort_insert)
    own += _joining(join, left.rows, right.rows, costs)
    built = join.broadcast
    serial = 0.0
    if built and built not in join.reused:
        serial = _broadcast(join, left if built is LEFT else right, costs, executors)
    return JoinWork(left_write, right_write, own, serial)


def _joining(join: PlannedJoin, left: float, right: float, costs: UnitCosts) -> float:
    build, probe = (left, right) if join.build_side is LEFT else (right, left)
    match join.strategy:
        case Strategy.SORT_MERGE:
            return (left + right) * costs.merge
        case Strategy.BROADCAST_HASH:
            return probe * costs.probe
        case Strategy.SHUFFLED_HASH:
            return build * costs.hash_build + probe * costs.probe
        case _:  # Every row meets every other.
            return left * right * costs.pair


def _broadcast(join: PlannedJoin, build: Size, costs: UnitCosts, executors: int) -> float:
    hashed = build.rows * costs.broadcast_build if join.strategy is Strategy.BROADCAST_HASH else 0.0
    return hashed + build.bytes * costs.collect + sending_ns(build.bytes, executors, costs)
