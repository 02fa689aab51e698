"""Advisor: let AQE split the skewed partition of a join that is smaller than its threshold.

OptimizeSkewedJoin splits a partition that is larger than `skewedPartitionThresholdInBytes` (256 MB, as compressed) and
than `skewedPartitionFactor` (5) times the median, by ranges of map tasks, into pieces of the advisory size or of the
mean of the others, whichever is larger. It splits either side of an inner join, the left one of left outer, semi and anti
joins, and none of a full outer join. Only uneven bytes can be split: a task that took long over as many bytes as the
others is left alone. (optimizeSkewsInRebalancePartitions is on by default, and only reaches REBALANCE hints.)
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from tuner.advice.candidates.coalescing import Coalescing
from tuner.advice.candidates.query_gain import is_worth_it, total_gain, total_seconds
from tuner.advice.candidates.read_together import read_together
from tuner.advice.candidates.round_number import round_number
from tuner.advice.candidates.side_name import side_name
from tuner.advice.candidates.skewed_partition import SkewedPartition, skewed_partitions
from tuner.advice.facts import Facts
from tuner.cost.unit_costs import UnitCosts
from tuner.model.action import Action, ActionKind
from tuner.model.change import Change, Evidence, Prediction
from tuner.model.query import Query
from tuner.model.reason import Reason, ReasonCode
from tuner.model.strategy import SHUFFLED
from tuner.spark.knobs import (
    ADAPTIVE,
    ADVISORY_PARTITION_SIZE,
    FORCE_SKEWED_JOIN,
    SKEW_JOIN,
    SKEW_JOIN_FACTOR,
    SKEW_JOIN_THRESHOLD,
)

# Below the partition as measured, so that one that is smaller tonight is split, too.
SHRINK = 2
# Starting and ending one task, in wall seconds of a core.
TASK_SECONDS = 0.05
# The largest piece is that much larger than the mean of them: map tasks do not write evenly.
UNEVEN = 1.5
MIN_GAIN_SECONDS = 1.0
MIN_GAIN_SHARE = 0.02


@dataclass(frozen=True, slots=True)
class _Split:
    """A partition, the settings that split it, and the seconds of its stage then: expected, and at worst."""

    skewed: SkewedPartition
    pieces: int
    threshold: int
    advisory: int
    after: float
    worst: float


def advise_skew_joins(facts: Facts) -> Iterable[Change]:
    """At most one recommendation: the settings that split what pays. None where AQE, or its splitting, is off."""
    settings = facts.settings
    if not settings[ADAPTIVE] or not settings[SKEW_JOIN] or not facts.cluster.cores:
        return
    if settings.version < SKEW_JOIN.since:
        return
    # MERGE looks in each task by itself whether a row matches twice: a partition of what it is matched with must stay whole.
    if any(map(_may_change_a_table, facts.queries)):
        return
    # So must that of rows which the job's own code takes as tasks have them.
    if any(join.taken_as_it_lies and join.strategy in SHUFFLED for query in facts.queries for join in query.joins):
        return
    # Smaller tasks everywhere may cost more than the last of the splits gains: then only those that need none.
    options = [_splits(facts, Coalescing.of(facts).advisory_bytes)]
    # Of what they write, tasks that are smaller make more files: it is who reads these that pays.
    if not any(query.writes for queries in facts.of_all_runs for query in queries):
        options.insert(0, _splits(facts, 1))
    best = max(options, key=lambda splits: _gain(facts, splits))
    if best and is_worth_it(_gain(facts, best), facts.succeeded, MIN_GAIN_SECONDS, MIN_GAIN_SHARE):
        yield _recommendation(facts, best)


def _may_change_a_table(query: Query) -> bool:
    """Whether a join of a query has rows of the table that it changes beside it, or may: another engine's joins are not known."""
    return any(join.with_changed_table for join in query.joins) or (query.writes and query.has_other_joins)


def _splits(facts: Facts, least: int) -> list[_Split]:
    return [split for partition in skewed_partitions(facts) if (split := _split(facts, partition, least)) is not None]


