"""What a simulated query computes: CPU time, and the amounts of work of its stages.

Two stages scan, the one what stays as large as it is, the other what grows: whatever is in force, they do the same. The third
joins, and has all that changes save or cost. Amounts do not vary from night to night but with the input and the plan.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator

from tests.benchmarks.simulation.in_force import InForce
from tests.benchmarks.simulation.night import Execution, Night
from tests.benchmarks.simulation.world import factor
from tuner.cost.unit_costs import DEFAULT_COSTS
from tuner.model.action import ActionKind, Hint
from tuner.model.query_work import BroadcastWork, QueryWork, StageWork
from tuner.plan.query_work import Resource

# What a join takes of its query's work at least, and the driver of its seconds for a broadcast.
LEAST, DRIVER_SHARE = 0.02, 0.01
TASKS = 32
# Seconds of a query that no change touches: planning, scheduling, waiting. Five queries of the demo on a quiet machine (TPC-DS,
# SF 1) had 1.3 to 3, if what changes made of the rest is what they made of its CPU time (0.05 to 0.53 of it).
LATENCY_SECONDS, MOST_LATENCY = 2.0, 0.6
_PRICED = (
    (Resource.SCAN, DEFAULT_COSTS.scan),
    (Resource.SCAN, DEFAULT_COSTS.scan),
    (Resource.MERGE, DEFAULT_COSTS.merge),
)


def cpu_ms(night: Night, execution: Execution, in_force: Collection[InForce]) -> int:
    """CPU milliseconds of an execution's tasks, together."""
    query = execution.query
    usual = query.seconds * query.busy_cores * query.cpu_share
    parts = _parts(night, execution, _on_cpu(execution, in_force))
    return round(1e3 * usual * sum(parts) * night.cpu_machine * execution.cpu_chance)


def work_of(night: Night, execution: Execution, in_force: Collection[InForce]) -> QueryWork:
    """What each of its stages did; their tasks ran as long as the night made them."""
    core_seconds = execution.query.seconds * execution.query.busy_cores
    noise = night.machine * execution.chance
    took = [core_seconds * part * noise for part in _parts(night, execution, _on_cpu(execution, in_force))]
    does = core_seconds * execution.query.cpu_share
    amounts = [
        (resource, float(round(1e9 * does * part / price)))
        for part, (resource, price) in zip(
            _parts(night, execution, _on_work(execution, in_force)), _PRICED, strict=True
        )
    ]
    stages = tuple(
        StageWork(number, TASKS, round(1e3 * seconds), {resource: amount})
        for number, (seconds, (resource, amount)) in enumerate(zip(took, amounts, strict=True))
    )
    return QueryWork(stages, tuple(_broadcasts(night, execution, in_force)))


def _parts(night: Night, execution: Execution, left: float) -> tuple[float, float, float]:
    """The work of the three stages, as shares of the usual night's."""
    same, fixed = execution.query.untouched_share, execution.query.fixed_share
    load = night.load(execution)
    return same * fixed, same * (load - fixed), max(LEAST, left - same) * load


def _on_cpu(execution: Execution, in_force: Collection[InForce]) -> float:
    """What changes multiply CPU time by: more than seconds, of which they leave a query's latency as it is."""
    acting = [one.candidate for one in in_force if one.acts_on(execution)]
    if not acting:
        return 1.0
    on_clock = factor(execution, in_force)
    latency = min(LATENCY_SECONDS / execution.query.seconds, MOST_LATENCY * min(1.0, on_clock))
    return (on_clock - latency) / (1 - latency) * math.exp(sum(c.cpu_off for c in acting))


def _on_work(execution: Execution, in_force: Collection[InForce]) -> float:
    off = sum(one.candidate.work_off for one in in_force if one.acts_on(execution))
    return _on_cpu(execution, in_force) * math.exp(off)


def _broadcasts(night: Night, execution: Execution, in_force: Collection[InForce]) -> Iterator[BroadcastWork]:
    for action in (one.candidate.action for one in in_force if one.acts_on(execution)):
        if action.kind is ActionKind.HINT_JOIN and action.value == Hint.BROADCAST:
            build_ms = 1e3 * execution.query.seconds * DRIVER_SHARE * night.load(execution)
            rows = round(1e6 * build_ms / DEFAULT_COSTS.broadcast_build)
            noise = night.cpu_machine * execution.cpu_chance
            yield BroadcastWork(rows, 50 * rows, 0, round(build_ms * noise), 0)
