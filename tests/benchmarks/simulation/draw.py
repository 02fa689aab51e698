"""Worlds, drawn from a seed and a number alone."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from tests.benchmarks.simulation.scenario import SCENARIOS, Scenario
from tests.benchmarks.simulation.world import Candidate, Night, SimulatedQuery, World
from tuner.model.action import Action, ActionKind, Hint

MEDIAN_SECONDS, SECONDS_SPREAD, SHORTEST, LONGEST = 12.0, 1.0, 0.3, 300.0
HINTED, ORDERED, PROPERTIES = 0.4, 0.15, 2
# Of changes that an advisor might think of; among those it then advises the bad are fewer.
GAINING, IDLE = 0.35, 0.30
# Log seconds: how far off the advisor is. Operator times are within 1.67 for 90 % of queries (tests/benchmarks/REPORT.md),
# which is 0.31; what one change gains is less sure.
ADVICE_ERROR = 0.5
# A property reaches queries that it was not meant for, and then does something to them.
BYSTANDERS = 0.1
BACK_FILL = 10.0
# Log of factors: how far a change's effect on CPU time, and on work at fixed prices, is from its effect on seconds.
CPU_OFF, WORK_OFF = 0.1, 0.2
# CPU time takes this power of what a slow machine makes of seconds: neighbours wait for each other, and compute the same.
CPU_OF_SLOWNESS = 0.2


def draw(seed: int, number: int, nights: int) -> World:
    """The cohort of this number; its scenario is the next in turn."""
    chance = np.random.default_rng([seed, number])
    scenario = SCENARIOS[number % len(SCENARIOS)]
    queries = tuple(_queries(chance, scenario, nights))
    candidates = (*_on_queries(chance, scenario, queries), *_properties(chance, queries))
    plain = tuple(_with_words(seed, number, _nights(chance, scenario, queries, nights)))
    return _with_cpu(np.random.default_rng([seed, number, 2]), World(number, scenario, queries, candidates, plain))


def _with_words(seed: int, number: int, nights: Iterator[Night]) -> Iterator[Night]:
    """Drawn apart, so that all else is drawn as it was before failures said anything."""
    chance = np.random.default_rng([seed, number, 1])
    for night in nights:
        yield replace(night, words=float(chance.random()))


def _with_cpu(chance: np.random.Generator, world: World) -> World:
    """CPU time and work, drawn apart as well."""
    scenario, names = world.scenario, [query.fingerprint for query in world.queries]
    queries = tuple(
        replace(
            query,
            busy_cores=float(chance.uniform(1, 7)),
            cpu_share=float(chance.uniform(0.5, 0.95)),
            untouched_share=float(chance.uniform(0.05, 0.3)),
        )
        for query in world.queries
    )
    candidates = tuple(
        replace(c, cpu_off=float(chance.normal(0, CPU_OFF)), work_off=float(chance.normal(0, WORK_OFF)))
        for c in world.candidates
    )
    noise = np.exp(chance.normal(0, scenario.cpu_spread, (len(world.nights), len(names))))
    machine = np.exp(chance.normal(0, scenario.cpu_machine_spread, len(world.nights)))
    nights = tuple(
        replace(
            night,
            cpu_machine=float(machine[night.number]) * night.machine**CPU_OF_SLOWNESS,
            cpu_chance=dict(zip(names, map(float, noise[night.number]), strict=True)),
        )
        for night in world.nights
    )
    return replace(world, queries=queries, candidates=candidates, nights=nights)


def _queries(chance: np.random.Generator, scenario: Scenario, nights: int) -> Iterator[SimulatedQuery]:
    count = int(chance.integers(scenario.queries[0], scenario.queries[1] + 1))
    since, name = dict.fromkeys(range(count), 0), 0
    took = {slot: _seconds(chance) for slot in since}
    for night in range(1, nights + 1):
        for slot in list(since):
            # A change of code gives one query a new fingerprint, and other work.
            changed = night < nights and chance.random() < scenario.code_changes / count
            if changed or night == nights:
                input_bytes = int(10**9 * took[slot] / MEDIAN_SECONDS)
                yield SimulatedQuery(
                    f"q{name}", took[slot], input_bytes, float(chance.uniform(0, 0.4)), since[slot], night
                )
                since[slot], took[slot], name = night, took[slot] * float(chance.uniform(0.7, 1.4)), name + 1


def _seconds(chance: np.random.Generator) -> float:
    drawn = math.exp(chance.normal(math.log(MEDIAN_SECONDS), SECONDS_SPREAD))
    return min(LONGEST, max(SHORTEST, drawn))


def _on_queries(
    chance: np.random.Generator, scenario: Scenario, queries: Sequence[SimulatedQuery]
) -> Iterator[Candidate]:
    for name in (query.fingerprint for query in queries):
        if chance.random() < HINTED:
            true = _effect(chance)
            broken = chance.random() < scenario.breaks_per_broadcast
            hint = Action(ActionKind.HINT_JOIN, f"join of {name}", Hint.BROADCAST, name, ("dim",))
            fails_from = float(chance.uniform(1.3, 4.0)) if broken else math.inf
            yield Candidate(hint, (name,), {name: true}, _foretold(chance, true), fails_from)
        if chance.random() < ORDERED:
            true = _effect(chance)
            order = Action(ActionKind.ORDER_JOINS, f"block of {name}", "((a c) b)", name)
            yield Candidate(order, (name,), {name: true}, _foretold(chance, true))


def _properties(chance: np.random.Generator, queries: Sequence[SimulatedQuery]) -> Iterator[Candidate]:
    names = [query.fingerprint for query in queries]
    for number in range(int(chance.integers(0, PROPERTIES + 1))):
        true = _effect(chance)
        meant = [n for n in names if chance.random() < 0.4] or names[:1]
        others = {n: _effect(chance) for n in names if n not in meant and chance.random() < BYSTANDERS}
        moves = bool(chance.random() < 0.5)
        property_ = Action(ActionKind.SET_CONF, f"spark.sql.property{number}", "16000000")
        factors = {n: true * math.exp(chance.normal(0, 0.1)) for n in meant}
        yield Candidate(property_, tuple(meant), factors | others, _foretold(chance, true), moves=moves)


def _effect(chance: np.random.Generator) -> float:
    """The factor by which a change multiplies a query's seconds: gains, nothing, or losses."""
    kind = chance.random()
    if kind < GAINING:
        return math.exp(-chance.uniform(0.05, 1.2))
    return 1.0 if kind < GAINING + IDLE else math.exp(chance.uniform(0.05, 0.9))


