"""A cohort as it truly is: what its queries take each night, and what each change would make of that."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from tests.benchmarks.simulation.candidate import Candidate
from tests.benchmarks.simulation.in_force import InForce
from tests.benchmarks.simulation.night import Execution, Night
from tests.benchmarks.simulation.scenario import Scenario
from tests.benchmarks.simulation.simulated_query import SimulatedQuery


@dataclass(frozen=True, slots=True)
class World:
    """One cohort, drawn from (seed, number) alone."""

    number: int
    scenario: Scenario
    queries: tuple[SimulatedQuery, ...]
    candidates: tuple[Candidate, ...]
    nights: tuple[Night, ...]

    @property
    def cohort(self) -> str:
        """The name of its cohort."""
        return f"simulated.{self.number}"


def seconds(night: Night, in_force: Collection[InForce] = ()) -> tuple[float, ...]:
    """True seconds of each execution of a night, with these changes in force."""
    found = [night.seconds(execution) * factor(execution, in_force) for execution in night.executions]
    if found:
        found[0] += night.start_up_seconds
    return tuple(found)


def factor(execution: Execution, in_force: Iterable[InForce]) -> float:
    """What changes multiply an execution's seconds by, together."""
    acting = [one.candidate for one in in_force if one.acts_on(execution)]
    product = math.prod(candidate.factor(execution) for candidate in acting)
    for candidate in acting:
        if candidate.beside:
            product *= math.prod(candidate.beside.get(other.target, 1.0) for other in acting)
    return product


def breaks(night: Night, in_force: Iterable[InForce]) -> bool:
    """Whether a change makes the run fail that night."""
    return any(one.breaks(night) for one in in_force)
