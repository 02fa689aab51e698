"""Seconds of the operators that a change adds or takes away, from unit costs calibrated to what the runs measured."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from tuner.cost.unit_costs import DEFAULT_COSTS, UnitCosts
from tuner.model.join_site import JoinSide, JoinSite
from tuner.model.query import Query
from tuner.model.strategy import Strategy

# Fewer rows than this say more about start-up than about the operator.
CALIBRATION_ROWS = 300_000


def calibrate(queries: Sequence[Query], prior: UnitCosts = DEFAULT_COSTS) -> UnitCosts:
    """The unit costs with `sort` as these queries measured it; the prior where they sorted too little to tell."""
    rows = milliseconds = 0
    for side in (side for query in queries for join in query.joins for side in (join.left, join.right)):
        if side.sort_ms is not None and side.rows and side.rows >= CALIBRATION_ROWS:
            rows += side.rows
            milliseconds += side.sort_ms
    return replace(prior, sort=milliseconds * 1e6 / rows) if rows else prior


def sort_core_seconds(side: JoinSide, costs: UnitCosts) -> float:
    """Core seconds that sorting one side took: as measured where it was, else by its rows."""
    rows = side.rows or 0
    sort = side.sort_ms / 1e3 if side.sort_ms is not None else rows * costs.sort / 1e9
    return sort + rows * costs.sort_insert / 1e9


def sort_merge_core_seconds(join: JoinSite, costs: UnitCosts) -> float:
    """Core seconds of a sort merge join after its shuffles."""
    rows = (join.left.rows or 0) + (join.right.rows or 0)
    return sort_core_seconds(join.left, costs) + sort_core_seconds(join.right, costs) + rows * costs.merge / 1e9


def shuffle_core_seconds(side: JoinSide, costs: UnitCosts) -> float:
    """Core seconds of the shuffle that feeds one side; 0 where it was not shuffled for the join."""
    return (side.shuffle_bytes or 0) * (costs.shuffle_write + costs.shuffle_read) / 1e9


def shuffled_hash_core_seconds(build: JoinSide, probe: JoinSide, costs: UnitCosts) -> float:
    """Core seconds of a shuffled hash join after its shuffles."""
    return ((build.rows or 0) * costs.hash_build + (probe.rows or 0) * costs.probe) / 1e9


def sending_ns(relation_bytes: float, executors: int, costs: UnitCosts) -> float:
    """Nanoseconds to send a relation of so many bytes to all executors: as long as to one, and as long again for each doubling.

    Each executor that has a block serves it to others (TorrentBroadcast), so those that have it double from round to round.
    """
    return relation_bytes * costs.broadcast * (1 + math.log2(max(1, executors)))


@dataclass(frozen=True, slots=True)
class BroadcastSeconds:
    """A broadcast hash join: seconds on the driver and network while tasks wait, and core seconds of the probe."""

    serial: float
    probe_core: float


def broadcast_seconds(
    build: JoinSide, probe: JoinSide, build_bytes: int, executors: int, costs: UnitCosts
) -> BroadcastSeconds:
    """What broadcasting `build` costs; `build_bytes` are its rows as collected."""
    serial = (build.rows or 0) * costs.broadcast_build + build_bytes * costs.collect
    serial += sending_ns(build_bytes, executors, costs)
    return BroadcastSeconds(serial / 1e9, (probe.rows or 0) * costs.probe / 1e9)


def join_core_seconds(join: JoinSite, costs: UnitCosts) -> float:
    """Core seconds of a join as it ran, by its rows: reading both sides, sorting or probing, and putting rows out."""
    out = (join.output_rows or 0) * costs.emit / 1e9
    if join.strategy is Strategy.SORT_MERGE:
        shuffles = shuffle_core_seconds(join.left, costs) + shuffle_core_seconds(join.right, costs)
        return shuffles + sort_merge_core_seconds(join, costs) + out
    return max(join.left.rows or 0, join.right.rows or 0) * costs.probe / 1e9 + out
