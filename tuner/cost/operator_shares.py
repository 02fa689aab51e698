"""What each operator of a plan took of its stages' time on the clock."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass

from tuner.cost.unit_costs import DEFAULT_COSTS
from tuner.model.application import Stage
from tuner.plan.measured_plan import MeasuredPlan, wall_seconds
from tuner.plan.node import PlanNode, ran_as
from tuner.plan.query_work import Resource, operator_work, partitions, running_stages, shares_of
from tuner.plan.sides import SHUFFLES

_PRICES: Mapping[str, float] = asdict(DEFAULT_COSTS)
# What Spark times of an operator in its tasks, in how many parts of a millisecond, and the work that has then no price.
# Aggregation and hash joins are timed as well, but with all that brings them their rows.
_TIMED: tuple[tuple[str, float, Resource], ...] = (
    ("sort time", 1.0, Resource.SORT),
    ("scan time", 1.0, Resource.SCAN),
    ("shuffle write time", 1e6, Resource.SHUFFLE_WRITE),
    ("fetch wait time", 1.0, Resource.SHUFFLE_READ),
)


def operator_shares(plan: MeasuredPlan) -> dict[object, float]:
    """Seconds by operator (`ran_as`); nothing for those that no stage counted.

    Each stage's seconds are shared among the operators that ran in it: what Spark timed of an operator counts as timed, and the
    rest of the tasks' time goes by what each operator did, at usual prices. A broadcast has what the driver took to build and
    send it. The seconds of stages that ran at the same time add up to more than the clock's.
    """
    by_stage: defaultdict[tuple[int, int], list[_Part]] = defaultdict(list)
    stages: dict[tuple[int, int], Stage] = {}
    seconds: defaultdict[object, float] = defaultdict(float)
    for node in plan.operators:
        if node.name == "BroadcastExchange" and "time to build" in node.metrics:
            times = (node.metrics.get(name, 0) for name in ("time to build", "time to broadcast"))
            seconds[ran_as(node)] = sum(times) / 1e3
        for ran, work in _work(plan, node):
            timed, priced = _timed(node, work), _priced(node, work)
            for stage, share in shares_of(ran):
                key = stage.stage_id, stage.attempt
                stages[key] = stage
                by_stage[key].append(_Part(ran_as(node), timed * share, priced * share))
    for key, parts in by_stage.items():
        for part, share in zip(parts, _shares(parts, stages[key].executor_run_time_ms), strict=True):
            if share:
                seconds[part.operator] += share * wall_seconds(stages[key])
    return dict(seconds)


@dataclass(frozen=True, slots=True)
class _Part:
    """Of a stage, an operator's milliseconds as timed, and what the rest of its work costs."""

    operator: object
    timed: float
    priced: float


_Work = Mapping[Resource, float]


def _work(plan: MeasuredPlan, node: PlanNode) -> Iterator[tuple[tuple[Stage, ...], _Work]]:
    """The stages that ran an operator and what it did there: a shuffle is written in some and read in others."""
    if node.name in SHUFFLES:
        size, rows = node.metrics.get("data size", 0), node.metrics.get("shuffle records written", 0)
        writing = plan.stages(node)
        yield writing, {Resource.SHUFFLE_WRITE: size, Resource.SHUFFLE_WRITE_ROW: rows}
        yield tuple(s for s in plan.reading_stages(node) if s not in writing), {Resource.SHUFFLE_READ: size}
    elif node.name != "BroadcastExchange":
        ran = running_stages(plan, node)
        yield ran, _summed(operator_work(node, partitions(ran)))


def _summed(work: Iterable[tuple[Resource, float]]) -> _Work:
    found: defaultdict[Resource, float] = defaultdict(float)
    for resource, amount in work:
        found[resource] += amount
    return found


def _timed(node: PlanNode, work: _Work) -> float:
    return sum(node.metrics.get(metric, 0) / parts for metric, parts, resource in _TIMED if resource in work)


def _priced(node: PlanNode, work: _Work) -> float:
    """Nanoseconds at usual prices of what Spark did not time."""
    timed = {resource for metric, _, resource in _TIMED if node.metrics.get(metric)}
    found = sum(amount * _PRICES[resource] for resource, amount in work.items() if resource not in timed)
    # What Spark times of a sort leaves out copying rows into the sorter.
    return found + work.get(Resource.SORT, 0.0) * _PRICES["sort_insert"]


def _shares(parts: Sequence[_Part], core_ms: float) -> list[float]:
    """Of the stage's time, by part; together 1, or 0 where nothing is known of any."""
    timed, priced = sum(part.timed for part in parts), sum(part.priced for part in parts)
    whole = max(core_ms, timed) if priced else timed
    if not whole:
        return [0.0 for _ in parts]
    rest = whole - timed
    return [(part.timed + (rest * part.priced / priced if priced else 0.0)) / whole for part in parts]