def _foretold(chance: np.random.Generator, true: float) -> float:
    return true * math.exp(chance.normal(0, ADVICE_ERROR))


def _nights(
    chance: np.random.Generator, scenario: Scenario, queries: Sequence[SimulatedQuery], count: int
) -> Iterator[Night]:
    doubles = int(chance.integers(5, count + 5)) if chance.random() < scenario.doublings_per_cohort else count
    moves = int(chance.integers(5, count + 5)) if chance.random() < scenario.moves_per_cohort else count
    moved = float(chance.uniform(0.6, 1.6))
    noise = np.exp(chance.normal(0, scenario.query_spread, (count, len(queries))))
    strays = np.where(chance.random(noise.shape) < scenario.strays, chance.uniform(1.5, 3.0, noise.shape), 1.0)
    weekday = int(chance.integers(7))
    for number in range(count):
        scale = (1 + scenario.growth) ** number * (2.0 if number >= doubles else 1.0)
        scale *= 1 + scenario.season * math.sin(2 * math.pi * (number + weekday) / 7)
        scale *= BACK_FILL if chance.random() < scenario.back_fills and number else 1.0
        machine = math.exp(chance.normal(0, scenario.machine_spread))
        machine *= float(chance.uniform(1.5, 4.0)) if chance.random() < scenario.slow_nights else 1.0
        yield Night(
            number=number,
            scale=scale,
            machine=machine * (moved if number >= moves else 1.0),
            chance={q.fingerprint: float(v) for q, v in zip(queries, noise[number] * strays[number], strict=True)},
            start_up_seconds=float(chance.uniform(0.3, 1.5)),
            spark_version="4.1.0" if number >= moves else "4.0.1",
            cores=16 if number >= moves else 8,
            fails=bool(number and chance.random() < scenario.failures),
            got_to=float(chance.uniform(0.1, 0.9)),
            loses_log=bool(number and chance.random() < scenario.lost_logs),
        )
