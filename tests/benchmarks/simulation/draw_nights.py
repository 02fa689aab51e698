"""The nights of a cohort: how large its input is, how fast the machine, what fails by itself."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from tests.benchmarks.simulation.draw_values import NightlyValues
from tests.benchmarks.simulation.night import USUAL_CORES, Execution, Night
from tests.benchmarks.simulation.scenario import Scenario
from tests.benchmarks.simulation.simulated_query import SimulatedQuery, Values
from tuner.model.failure import FailureKind

BACK_FILL = 10.0
# CPU time varies by so many seconds whatever a query takes: compilation, collecting garbage.
CPU_JITTER_SECONDS, MOST_CPU_JITTER = 0.15, 0.3
SLOWEST = (1.5, 4.0)
STRAY = (1.5, 3.0)
# How much longer machines of a slower band take: assumed.
BANDS = (1.0, 1.7)
# Shares of failures that are no change's and do not miss their input: what is known of them is that the job's own code and
# data fail more runs than memory does. The rest does not say why.
OWN_CODE, OWN_EXIT = 0.25, 0.17
# Drawn apart from all cohorts: the nights that are slow for each of them.
_FLEET = 10**9


def draw_nights(
    chance: np.random.Generator,
    scenario: Scenario,
    values: Mapping[str, NightlyValues],
    queries: Sequence[SimulatedQuery],
    count: int,
    seed: int,
) -> tuple[Night, ...]:
    """Nights from the first on."""
    doubles = int(chance.integers(5, count + 5)) if chance.random() < scenario.doublings_per_cohort else count
    moves = int(chance.integers(5, count + 5)) if chance.random() < scenario.moves_per_cohort else count
    moved = float(chance.uniform(0.8, 2.0))
    weekday = int(chance.integers(7))
    bands = _bands(chance, scenario, count)
    nights = []
    for number in range(count):
        scale = (1 + scenario.growth) ** number * (2.0 if number >= doubles else 1.0)
        scale *= 1 + scenario.season * math.sin(2 * math.pi * (number + weekday) / 7)
        scale *= BACK_FILL if chance.random() < scenario.back_fills and number else 1.0
        machine = math.exp(chance.normal(0, scenario.machine_spread)) * _slowness(chance, scenario, seed, number)
        machine *= bands[number]
        faster = moved if number >= moves else 1.0
        failing = bool(number and chance.random() < scenario.failures)
        nights.append(
            Night(
                number=number,
                scale=scale,
                machine=machine * faster,
                executions=_executions(chance, scenario, values, queries, number, scale),
                start_up_seconds=float(chance.uniform(0.3, 1.5)),
                spark_version="4.1.0" if number >= moves else "4.0.1",
                cores=_cores(chance, scenario, 2 * USUAL_CORES if number >= moves else USUAL_CORES),
                failing_tries=int(chance.integers(1, scenario.most_failing_tries + 1)) if failing else 0,
                cause=_cause(chance, scenario),
                got_to=float(chance.uniform(0.1, 0.9)),
                loses_log=bool(number and chance.random() < scenario.lost_logs),
                words=float(chance.random()),
                cpu_machine=faster
                * machine**scenario.cpu_of_slowness
                * math.exp(chance.normal(0, scenario.cpu_machine_spread)),
            )
        )
    return tuple(nights)


def _executions(
    chance: np.random.Generator,
    scenario: Scenario,
    values: Mapping[str, NightlyValues],
    queries: Sequence[SimulatedQuery],
    night: int,
    scale: float,
) -> tuple[Execution, ...]:
    running = [
        (query, one)
        for query in queries
        if query.since <= night < query.until
        for one in values[query.fingerprint][night - query.since]
    ]
    noise = np.exp(chance.normal(0, scenario.query_spread, len(running)))
    strays = np.where(chance.random(len(running)) < scenario.strays, chance.uniform(*STRAY, len(running)), 1.0)
    if scenario.slow_hours:
        strays = strays * _slow_hours(chance, scenario, len(running))
    on_cpu = strays**scenario.cpu_of_slowness
    cpu_noise = np.exp(chance.normal(0, [_cpu_spread(scenario, query, one) for query, one in running]))
    return tuple(
        Execution(query, one, float(noise[place] * strays[place]), float(cpu_noise[place] * on_cpu[place]), scale)
        for place, (query, one) in enumerate(running)
    )


def _slow_hours(chance: np.random.Generator, scenario: Scenario, count: int) -> np.ndarray:
    """What a stretch of a night's executions takes longer, all of them alike."""
    slow = np.ones(count)
    if chance.random() < scenario.slow_hours:
        first = int(chance.integers(0, count // 2 + 1))
        slow[first : first + max(1, count // 2)] = chance.uniform(*SLOWEST)
    return slow


def _cpu_spread(scenario: Scenario, query: SimulatedQuery, values: Values) -> float:
    usual = (
        query.seconds * query.busy_cores * query.cpu_share * (query.fixed_share + (1 - query.fixed_share) * values.rows)
    )
    return math.hypot(scenario.cpu_spread, min(MOST_CPU_JITTER, CPU_JITTER_SECONDS / usual))


def _slowness(chance: np.random.Generator, scenario: Scenario, seed: int, night: int) -> float:
    own = float(chance.uniform(*SLOWEST)) if chance.random() < scenario.slow_nights else 1.0
    if not scenario.slow_nights_of_all:
        return own
    fleet = np.random.default_rng([seed, _FLEET, night])
    slow = fleet.random() < scenario.slow_nights_of_all
    return own * (float(fleet.uniform(*SLOWEST)) if slow else 1.0)


def _bands(chance: np.random.Generator, scenario: Scenario, count: int) -> list[float]:
    """What each night takes longer on its machine, which stays for some nights."""
    if not scenario.spells:
        return [1.0] * count
    drawn = chance.uniform(*BANDS, count)
    stays = chance.random(count) >= 1 / scenario.spells
    found = [float(drawn[0])]
    for number in range(1, count):
        found.append(found[-1] if stays[number] else float(drawn[number]))
    return found


def _cores(chance: np.random.Generator, scenario: Scenario, usual: int) -> int:
    return int(chance.choice(scenario.cores)) if scenario.cores else usual


def _cause(chance: np.random.Generator, scenario: Scenario) -> FailureKind | None:
    drawn, missing = chance.random(), scenario.missing_inputs
    rest = (drawn - missing) / (1 - missing)
    if drawn < missing:
        return FailureKind.INPUT_MISSING
    if rest < OWN_CODE:
        return FailureKind.DATA_OR_CODE
    return FailureKind.OWN_EXIT if rest < OWN_CODE + OWN_EXIT else None
