"""Advisor: more shuffle partitions where an aggregate after a shuffle outgrew the memory of a task and sorted.

Its hash map (UnsafeFixedWidthAggregationMap) takes its rows several times over, so it outgrows a task long before the
shuffle itself looks too large. AQE would join small partitions again: nothing is advised that it would undo.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from tuner.advice.advisors.shuffle_partitions import (
    advise_shuffle_partitions,
    more_segments_seconds,
    most_partitions,
    predict_more_partitions,
)
from tuner.advice.candidates.coalescing import Coalescing
from tuner.advice.candidates.executions_in_full import executions_for_each
from tuner.advice.candidates.query_gain import is_worth_it, total_seconds
from tuner.advice.candidates.small_files import makes_small_files
from tuner.advice.facts import Facts
from tuner.model.action import Action, ActionKind
from tuner.model.change import Change, Evidence
from tuner.model.query import AggregateSite, Query, ShuffleExchange
from tuner.model.reason import Reason, ReasonCode
from tuner.spark.knobs import COALESCE_INITIAL_PARTITIONS, SHUFFLE_PARTITIONS
from tuner.spark.memory import relation_bytes

# Groups are not spread evenly over tasks, and there will be more of them tomorrow.
ROOM = 1.5


@dataclass(frozen=True, slots=True)
class _Fallback:
    """An aggregate after a shuffle that sorted: what that took in wall seconds, and the partitions it would need."""

    query: Query
    site: AggregateSite
    wanted: int
    seconds: float


def advise_aggregate_partitions(facts: Facts) -> Iterable[Change]:
    """At most one recommendation: as many partitions as the hash maps ask for. None where bytes already ask for more, or it
    would make small files."""
    if COALESCE_INITIAL_PARTITIONS in facts.settings or not facts.cluster.cores or advise_shuffle_partitions(facts):
        return
    current = max(1, facts.settings[SHUFFLE_PARTITIONS])
    found = [f for q in facts.succeeded for f in _fallbacks(facts, q, current)]
    if not found:
        return
    wanted = max(f.wanted for f in found)
    if makes_small_files(facts, current, wanted):
        return
    times = executions_for_each(facts.succeeded)
    saved = sum(f.seconds * times[f.query.fingerprint] for f in found)
    added = more_segments_seconds(facts, current, wanted)
    if is_worth_it(saved - added, facts.succeeded):
        yield _recommendation(facts, found, current, wanted, saved, added)


def _fallbacks(facts: Facts, query: Query, current: int) -> Iterator[_Fallback]:
    costs, cores = facts.costs, facts.cluster.cores
    cap = facts.task_memory_bytes
    for site in query.aggregates:
        shuffle = _shuffle_of(query, site, current)
        if shuffle is None or not site.fallback_tasks or not site.tasks or site.operator != "HashAggregate":
            continue
        wanted = _wanted(site, cap, cores, most_partitions(current))
        # With more partitions AQE makes of them as many tasks as bytes ask for: those must be more than now.
        if wanted < 2 * max(current, site.tasks) or Coalescing.of(facts).tasks([shuffle], wanted) < 2 * site.tasks:
            continue
        spill = site.spilled_bytes * (costs.shuffle_write + costs.shuffle_read)
        core_seconds = ((site.output_rows or 0) * costs.sort + spill) / 1e9
        share = min(1.0, site.fallback_tasks / site.tasks)
        yield _Fallback(query, site, wanted, min(0.5 * site.seconds * share, core_seconds / cores))


def _shuffle_of(query: Query, site: AggregateSite, current: int) -> ShuffleExchange | None:
    """The shuffle that feeds an aggregate, known by its bytes, if the property decides on its partitions."""
    if site.partial or not site.grouped or site.shuffle_bytes is None:
        return None
    return next((s for s in query.shuffles_of(current) if s.data_bytes == site.shuffle_bytes), None)


def _wanted(site: AggregateSite, cap: int, cores: int, most: int) -> int:
    """Partitions of which each one's hash map fits, a multiple of the cores, and no more than `most`."""
    groups, row_bytes = (site.output_rows or 0) * ROOM, (site.shuffle_bytes or 0) * ROOM
    partitions = cores
    while partitions < most and relation_bytes(int(groups / partitions), int(row_bytes / partitions)) > cap:
        partitions *= 2
    return min(most, math.ceil(partitions / cores) * cores)


def _recommendation(
    facts: Facts, found: list[_Fallback], current: int, wanted: int, saved: float, added: float
) -> Change:
    affected = [q for q in facts.succeeded if any(s.adjustable for s in q.shuffles)]
    before = total_seconds(affected)
    top = max(found, key=lambda f: f.seconds)
    size = relation_bytes(top.site.output_rows or 0, top.site.shuffle_bytes or 0)
    return Change.of(
        actions=(Action(ActionKind.SET_CONF, SHUFFLE_PARTITIONS.property, str(wanted)),),
        queries=tuple(dict.fromkeys(q.fingerprint for q in affected)),
        reason=Reason(
            ReasonCode.AGGREGATE_PARTITIONS,
            {
                "partitions": wanted,
                "partitions_before": current,
                "hash_map_bytes": size,
                "tasks": top.site.tasks,
                "gain_seconds": saved - added,
            },
        ),
        evidence=(
            Evidence("tasks that fell back to sorting", top.site.fallback_tasks or 0, "tasks", f"of {top.site.tasks}"),
            Evidence("hash maps of all tasks", size, "bytes"),
            Evidence("spilled", top.site.spilled_bytes, "bytes"),
            Evidence("sorting", saved, "seconds"),
            Evidence("more segments in all shuffles", added, "seconds"),
        ),
        prediction=predict_more_partitions(before, saved, added),
        risk=SHUFFLE_PARTITIONS.risk,
        advisor="aggregate_partitions",
    )
