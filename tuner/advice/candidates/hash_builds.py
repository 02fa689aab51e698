"""Which side of a sort merge join a shuffled hash join may build instead, and what that gains: what its levers share."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from tuner.advice.candidates.broadcast_builds import capped, fans_out, is_measured_sort_merge, unmeasured
from tuner.advice.candidates.growth import Growth
from tuner.advice.facts import Facts
from tuner.cost.operators import shuffled_hash_core_seconds, sort_core_seconds, sort_merge_core_seconds
from tuner.cost.unit_costs import UnitCosts
from tuner.model.change import Evidence, Prediction
from tuner.model.join_site import JoinSide, JoinSite
from tuner.model.query import Query, ShuffleExchange
from tuner.model.strategy import BuildSide, Strategy
from tuner.plan.relation import short_name
from tuner.spark.join_selection.build_sides import shuffled_hash_sides
from tuner.spark.join_selection.logical_join import LogicalJoin, Side
from tuner.spark.join_selection.selection_conf import SelectionConf
from tuner.spark.memory import relation_bytes
from tuner.units import format_bytes

# A log has no bytes of single partitions: the largest is taken to hold this many times the mean. AQE calls five times
# the median skewed (spark.sql.adaptive.skewJoin.skewedPartitionFactor) and only splits those of 256 MB and more.
SKEW = 5.0


@dataclass(frozen=True, slots=True)
class HashBuild:
    """One sort merge join of one query with one side hashed instead, after the same shuffles.

    `task_bytes` is the largest hash relation that a task would hold. Seconds are wall time: `merge_seconds` of sorting
    and merging on the CPU, of which the metric "sort time" has `sort_seconds`; `hash_seconds` of building and probing.
    Measured on Spark 4.3, TPC-DS 50 at SF1 (273k rows hashed instead of sorted with 2.7M), CPU seconds saved: 1.9, 1.2
    and 1.1 in three rounds on a busy machine; here 1.6, 2.1 and 1.3, at least 0.6, 1.1 and 0.4.
    `veto` says why it must not be, or is empty.
    """

    query: Query
    join: JoinSite
    side: BuildSide
    task_bytes: int
    merge_seconds: float
    sort_seconds: float
    hash_seconds: float
    veto: str = ""

    @property
    def build(self) -> JoinSide:
        return self.join.left if self.side is BuildSide.LEFT else self.join.right

    @property
    def probe(self) -> JoinSide:
        return self.join.right if self.side is BuildSide.LEFT else self.join.left

    @property
    def gain(self) -> float:
        return self.merge_seconds - self.hash_seconds

    @property
    def least_gain(self) -> float:
        """Only what was measured of the sort is saved, and the hash takes twice as long."""
        return self.sort_seconds - 2 * self.hash_seconds

    @property
    def most_gain(self) -> float:
        """The hash takes half as long."""
        return self.merge_seconds - self.hash_seconds / 2

    def is_much_smaller(self, conf: SelectionConf) -> bool:
        """Whether the probe side has `shuffledHashJoinFactor` times the bytes (JoinSelectionHelper.muchSmaller)."""
        build, probe = self.build.shuffle_bytes, self.probe.shuffle_bytes
        if build is None or probe is None:
            build, probe = self.build.rows or 0, self.probe.rows or 0
        return build * conf.factor <= probe


def hash_builds(facts: Facts) -> Iterator[HashBuild]:
    """Each side that a shuffled hash join may build of each join that ran as a sort merge join, measured or not."""
    conf, costs, cap, cores = facts.selection, facts.costs, facts.task_cap_bytes, max(1, facts.cluster.cores)
    growth = facts.once(Growth)
    for query in facts.queries:
        for join in query.joins:
            if join.strategy is Strategy.SORT_MERGE:
                for side in shuffled_hash_sides(LogicalJoin(join.type, Side(0), Side(0)), conf):
                    build = join.left if side is BuildSide.LEFT else join.right
                    room = int(cap / growth.factor(query, join, build))
                    yield _price(query, join, side, conf, costs, room, cores)


def hash_evidence(build: HashBuild, cap: int) -> tuple[Evidence, ...]:
    """The measured numbers of a build."""
    name, other = (_name(side) for side in (build.build, build.probe))
    return (
        Evidence("build side rows", build.build.rows or 0, "rows", name),
        Evidence("build side bytes", build.build.shuffle_bytes or 0, "bytes", name),
        Evidence("probe side rows", build.probe.rows or 0, "rows", other),
        Evidence("predicted hash relation of a task", build.task_bytes, "bytes", name),
        Evidence("memory a task may hash into", cap, "bytes"),
        Evidence("sort time", build.sort_seconds, "seconds", "both sides, on the CPU"),
    )


def predict_hashed(builds: Iterable[HashBuild]) -> Prediction:
    """Seconds of their queries after, in the interval that the least and the most gain of each build leave."""
    of_query: dict[int, list[HashBuild]] = {}
    for build in builds:
        of_query.setdefault(build.query.id, []).append(build)
    before = gain = least = most = 0.0
    for group in of_query.values():
        seconds = (group[0].query.duration_ms or 0) / 1e3
        before += seconds
        gain += capped(sum(b.gain for b in group), seconds)
        least += capped(sum(b.least_gain for b in group), seconds)
        most += capped(sum(b.most_gain for b in group), seconds)
    return Prediction(before, before - gain, before - most, before - least)


def task_relation_bytes(query: Query, join: JoinSite, build: JoinSide, conf: SelectionConf) -> int:
    """Bytes of the largest hash relation a task builds of this side.

    AQE joins neighbouring partitions until those of both sides have advisoryPartitionSizeInBytes as written
    (ShufflePartitionsUtil.coalescePartitions); where a shuffle is not known, one task gets it all.
    """
    shuffle, other = (shuffle_of(query, side) for side in (build, join.right if build is join.left else join.left))
    written = sum(s.written_bytes or 0 for s in (shuffle, other) if s)
    tasks = min(shuffle.partitions, written // max(1, conf.advisory_partition_bytes)) if shuffle else 1
    share = min(1.0, SKEW / tasks) if tasks > 1 else 1.0
    return relation_bytes(int((build.rows or 0) * share), int((build.shuffle_bytes or 0) * share))


def shuffle_of(query: Query, side: JoinSide) -> ShuffleExchange | None:
    """The shuffle that feeds a side, known by its data size."""
    return next((s for s in query.shuffles if side.shuffle_bytes and s.data_bytes == side.shuffle_bytes), None)


def _price(
    query: Query, join: JoinSite, side: BuildSide, conf: SelectionConf, costs: UnitCosts, cap: int, cores: int
) -> HashBuild:
    build, probe = (join.left, join.right) if side is BuildSide.LEFT else (join.right, join.left)
    size = task_relation_bytes(query, join, build, conf)
    veto = unmeasured(query, build) or _too_large(size, cap) or fans_out(join)
    if not is_measured_sort_merge(query, join):
        return HashBuild(query, join, side, size, 0.0, 0.0, 0.0, veto or "its probe side was not measured")
    # What was not sorted for this join had the order of a join below it: nothing is saved there.
    unsorted = sum(sort_core_seconds(s, costs) for s in (join.left, join.right) if s.sort_ms is None)
    measured = ((join.left.sort_ms or 0) + (join.right.sort_ms or 0)) / 1e3
    sort = measured * _busy(query)
    merge = sort_merge_core_seconds(join, costs) - unsorted - measured + sort
    hashed = shuffled_hash_core_seconds(build, probe, costs) + _resort_core_seconds(query, join, costs)
    return HashBuild(query, join, side, size, merge / cores, sort / cores, hashed / cores, veto)


def _busy(query: Query) -> float:
    """The share of its tasks' time that a query had a CPU: "sort time" counts waiting for one too, unit costs do not."""
    if not (query.executor_run_ms and query.executor_cpu_ms):
        return 1.0
    return min(1.0, query.executor_cpu_ms / query.executor_run_ms)


def _too_large(size: int, cap: int) -> str:
    return f"a task's hash relation of {format_bytes(size)} is over its {format_bytes(cap)}" if size > cap else ""


def _resort_core_seconds(query: Query, join: JoinSite, costs: UnitCosts) -> float:
    """Core seconds to sort what the join puts out, where a merge join above it relied on its order."""
    relations = sorted((*join.left.relations, *join.right.relations))
    relied = any(
        list(side.relations) == relations and side.sort_ms is None and side.shuffle_bytes is None
        for above in query.joins
        if above.strategy is Strategy.SORT_MERGE and above is not join
        for side in (above.left, above.right)
    )
    return (join.output_rows or 0) * (costs.sort + costs.sort_insert) / 1e9 if relied else 0.0


def _name(side: JoinSide) -> str:
    return "+".join(short_name(r) for r in side.relations)