def _split(facts: Facts, partition: SkewedPartition, least: int) -> _Split | None:
    """The settings that would split a partition into pieces of so many bytes at least; None where it was split, or cannot be."""
    if partition.reshuffles and facts.settings.version < FORCE_SKEWED_JOIN.since:
        return None
    threshold = facts.settings[SKEW_JOIN_THRESHOLD]
    force = facts.settings[FORCE_SKEWED_JOIN]
    if partition.bytes > threshold and (force or not partition.reshuffles):
        return None  # AQE saw it, and left it
    if partition.bytes <= _factor(facts) * partition.median_bytes:
        return None
    advisory = Coalescing.of(facts).advisory_bytes
    smallest = max(1, least, partition.median_bytes)
    pieces = min(partition.writers, facts.cluster.cores, int(partition.bytes // smallest))
    if pieces < 2:
        return None
    target = min(advisory, max(least, _round(partition.bytes / pieces)))
    cores, stage = facts.cluster.cores, partition.stage
    again = (pieces - 1) * _again(partition, facts.costs) + pieces * TASK_SECONDS
    again += _reshuffle(partition, facts.costs) if partition.reshuffles and not force else 0.0
    longest, work = stage.longest_task_ms / 1e3, stage.run_ms / 1e3
    after = max(longest / pieces + TASK_SECONDS, (work + again) / cores)
    worst = max(min(1.0, UNEVEN / pieces) * longest + TASK_SECONDS, (work + 2 * again) / cores) + again / cores
    return _Split(partition, pieces, min(threshold, _round(partition.bytes / SHRINK)), target, after, worst)


def _round(size: float) -> int:
    """A round number of bytes, at most a quarter below."""
    return round_number(max(1, int(0.75 * size)), max(1, int(size)))


def _factor(facts: Facts) -> float:
    return max(1.0, facts.settings[SKEW_JOIN_FACTOR])


def _again(partition: SkewedPartition, costs: UnitCosts) -> float:
    """Core seconds for one more piece to read and sort the other side's partition."""
    other = partition.other
    rows = (other.rows or 0) / partition.partitions
    data = (other.shuffle_bytes or 0) / partition.partitions
    return (data * costs.shuffle_read + rows * (costs.sort + costs.sort_insert + costs.merge)) / 1e9


def _reshuffle(partition: SkewedPartition, costs: UnitCosts) -> float:
    """Core seconds to shuffle what the join puts out: its rows no longer lie together for what comes after it."""
    sides = (partition.join.left, partition.join.right)
    width = sum((side.shuffle_bytes or 0) / max(1, side.rows or 0) for side in sides)
    return (partition.join.output_rows or 0) * width * (costs.shuffle_write + costs.shuffle_read) / 1e9


def _gain(facts: Facts, splits: Sequence[_Split], *, worst: bool = False) -> float:
    """Wall seconds that all of them gain, less what smaller tasks cost everywhere else."""
    gains = ((s.skewed.query, s.skewed.stage.seconds - (s.worst if worst else s.after)) for s in splits)
    return total_gain(gains) - (2 if worst else 1) * _more_tasks(facts, splits) * TASK_SECONDS / facts.cluster.cores


def _more_tasks(facts: Facts, splits: Sequence[_Split]) -> int:
    """Tasks that a smaller advisory size adds to the shuffles of all queries."""
    now = Coalescing.of(facts)
    then = replace(now, advisory_bytes=min([now.advisory_bytes, *(s.advisory for s in splits)]))
    read = [(those, those[0].partitions) for q in facts.queries for those in read_together(q, q.shuffles)]
    return sum(then.tasks(*one) - now.tasks(*one) for one in read)


def _recommendation(facts: Facts, splits: Sequence[_Split]) -> Change:
    top = max(splits, key=lambda s: s.skewed.stage.seconds - s.after)
    queries = {s.skewed.query.id: s.skewed.query for s in splits}
    before = total_seconds(queries.values())
    gain, stage = _gain(facts, splits), top.skewed.stage
    names = " with ".join(map(side_name, top.skewed.join.sides))
    low = max(0.0, before - gain - sum(s.after - s.skewed.stage.longest_task_ms / 1e3 / s.pieces for s in splits))
    return Change.of(
        actions=_actions(facts, splits),
        queries=tuple(dict.fromkeys(q.fingerprint for q in queries.values())),
        reason=Reason(
            ReasonCode.SKEW_JOIN,
            {
                "join": names,
                "tasks": stage.tasks,
                "longest_task_bytes": stage.longest_task_bytes,
                "longest_task_seconds": stage.longest_task_ms / 1e3,
                "mean_task_bytes": stage.mean_task_bytes,
                "mean_task_seconds": stage.mean_task_ms / 1e3,
                "pieces": top.pieces,
                "gain_seconds": gain,
            },
        ),
        evidence=(
            Evidence("longest task", stage.longest_task_ms / 1e3, "seconds"),
            Evidence("mean of the other tasks", stage.mean_task_ms / 1e3, "seconds", f"{stage.tasks} tasks"),
            Evidence("read by the longest task", stage.longest_task_bytes, "bytes"),
            Evidence("read by another task", stage.mean_task_bytes, "bytes"),
            Evidence("its stage", stage.seconds, "seconds"),
            Evidence("threshold so far", facts.settings[SKEW_JOIN_THRESHOLD], "bytes", SKEW_JOIN_THRESHOLD.property),
        ),
        prediction=Prediction(before, before - gain, low, before - _gain(facts, splits, worst=True)),
        risk=SKEW_JOIN_THRESHOLD.risk,
        advisor="skew_join",
    )


def _actions(facts: Facts, splits: Sequence[_Split]) -> tuple[Action, ...]:
    threshold, advisory = min(s.threshold for s in splits), min(s.advisory for s in splits)
    values: list[tuple[str, str]] = []
    if threshold < facts.settings[SKEW_JOIN_THRESHOLD]:
        values.append((SKEW_JOIN_THRESHOLD.property, str(threshold)))
    if advisory < Coalescing.of(facts).advisory_bytes:
        values.append((ADVISORY_PARTITION_SIZE.property, str(advisory)))
    if any(s.skewed.reshuffles for s in splits) and not facts.settings[FORCE_SKEWED_JOIN]:
        values.append((FORCE_SKEWED_JOIN.property, "true"))
    return tuple(Action(ActionKind.SET_CONF, key, value) for key, value in values)
