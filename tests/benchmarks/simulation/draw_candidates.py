"""The changes that an advisor may think of for a cohort: what they truly do, by values, and how far off the advisor is."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from tests.benchmarks.simulation.candidate import Candidate
from tests.benchmarks.simulation.draw_values import FREQUENT, RARE, TENFOLD, NightlyValues
from tests.benchmarks.simulation.scenario import Filters, Scenario
from tests.benchmarks.simulation.simulated_query import USUAL, SimulatedQuery, Values
from tuner.model.action import Action, ActionKind, Hint

HINTED, ORDERED, PROPERTIES = 0.4, 0.15, 2
# Of changes that an advisor might think of; among those it then advises the bad are fewer.
GAINING, IDLE = 0.35, 0.30
# Log seconds: how far off the advisor is, Student-t with few degrees of freedom. What 17 advised changes of three jobs (TPC-DS,
# Spark 4.3, `spark-tuner replay --backtest`) came to was half of the time within 0.22 of what was foretold, 5 times off by
# more than 0.65, and 7 times (of five in one job 3 times) within the interval, which is as wide as `CLAIMED_ERROR` makes it.
ADVICE_ERROR, ADVICE_FREEDOM, MOST_OFF = 0.3, 3, 1.5
# Log of factors: how far a change's effect on CPU time is from what its effect on seconds makes of that (`work`), and its effect
# on work at fixed prices from that on CPU time: of 21 queries whose plan changed (TPC-DS, SF 1, Spark 4.3) 8 were within 0.35,
# 16 within 0.66.
CPU_OFF, WORK_OFF = 0.25, 0.5
# Of a cohort's queries so many are what a property is meant for.
MEANT = 0.4
# A property reaches queries that it was not meant for, and then does something to them.
BYSTANDERS = 0.1
# What gains for one value loses for the other, and the other way about; else it does nearly the same.
TURNS, NEARLY_THE_SAME = 0.6, 0.15
# Of tenants, the largest lose by what gains for the others.
LARGE_LOSE, LARGE = 0.4, 3.0

ByQuery = Mapping[str, NightlyValues]


def draw_candidates(
    chance: np.random.Generator, scenario: Scenario, queries: Sequence[SimulatedQuery], values: ByQuery
) -> tuple[Candidate, ...]:
    """Changes of single queries, then properties."""
    found = (*_on_queries(chance, scenario, queries, values), *_properties(chance, scenario, queries))
    drawn = [
        replace(c, cpu_off=float(chance.normal(0, CPU_OFF)), work_off=float(chance.normal(0, WORK_OFF))) for c in found
    ]
    if scenario.drift:
        drawn = [replace(c, drift=float(chance.uniform(0, scenario.drift))) for c in drawn]
    return tuple(_meeting(chance, scenario, drawn) if scenario.interaction else drawn)


def _meeting(chance: np.random.Generator, scenario: Scenario, found: Sequence[Candidate]) -> Iterator[Candidate]:
    """The same, each with what it does besides where one of those before it is in force on the same query."""
    for place, one in enumerate(found):
        met = [other.target for other in found[:place] if not one.factors.keys().isdisjoint(other.factors)]
        yield replace(one, beside={target: math.exp(chance.normal(0, scenario.interaction)) for target in met})


def _on_queries(
    chance: np.random.Generator, scenario: Scenario, queries: Sequence[SimulatedQuery], values: ByQuery
) -> Iterator[Candidate]:
    for name in (query.fingerprint for query in queries):
        if chance.random() < HINTED:
            hint = Action(ActionKind.HINT_JOIN, f"join of {name}", Hint.BROADCAST, name, ("dim",))
            found = _on_one(chance, scenario, hint, name, values[name])
            broken = chance.random() < scenario.breaks_per_broadcast
            yield replace(found, fails_from=_fails_from(chance, scenario, values[name])) if broken else found
        if chance.random() < ORDERED:
            order = Action(ActionKind.ORDER_JOINS, f"block of {name}", "((a c) b)", name)
            yield _on_one(chance, scenario, order, name, values[name])


def _on_one(
    chance: np.random.Generator, scenario: Scenario, action: Action, name: str, values: NightlyValues
) -> Candidate:
    true, kinds = _effect(chance), {one.kind: one for night in values for one in night}
    by_kind = {(name, kind): factor for kind, factor in _BY_KIND[scenario.filters](chance, true, kinds)}
    return Candidate(action, (name,), {name: true}, _advice_error(chance), by_kind=by_kind)


def _fails_from(chance: np.random.Generator, scenario: Scenario, values: NightlyValues) -> float:
    """Of many tenants an advisor sees the largest; of two values it may have seen but the rare one."""
    first = 1.0
    if scenario.filters is Filters.LOOP:
        first = max((one.rows for one in values[0]), default=1.0)
    if scenario.filters is Filters.SWAPPING:
        first = min(one.rows for night in values for one in night)
    return first * float(chance.uniform(1.3, 4.0))


def _properties(
    chance: np.random.Generator, scenario: Scenario, queries: Sequence[SimulatedQuery]
) -> Iterator[Candidate]:
    names = [query.fingerprint for query in queries]
    for number in range(int(chance.integers(0, PROPERTIES + 1))):
        true = _effect(chance)
        share = 1.0 if scenario.properties_for_all else MEANT
        meant = [n for n in names if chance.random() < share] or names[:1]
        others = {n: _effect(chance) for n in names if n not in meant and chance.random() < BYSTANDERS}
        moves = bool(chance.random() < 0.5)
        property_ = Action(ActionKind.SET_CONF, f"spark.sql.property{number}", "16000000")
        factors = {n: true * math.exp(chance.normal(0, 0.1)) for n in meant}
        yield Candidate(property_, tuple(meant), factors | others, _advice_error(chance), moves=moves)


def _effect(chance: np.random.Generator) -> float:
    """The factor by which a change multiplies a query's seconds: gains, nothing, or losses."""
    kind = chance.random()
    if kind < GAINING:
        return math.exp(-chance.uniform(0.05, 1.2))
    return 1.0 if kind < GAINING + IDLE else math.exp(chance.uniform(0.05, 0.9))


