"""Queries of a made-up cluster, whose prices are known."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace

from tuner.cost.learned.query_samples import Sample
from tuner.cost.learned.unit_cost_fit import stage_nanoseconds
from tuner.cost.unit_costs import UnitCosts
from tuner.model.query_work import BroadcastWork, QueryWork, SortWork, StageWork

# The stages of most queries: what comes with what.
_KINDS = (
    ("scan", "filter", "probe", "emit", "aggregate", "shuffle_write", "shuffle_write_row"),
    ("scan", "project", "shuffle_write", "shuffle_write_row"),
    ("sort", "merge", "emit", "shuffle_read", "shuffle_segment"),
    ("hash_build", "probe", "emit", "shuffle_read", "shuffle_segment"),
    ("aggregate", "aggregate_function", "group", "shuffle_read"),
)
_LARGE = {"scan": 10, "shuffle_write": 30, "shuffle_read": 30, "shuffle_segment": 1e-4}


def night(
    costs: UnitCosts,
    queries: int = 40,
    seed: int = 7,
    noise: float = 0.1,
    odd: Callable[[StageWork], float] = lambda stage: 1.0,
) -> list[Sample]:
    """Queries of one to five stages that take what `costs` say, times `odd`, give or take `noise`."""
    chance = random.Random(seed)
    found = []
    for number in range(queries):
        stages = tuple(_stage(chance, i, costs, noise, odd) for i in range(chance.randint(1, 5)))
        core_ms = sum(stage.core_ms for stage in stages)
        rows = sum(int(stage.amounts.get("sort", 0)) for stage in stages)
        work = QueryWork(stages, (_broadcast(chance, costs),), SortWork(rows, round(rows * costs.sort / 1e6)))
        wall_ms = round(300 + 40 * len(stages) + 25 + 1.2 * core_ms / 4)
        found.append(Sample(f"q{number}", wall_ms, 4, work))
    return found


def _stage(
    chance: random.Random, number: int, costs: UnitCosts, noise: float, odd: Callable[[StageWork], float]
) -> StageWork:
    rows = 10 ** chance.uniform(4, 7)
    amounts = {name: rows * _LARGE.get(name, 1) * chance.uniform(0.3, 1) for name in chance.choice(_KINDS)}
    tasks = chance.randint(1, 20)
    stage = StageWork(number, tasks, 1, {**amounts, "task": tasks, "compile": len(amounts)})
    nanoseconds = float(stage_nanoseconds([stage], costs)[0]) * odd(stage) * chance.lognormvariate(0, noise)
    return replace(stage, core_ms=max(1, round(nanoseconds / 1e6)))


def _broadcast(chance: random.Random, costs: UnitCosts) -> BroadcastWork:
    rows = chance.randint(10_000, 1_000_000)
    size = rows * 40
    return BroadcastWork(rows, size, 5, round(rows * costs.broadcast_build / 1e6), round(size * costs.broadcast / 1e6))
