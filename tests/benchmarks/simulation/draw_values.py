"""The values of a query's filters, night by night."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from tests.benchmarks.simulation.scenario import Filters, Scenario
from tests.benchmarks.simulation.simulated_query import USUAL, SimulatedQuery, Values

FREQUENT, RARE, TENFOLD = "frequent", "rare", "tenfold"
# From one night to the next, the other of two values.
SWAPS = 0.15
TENANTS, TENANT_SPREAD, NEW_TENANTS, ABSENT = (8, 40), 1.0, 0.02, 0.05
IN_TURNS = (2, 5)
# Of values of all sizes, those with so many times the usual rows are what a change may do something else to; seconds follow rows
# by this power (of a stream's queries with other literals each night, seconds were spread by 0.23 and rows by more than 1.5).
LARGE_VALUES, SECONDS_BY_ROWS = 10.0, 0.2

# For each of a query's nights the values of its executions.
NightlyValues = Sequence[tuple[Values, ...]]


def draw_values(chance: np.random.Generator, scenario: Scenario, query: SimulatedQuery) -> NightlyValues:
    """Values of each night from the query's first to its last."""
    return tuple(_PATTERNS[scenario.filters](chance, scenario, query))


def _same(chance: np.random.Generator, scenario: Scenario, query: SimulatedQuery) -> Iterator[tuple[Values, ...]]:
    always = (Values(f"{query.fingerprint}.same"),)
    for _ in range(query.since, query.until):
        yield always


def _swapping(chance: np.random.Generator, scenario: Scenario, query: SimulatedQuery) -> Iterator[tuple[Values, ...]]:
    """Both read all files: a filter takes rows from what is read."""
    name = query.fingerprint
    now, other = Values(f"{name}.frequent", FREQUENT), Values(f"{name}.rare", RARE, float(chance.uniform(0.1, 0.6)))
    if chance.random() < 0.5:
        now, other = other, now
    for _ in range(query.since, query.until):
        yield (now,)
        if chance.random() < SWAPS:
            now, other = other, now


def _loop(chance: np.random.Generator, scenario: Scenario, query: SimulatedQuery) -> Iterator[tuple[Values, ...]]:
    """Tenants of all sizes; the filter picks partitions or rows, for all of a query alike."""
    by_partition = bool(chance.random() < 0.5)
    number = int(chance.integers(TENANTS[0], TENANTS[1] + 1))
    tenants = [_tenant(chance, query, n, by_partition) for n in range(number)]
    for _ in range(query.since, query.until):
        yield tuple(t for t in tenants if chance.random() >= ABSENT)
        for place in range(len(tenants)):
            if chance.random() < NEW_TENANTS:
                tenants[place] = _tenant(chance, query, number, by_partition)
                number += 1


def _in_turns(chance: np.random.Generator, scenario: Scenario, query: SimulatedQuery) -> Iterator[tuple[Values, ...]]:
    """As of a task that is mapped over tenants, or whose date picks one."""
    by_partition = bool(chance.random() < 0.5)
    number = int(chance.integers(IN_TURNS[0], IN_TURNS[1] + 1))
    tenants = [_tenant(chance, query, n, by_partition) for n in range(number)]
    for night in range(query.since, query.until):
        yield (tenants[night % number],)


def _tenant(chance: np.random.Generator, query: SimulatedQuery, number: int, by_partition: bool) -> Values:
    rows = min(20.0, math.exp(chance.normal(0, TENANT_SPREAD)))
    name = f"{query.fingerprint}.tenant{number}"
    return Values(name, name, rows, rows if by_partition else 1.0)


def _new(chance: np.random.Generator, scenario: Scenario, query: SimulatedQuery) -> Iterator[tuple[Values, ...]]:
    by_partition = bool(chance.random() < 0.5)
    for night in range(query.since, query.until):
        tenfold = chance.random() < scenario.tenfold
        rows = 10.0 if tenfold else 1 + scenario.week * math.sin(2 * math.pi * night / 7)
        counted = rows
        if scenario.values_spread:
            counted = math.exp(chance.normal(0, scenario.values_spread))
            rows, tenfold = counted**SECONDS_BY_ROWS, counted > LARGE_VALUES
        name = f"{query.fingerprint}.night{night}"
        yield (Values(name, TENFOLD if tenfold else USUAL, rows, rows if by_partition else 1.0, counted),)


_PATTERNS = {
    Filters.SAME: _same,
    Filters.SWAPPING: _swapping,
    Filters.LOOP: _loop,
    Filters.IN_TURNS: _in_turns,
    Filters.NEW: _new,
}
