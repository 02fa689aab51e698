"""Worlds, drawn from a seed and a number alone."""

from __future__ import annotations

import numpy as np

from tests.benchmarks.simulation.draw_candidates import draw_candidates
from tests.benchmarks.simulation.draw_nights import draw_nights
from tests.benchmarks.simulation.draw_queries import draw_queries
from tests.benchmarks.simulation.draw_values import draw_values
from tests.benchmarks.simulation.scenario import SCENARIOS
from tests.benchmarks.simulation.world import World


def draw(seed: int, number: int, nights: int) -> World:
    """The cohort of this number; its scenario is the next in turn."""
    chance = np.random.default_rng([seed, number])
    scenario = SCENARIOS[number % len(SCENARIOS)]
    queries = draw_queries(chance, scenario, nights)
    values = {query.fingerprint: draw_values(chance, scenario, query) for query in queries}
    candidates = draw_candidates(chance, scenario, queries, values)
    return World(number, scenario, queries, candidates, draw_nights(chance, scenario, values, queries, nights, seed))