def _advice_error(chance: np.random.Generator) -> float:
    off = ADVICE_ERROR * float(chance.standard_t(ADVICE_FREEDOM))
    return math.exp(min(MOST_OFF, max(-MOST_OFF, off)))


Kinds = Mapping[str, Values]


def _alike(chance: np.random.Generator, true: float, kinds: Kinds) -> Iterator[tuple[str, float]]:
    return iter(())


def _swapped(chance: np.random.Generator, true: float, kinds: Kinds) -> Iterator[tuple[str, float]]:
    yield FREQUENT, true
    yield RARE, _turned(chance, true) if chance.random() < TURNS else _nearly(chance, true)


def _by_tenant(chance: np.random.Generator, true: float, kinds: Kinds) -> Iterator[tuple[str, float]]:
    turns = chance.random() < LARGE_LOSE
    for kind, values in kinds.items():
        turned = turns and true < 1 and values.rows > LARGE
        yield kind, _turned(chance, true) if turned else _nearly(chance, true)


def _by_size(chance: np.random.Generator, true: float, kinds: Kinds) -> Iterator[tuple[str, float]]:
    yield USUAL, true
    yield TENFOLD, _turned(chance, true) if chance.random() < TURNS else _nearly(chance, true)


_BY_KIND = {
    Filters.SAME: _alike,
    Filters.SWAPPING: _swapped,
    Filters.LOOP: _by_tenant,
    Filters.IN_TURNS: _by_tenant,
    Filters.NEW: _by_size,
}


def _turned(chance: np.random.Generator, true: float) -> float:
    """A loss for a gain, up to 4-fold (as seen of an order on Spark 4.3), a gain for a loss."""
    if true == 1.0:
        return 1.0
    return math.exp(chance.uniform(0.2, 1.4)) if true < 1 else math.exp(-chance.uniform(0.05, 1.2))


def _nearly(chance: np.random.Generator, true: float) -> float:
    return true * math.exp(chance.normal(0, NEARLY_THE_SAME)) if true != 1.0 else 1.0
