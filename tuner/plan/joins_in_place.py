"""The joins of a plan with what hangs on their place in it: which tasks ran them, and what else relies on their shuffles."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from tuner.model.join_site import JoinSide, JoinSite, Reshuffle, WrittenFiles
from tuner.model.strategy import SHUFFLED
from tuner.plan.aggregate import AGGREGATES
from tuner.plan.fed_bytes import fed_bytes
from tuner.plan.joins import JOINS, JoinInput, every_join
from tuner.plan.measured_plan import MeasuredPlan
from tuner.plan.node import PlanNode, each_once, ran_as
from tuner.plan.query_work import running_stages
from tuner.plan.sides import feeding_shuffle, is_exchange, reused_exchanges
from tuner.plan.skewed_stages import needs_partitions
from tuner.plan.writes_files import WRITTEN_FILES

# Of what each command writes (BasicWriteJobStatsTracker).
_BYTES = "written output"
# What puts neighbouring partitions into one task, without a shuffle (CoalesceExec).
_COALESCE = "Coalesce"
# Operators that need the partitions of their input, not its order.
_HASHING = frozenset({"HashAggregate", "ObjectHashAggregate", "ShuffledHashJoin"})


def joins_in_place(plan: MeasuredPlan, joins: Iterable[JoinSite]) -> tuple[JoinSite, ...]:
    """These joins of a plan that ran to its end, with their tasks, what is above, and who reads their shuffles."""
    found = {(j.signature, j.occurrence): j for j in each_once(every_join(plan.root), lambda join: join.node)}
    names = {ran_as(join.node): name for name, join in found.items()}
    # A plan may show a join first where it is reused, without what is above the one that ran.
    ran = {ran_as(node): node for node in plan.operators if node.name in JOINS}
    again = reused_exchanges(plan.operators)

    def in_place(site: JoinSite) -> JoinSite:
        join = found[site.signature, site.occurrence]
        node = ran.get(ran_as(join.node), join.node)
        stages = running_stages(plan, node)
        return replace(
            site,
            left=_in_plan(site, site.left, join.left, again),
            right=_in_plan(site, site.right, join.right, again),
            core_ms=sum(stage.executor_run_time_ms for stage in stages) if stages else None,
            tasks=max((stage.tasks for stage in stages), default=None),
            reshuffle=_reshuffle(plan, site, node, names),
            written=_written(plan, node),
            coalesced_to=_coalesced_to(plan, node),
        )

    return tuple(map(in_place, joins))


def _in_plan(site: JoinSite, side: JoinSide, of: JoinInput, again: Mapping[frozenset[int], int]) -> JoinSide:
    shuffle = feeding_shuffle(of.node)
    if shuffle is not None:
        return replace(side, readers=1 + again.get(shuffle.counters, 0))
    if side.rows is None or site.strategy not in SHUFFLED:
        return side
    return replace(side, fed_bytes=fed_bytes(of.node, side.rows))


def _written(plan: MeasuredPlan, join: PlanNode) -> WrittenFiles | None:
    """The files that the tasks of a join's stage wrote."""
    for above in plan.above(join):
        if is_exchange(above):
            return None
        if WRITTEN_FILES in above.metrics:
            return WrittenFiles(above.metrics[WRITTEN_FILES], above.metrics.get(_BYTES, 0))
    return None


def _coalesced_to(plan: MeasuredPlan, join: PlanNode) -> int | None:
    """The tasks that the stage of a join is coalesced to; one where the plan does not tell how many."""
    for above in plan.above(join):
        if is_exchange(above):
            return None
        if above.name == _COALESCE:
            number = above.text.rpartition(" ")[2]
            return int(number) if number.isdecimal() else 1
    return None


def _reshuffle(
    plan: MeasuredPlan, site: JoinSite, join: PlanNode, names: Mapping[object, tuple[str, int]]
) -> Reshuffle | None:
    """An aggregate's first half leaves more groups of rows that are not together: the rows that come to it are told. What reads
    rows that are coalesced to one task has them together after any join."""
    rows, ordered = site.output_rows or 0, True
    for above in plan.above(join):
        if is_exchange(above) or above.name == _COALESCE:
            return None
        if needs_partitions(plan, above):
            return Reshuffle(rows, ordered and above.name not in _HASHING, names.get(ran_as(above)))
        ordered = ordered and above.name != "Sort"
        counted = plan.rows(above) if above.name not in AGGREGATES else None
        rows = rows if counted is None else counted // site.runs
    return None
