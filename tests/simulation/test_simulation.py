"""Simulated cohorts: the same for a seed and a number, held against the same nights untuned, decided by the product."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import replace

import pytest

from tests.benchmarks.simulation.__main__ import differing, scored
from tests.benchmarks.simulation.alternatives import all_advice, best, gain_share, seconds_with
from tests.benchmarks.simulation.draw import draw
from tests.benchmarks.simulation.memory import InMemory
from tests.benchmarks.simulation.outcome import outcome_of
from tests.benchmarks.simulation.play import Try, play
from tests.benchmarks.simulation.report import as_json, table
from tests.benchmarks.simulation.scenario import SCENARIOS, Scenario
from tests.benchmarks.simulation.score import score
from tests.benchmarks.simulation.world import Candidate, Night, SimulatedQuery, World
from tuner.model.action import Action, ActionKind, Hint
from tuner.model.decision import Standing

NIGHTS = 12


def test_a_cohort_is_the_same_for_a_seed_and_a_number() -> None:
    assert draw(1, 4, NIGHTS) == draw(1, 4, NIGHTS)
    assert draw(1, 4, NIGHTS) != draw(2, 4, NIGHTS)
    assert scored(4, seed=1, runs=NIGHTS) == scored(4, seed=1, runs=NIGHTS)


def test_each_scenario_has_its_turn() -> None:
    found = [draw(1, number, NIGHTS).scenario for number in range(len(SCENARIOS))]
    assert found == list(SCENARIOS)


@pytest.mark.parametrize("number", range(7))
def test_without_advice_a_cohort_takes_what_it_takes(number: int) -> None:
    world = replace(draw(1, number, NIGHTS), candidates=())
    found = score(world, list(play(world, InMemory())))
    assert found.tuned == pytest.approx(found.untuned)
    assert found.oracle == found.all_advice == pytest.approx(found.untuned)
    assert (found.slower_runs, found.slower_queries, found.nights_to_gain) == (0, 0, None)


@pytest.mark.parametrize("number", range(14))
def test_nobody_beats_who_knows_the_true_effects(number: int) -> None:
    world = draw(1, number, NIGHTS)
    for night in world.nights:
        known = seconds_with(world, night, best(world, night))
        assert known <= seconds_with(world, night, ()) + 1e-9
        assert known <= seconds_with(world, night, all_advice(world, night)) + 1e-9


def test_the_store_and_its_path_decide_like_the_policy_alone() -> None:
    assert differing(len(SCENARIOS), seed=1, runs=6) == []


# --- Judgements, on a cohort of one gaining and one losing change ---

GAINS, LOSES = (Action(ActionKind.HINT_JOIN, "join", Hint.BROADCAST, query, ("dim",)) for query in ("q0", "q1"))


def world_of(*candidates: Candidate, nights: Sequence[Night] = ()) -> World:
    names = ("q0", "q1", "q2", "q3")
    queries = tuple(SimulatedQuery(name, 20.0, 10**9, 0.0, 0, 99) for name in names)
    quiet = [Night(n, 1.0, 1.0, dict.fromkeys(names, 1.0), 0.0) for n in range(NIGHTS)]
    changed = {night.number: night for night in nights}
    return World(0, Scenario("told"), queries, candidates, tuple(changed.get(n.number, n) for n in quiet))


def candidate(action: Action, factor: float, fails_from: float = math.inf) -> Candidate:
    assert action.query is not None
    return Candidate(action, (action.query,), {action.query: factor}, foretold=0.5, fails_from=fails_from)


def played(world: World) -> list[Try]:
    return list(play(world, InMemory()))


def test_what_gains_is_promoted_and_what_loses_goes_after_one_night() -> None:
    world = world_of(candidate(GAINS, 0.5), candidate(LOSES, 2.0))
    found = score(world, played(world))
    assert found.untuned == pytest.approx(80 * NIGHTS)
    assert found.tuned == pytest.approx(80 * NIGHTS - 10 * (NIGHTS - 1) + 20)
    assert (found.turns.trials, found.turns.rollbacks, found.turns.promotions) == (2, 1, 1)
    assert (found.turns.false_rollbacks, found.turns.false_promotions) == ({}, 0)
    assert (found.slower_runs, found.slower_queries, found.nights_to_gain) == (1, 1, 2)


def test_a_change_that_breaks_a_run_costs_what_the_run_had_taken() -> None:
    large = replace(world_of().nights[6], scale=3.0, got_to=0.5)
    world = world_of(candidate(GAINS, 0.5, fails_from=2.0), nights=[large])
    tries = played(world)
    found = score(world, tries)
    assert [t.by_tuner for t in tries if t.failed] == [True]
    assert (found.failed_by_tuner, found.slower_runs) == (1, 1)
    assert found.slower_seconds == pytest.approx(0.5 * 3 * 70)
    assert found.turns.false_rollbacks == {}


def test_a_gain_is_that_of_a_change_among_the_others() -> None:
    gains, loses = candidate(GAINS, 0.5), candidate(LOSES, 2.0)
    world = world_of(gains, loses)
    assert gain_share(world, world.nights[1], gains, [gains, loses]) == pytest.approx(0.5)
    assert gain_share(world, world.nights[1], loses, [gains]) == pytest.approx(-1.0)


def test_the_first_night_is_observed_and_advice_is_quiet_about_what_is_in_force() -> None:
    tries = played(world_of(candidate(GAINS, 0.5)))
    assert tries[0].in_force == ()
    assert [d.standing for d in tries[1].decision.changes] == [Standing.TRIAL]
    assert {d.standing for t in tries[2:] for d in t.decision.changes} == {Standing.PROMOTED}


# --- Evidence: what a run says of its work ---


def test_work_is_the_same_every_night_and_a_change_reaches_some_stages_of_its_query() -> None:
    gains = candidate(GAINS, 0.5)
    world = world_of(gains, nights=[replace(world_of().nights[1], machine=2.0, cpu_machine=1.3)])
    usual, slow = (outcome_of(world, world.nights[n], (), failed=False).queries[0] for n in (0, 1))
    changed = outcome_of(world, world.nights[0], (gains,), failed=False).queries[0]
    assert usual.work and slow.work and changed.work
    assert [s.amounts for s in slow.work.stages] == [s.amounts for s in usual.work.stages]
    assert slow.executor_run_ms == pytest.approx(2 * usual.executor_run_ms)
    assert slow.executor_cpu_ms == pytest.approx(1.3 * usual.executor_cpu_ms)
    assert changed.work.stages[:2] == usual.work.stages[:2]
    assert changed.executor_cpu_ms == pytest.approx(0.5 * usual.executor_cpu_ms)
    assert [len(q.work.broadcasts) for q in (usual, changed) if q.work] == [0, 1]


# --- The report ---


def test_a_table_and_a_document_for_each_scenario_and_all() -> None:
    found = [scored(number, seed=1, runs=6) for number in range(len(SCENARIOS))]
    names = [scenario.name for scenario in SCENARIOS]
    assert [str(column.header) for column in table(found, "title").columns] == ["", *names, "all"]
    document = json.loads(json.dumps(as_json(found)))
    assert list(document) == [*names, "all"]
    assert document["all"]["nights"] == 6 * len(SCENARIOS)
    assert document["all"]["untuned"] == pytest.approx(sum(document[name]["untuned"] for name in names))
