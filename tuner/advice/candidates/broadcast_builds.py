"""Which side of a join may be broadcast, whether it should, and what that gains: what all broadcast levers share."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from tuner.advice.candidates.growth import Growth
from tuner.advice.facts import Facts, is_whole
from tuner.cost.operators import broadcast_seconds, shuffle_core_seconds, sort_merge_core_seconds
from tuner.cost.unit_costs import PRICE_ERROR, UnitCosts
from tuner.model.change import Evidence, Prediction
from tuner.model.cluster import Cluster
from tuner.model.join_site import JoinSide, JoinSite
from tuner.model.query import Query
from tuner.model.strategy import SHUFFLED, BuildSide, Strategy
from tuner.plan.relation import short_name
from tuner.spark.join_selection.build_sides import BROADCAST_SIDES
from tuner.spark.memory import MAX_BROADCAST_ROWS, BroadcastCap, relation_bytes

# What a higher threshold may turn into a broadcast (JoinSelection asks for a broadcast first).
UNBROADCAST = SHUFFLED | {Strategy.CARTESIAN}

# A join that puts out more rows than it reads meets each hashed key many times; each match is a random access, where a
# merge join scans matches in sequence. TPC-DS 72 at SF1, 5 rows out per row in: 13 s merged, 115 s broadcast, 348 s
# hashed.
MAX_FAN_OUT = 1.5


@dataclass(frozen=True, slots=True)
class Build:
    """One join of one query with one side broadcast.

    `relation_bytes` is the hash relation's predicted size; gains are seconds of wall time: `static_gain` when planned
    so (no shuffle at all), `adaptive_gain` when AQE turns the join after its shuffles. `veto` says why it must not be,
    or is empty.
    """

    query: Query
    join: JoinSite
    side: BuildSide
    relation_bytes: int
    static_gain: float
    adaptive_gain: float
    added_seconds: float
    price_error: float = PRICE_ERROR
    veto: str = ""

    @property
    def build(self) -> JoinSide:
        return self.join.left if self.side is BuildSide.LEFT else self.join.right

    @property
    def probe(self) -> JoinSide:
        return self.join.right if self.side is BuildSide.LEFT else self.join.left

    @property
    def was_late(self) -> bool:
        """Whether the join ran as this broadcast already, when its sides had been shuffled."""
        return self.join.strategy is Strategy.BROADCAST_HASH


def sort_merge_builds(facts: Facts) -> Iterator[Build]:
    """Each side that could be broadcast of each join that ran as a sort merge join and was measured on both sides."""
    return (build for build in unbroadcast_builds(facts) if is_measured_sort_merge(build.query, build.join))


def unbroadcast_builds(facts: Facts) -> Iterator[Build]:
    """Each side that a higher threshold might broadcast, measured or not: also those of failed queries, under a veto.

    Only what `sort_merge_builds` has can gain; the others' gains are 0.
    """
    costs, cap, growth = facts.costs, facts.cap, facts.once(Growth)
    for query in facts.queries:
        for join in query.joins:
            if join.strategy in UNBROADCAST:
                for side in BROADCAST_SIDES.get(join.type, ()):
                    build = _price(query, join, side, facts.cluster, costs)
                    veto = _veto(build, cap, growth.factor(query, join, build.build))
                    yield replace(build, price_error=facts.price_error, veto=veto)


def late_broadcasts(facts: Facts) -> Iterator[Build]:
    """The joins that AQE made broadcasts only when their sides had been shuffled: a hint spares those shuffles.

    AQE plans anew at the end of each stage (AdaptiveSparkPlanExec.reOptimize): what a stage has written by then is read
    without being moved, but it was written.
    """
    costs, cap, growth, cores = facts.costs, facts.cap, facts.once(Growth), max(1, facts.cluster.cores)
    for query in facts.succeeded:
        for join in query.joins:
            side = join.build_side
            if side is None or join.strategy is not Strategy.BROADCAST_HASH or join.planned_strategy not in SHUFFLED:
                continue
            build, probe = (join.left, join.right) if side is BuildSide.LEFT else (join.right, join.left)
            if probe.shuffle_bytes is None or side not in BROADCAST_SIDES.get(join.type, ()):
                continue
            size = relation_bytes(build.rows or 0, build.shuffle_bytes or 0)
            gain = sum(_shuffling(each, costs) for each in (build, probe)) / cores
            found = Build(query, join, side, size, gain, 0.0, 0.0, facts.price_error)
            yield replace(found, veto=_veto(found, cap, growth.factor(query, join, build)))


def _shuffling(side: JoinSide, costs: UnitCosts) -> float:
    """Core seconds of the shuffle of a side; 0 where there was none."""
    rows = side.rows or 0 if side.shuffle_bytes is not None else 0
    return shuffle_core_seconds(side, costs) + rows * costs.shuffle_write_row / 1e9


def build_evidence(build: Build) -> tuple[Evidence, ...]:
    """The measured numbers of a build."""
    side, name = build.build, "+".join(short_name(r) for r in build.build.relations)
    sort_ms = (build.join.left.sort_ms or 0) + (build.join.right.sort_ms or 0)
    evidence = [
        Evidence("build side rows", side.rows or 0, "rows", name),
        Evidence("build side bytes", side.shuffle_bytes or 0, "bytes", name),
        Evidence("predicted hash relation", build.relation_bytes, "bytes", name),
        Evidence(
            "probe side rows", build.probe.rows or 0, "rows", "+".join(short_name(r) for r in build.probe.relations)
        ),
        Evidence("sort time", sort_ms / 1e3, "core seconds", "both sides"),
    ]
    if side.estimated_bytes is not None:
        evidence.append(Evidence("planner's estimate", side.estimated_bytes, "bytes", name))
    return tuple(evidence)


def capped(gain: float, before: float) -> float:
    """A gain no larger than what a query has to give: four fifths of its seconds."""
    return min(gain, 0.8 * before)


def predict(before: float, gain: float, builds: Iterable[tuple[Build, float]]) -> Prediction:
    """Seconds after, where each build gains so much of `gain`, which may be capped.

    What is saved and what is added are off by the prices' error, each for itself, so that their errors add in quadrature;
    those of several builds have the same prices in them, and add up.
    """
    found = list(builds)
    total = sum(saved for _, saved in found)
    error = max((build.price_error for build, _ in found), default=1.0)
    added = sum(build.added_seconds for build, _ in found)
    removed = max(0.0, total + added)
    share = gain / total if total > 0 else 1.0
    less = share * math.hypot(removed * (1 - 1 / error), added * (error - 1))
    more = share * math.hypot(removed * (error - 1), added * (1 - 1 / error))
    return Prediction(before, before - gain, max(0.0, before - gain - more), before - gain + less)


def _price(query: Query, join: JoinSite, side: BuildSide, cluster: Cluster, costs: UnitCosts) -> Build:
    build, probe = (join.left, join.right) if side is BuildSide.LEFT else (join.right, join.left)
    data = build.shuffle_bytes or 0
    size = relation_bytes(build.rows or 0, data)
    if not is_measured_sort_merge(query, join):
        return Build(query, join, side, size, 0.0, 0.0, 0.0)
    cores = max(1, cluster.cores)
    broadcast = broadcast_seconds(build, probe, data, cluster.executors, costs)
    merge = sort_merge_core_seconds(join, costs) / cores
    added = broadcast.serial + broadcast.probe_core / cores
    shuffles = (shuffle_core_seconds(join.left, costs) + shuffle_core_seconds(join.right, costs)) / cores
    return Build(query, join, side, size, merge + shuffles - added, merge - added, added)


def is_measured_sort_merge(query: Query, join: JoinSite) -> bool:
    """Whether a join ran as a sort merge join to its end and both sides were counted."""
    measured = join.left.rows is not None and join.right.rows is not None
    return join.strategy is Strategy.SORT_MERGE and measured and is_whole(query)


def _veto(build: Build, cap: BroadcastCap, growth: float) -> str:
    """Why a side must not be broadcast, now or once it has grown by this factor; empty where it may."""
    side, size = build.build, build.relation_bytes
    if reason := unmeasured(build.query, side):
        return reason
    if (side.rows or 0) * growth > MAX_BROADCAST_ROWS:
        return f"{side.rows} rows are more than a broadcast takes"
    if size * growth > cap.one_bytes:
        grown = f", {growth:.1f} times that in runs to come," if growth > 1 else ""
        return (
            f"its hash relation of {size} bytes{grown} is over the cap of {cap.one_bytes} bytes for a heap of "
            f"{cap.heap_bytes}"
        )
    return fans_out(build.join)


def unmeasured(query: Query, build: JoinSide) -> str:
    """Why the size of a side is not known; empty where it is."""
    if not is_whole(query):
        return "its query did not succeed"
    return "its rows and bytes were not measured" if build.rows is None or build.shuffle_bytes is None else ""


def fans_out(join: JoinSite) -> str:
    """Why a join must not be hashed for what it puts out; empty where it may."""
    if join.output_rows is None:
        return "its output was not measured"
    larger = max(join.left.rows or 0, join.right.rows or 0)
    if join.output_rows > MAX_FAN_OUT * larger:
        return f"it puts out {join.output_rows} rows for {larger} of its larger side"
    return ""
