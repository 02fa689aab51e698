"""What a simulated query computes: CPU time, and the amounts of work of its stages.

Two stages scan, the one what stays as large as it is, the other what grows: whatever is in force, they do the same. The third
joins, and has all that changes save or cost. Amounts do not vary from night to night but with the input and the plan.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator

from tests.benchmarks.simulation.world import Candidate, Night, SimulatedQuery
from tuner.cost.unit_costs import DEFAULT_COSTS
from tuner.model.action import ActionKind, Hint
from tuner.model.query_work import BroadcastWork, QueryWork, StageWork
from tuner.plan.query_work import Resource

# What a join takes of its query's work at least, and the driver of its seconds for a broadcast.
LEAST, DRIVER_SHARE = 0.02, 0.01
TASKS = 32


def cpu_ms(query: SimulatedQuery, night: Night, in_force: Collection[Candidate]) -> int:
    """CPU milliseconds of a query's tasks, together."""
    usual = query.seconds * query.busy_cores * query.cpu_share
    noise = night.cpu_machine * night.cpu_chance.get(query.fingerprint, 1.0)
    return round(1e3 * usual * sum(_parts(query, night, _on_cpu(query, in_force))) * noise)


def work_of(query: SimulatedQuery, night: Night, in_force: Collection[Candidate]) -> QueryWork:
    """What each of a query's stages did; their tasks ran as long as the night made them."""
    core_seconds = query.seconds * query.busy_cores
    noise = night.machine * night.chance[query.fingerprint]
    seconds = [core_seconds * part * noise for part in _parts(query, night, _on_cpu(query, in_force))]
    work = [core_seconds * query.cpu_share * part for part in _parts(query, night, _on_work(query, in_force))]
    priced = (
        (Resource.SCAN, DEFAULT_COSTS.scan),
        (Resource.SCAN, DEFAULT_COSTS.scan),
        (Resource.MERGE, DEFAULT_COSTS.merge),
    )
    stages = tuple(
        StageWork(number, TASKS, round(1e3 * took), {resource: float(round(1e9 * does / price))})
        for number, (took, does, (resource, price)) in enumerate(zip(seconds, work, priced, strict=True))
    )
    return QueryWork(stages, tuple(_broadcasts(query, night, in_force)))


def _parts(query: SimulatedQuery, night: Night, factor: float) -> tuple[float, float, float]:
    """The work of the three stages, as shares of the usual night's."""
    same, fixed = query.untouched_share, query.fixed_share
    load = fixed + (1 - fixed) * night.scale
    return same * fixed, same * (1 - fixed) * night.scale, max(LEAST, factor - same) * load


def _on_cpu(query: SimulatedQuery, in_force: Collection[Candidate]) -> float:
    name = query.fingerprint
    return math.prod(c.factors[name] * math.exp(c.cpu_off) for c in in_force if name in c.factors)


def _on_work(query: SimulatedQuery, in_force: Collection[Candidate]) -> float:
    name = query.fingerprint
    return math.prod(c.factors[name] * math.exp(c.work_off) for c in in_force if name in c.factors)


def _broadcasts(query: SimulatedQuery, night: Night, in_force: Collection[Candidate]) -> Iterator[BroadcastWork]:
    for candidate in in_force:
        action = candidate.action
        if action.kind is ActionKind.HINT_JOIN and action.value == Hint.BROADCAST and action.query == query.fingerprint:
            build_ms = 1e3 * query.seconds * DRIVER_SHARE * night.scale
            rows = round(1e6 * build_ms / DEFAULT_COSTS.broadcast_build)
            noise = night.cpu_machine * night.cpu_chance.get(query.fingerprint, 1.0)
            yield BroadcastWork(rows, 50 * rows, 0, round(build_ms * noise), 0)
