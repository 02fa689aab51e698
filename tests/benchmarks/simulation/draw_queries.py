"""The queries of a cohort: how long they take, how much of that they compute, and when their code changes."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from tests.benchmarks.simulation.scenario import Filters, Scenario
from tests.benchmarks.simulation.simulated_query import SimulatedQuery

MEDIAN_SECONDS, SECONDS_SPREAD, SHORTEST, LONGEST = 12.0, 1.0, 0.3, 300.0
# One of many in a loop is shorter.
IN_LOOP = 0.3


def draw_queries(chance: np.random.Generator, scenario: Scenario, nights: int) -> tuple[SimulatedQuery, ...]:
    """Queries in the order in which a night runs them."""
    return tuple(_queries(chance, scenario, nights))


def _queries(chance: np.random.Generator, scenario: Scenario, nights: int) -> Iterator[SimulatedQuery]:
    count = int(chance.integers(scenario.queries[0], scenario.queries[1] + 1))
    since, name = dict.fromkeys(range(count), 0), 0
    took = {slot: _seconds(chance) * (IN_LOOP if scenario.filters is Filters.LOOP else 1.0) for slot in since}
    never_back = round(scenario.never_back * count)
    for night in range(1, nights + 1):
        for slot in list(since):
            # A change of code gives one query a new fingerprint, and other work.
            changed = slot < never_back or (night < nights and chance.random() < scenario.code_changes / count)
            if changed or night == nights:
                yield SimulatedQuery(
                    fingerprint=f"q{name}",
                    seconds=took[slot],
                    input_bytes=int(10**9 * took[slot] / MEDIAN_SECONDS),
                    fixed_share=float(chance.uniform(0, 0.4)),
                    since=since[slot],
                    until=night,
                    busy_cores=float(chance.uniform(1, 7)),
                    cpu_share=float(chance.uniform(0.5, 0.95)),
                    untouched_share=float(chance.uniform(0.03, 0.2)),
                    serial_share=float(chance.uniform(0.05, 0.4)),
                )
                since[slot], took[slot], name = night, took[slot] * float(chance.uniform(0.7, 1.4)), name + 1


def _seconds(chance: np.random.Generator) -> float:
    drawn = math.exp(chance.normal(math.log(MEDIAN_SECONDS), SECONDS_SPREAD))
    return min(LONGEST, max(SHORTEST, drawn))
