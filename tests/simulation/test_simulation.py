"""Simulated cohorts: the same for a seed and a number, held against the same nights untuned, decided by the product."""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.benchmarks.simulation.__main__ import differing, main, scored
from tests.benchmarks.simulation.alternatives import all_advice, best, ever_advised, gain_share, seconds_with
from tests.benchmarks.simulation.beside import beside
from tests.benchmarks.simulation.candidate import Candidate
from tests.benchmarks.simulation.draw import draw
from tests.benchmarks.simulation.draw_nights import draw_nights
from tests.benchmarks.simulation.in_force import InForce, everywhere
from tests.benchmarks.simulation.memory import InMemory
from tests.benchmarks.simulation.night import Execution, Night
from tests.benchmarks.simulation.outcome import outcome_of
from tests.benchmarks.simulation.play import Try, play
from tests.benchmarks.simulation.regret import regret_of
from tests.benchmarks.simulation.report import as_json, tables
from tests.benchmarks.simulation.scenario import SCENARIOS, Scenario
from tests.benchmarks.simulation.score import score
from tests.benchmarks.simulation.simulated_query import SimulatedQuery, Values
from tests.benchmarks.simulation.trace import trace
from tests.benchmarks.simulation.world import World, factor, seconds
from tuner.model.action import Action, ActionKind, Hint
from tuner.model.decision import Standing
from tuner.model.directive_result import DirectiveStatus
from tuner.model.failure import FailureKind
from tuner.model.query import QueryStatus

NIGHTS = 12


def test_a_cohort_is_the_same_for_a_seed_and_a_number() -> None:
    assert draw(1, 4, NIGHTS) == draw(1, 4, NIGHTS)
    assert draw(1, 4, NIGHTS) != draw(2, 4, NIGHTS)
    assert scored(4, seed=1, runs=NIGHTS) == scored(4, seed=1, runs=NIGHTS)


def test_each_scenario_has_its_turn() -> None:
    found = [draw(1, number, NIGHTS).scenario for number in range(len(SCENARIOS))]
    assert found == list(SCENARIOS)


@pytest.mark.parametrize("number", range(len(SCENARIOS)))
def test_without_advice_a_cohort_takes_what_it_takes(number: int) -> None:
    world = replace(draw(1, number, NIGHTS), candidates=())
    found = score(world, list(play(world, InMemory())))
    assert found.tuned == pytest.approx(found.untuned)
    assert found.oracle == found.all_advice == pytest.approx(found.untuned)
    assert (found.slower_runs, found.slower_queries, found.nights_to_gain) == (0, 0, None)


@pytest.mark.parametrize("number", range(2 * len(SCENARIOS)))
def test_nobody_beats_who_knows_the_true_effects(number: int) -> None:
    world = draw(1, number, NIGHTS)
    advised = ever_advised(world)
    for night in world.nights:
        known = seconds_with(night, best(advised, night))
        assert known <= seconds_with(night, ()) + 1e-9
        assert known <= seconds_with(night, all_advice(world, night)) + 1e-9


def test_the_store_and_its_path_decide_like_the_policy_alone() -> None:
    assert differing(len(SCENARIOS), seed=1, runs=6) == []


# --- Judgements, on a cohort of one gaining and one losing change ---

GAINS, LOSES = (Action(ActionKind.HINT_JOIN, "join", Hint.BROADCAST, query, ("dim",)) for query in ("q0", "q1"))


NAMES = ("q0", "q1", "q2", "q3")


def world_of(*candidates: Candidate, nights: Sequence[Night] = ()) -> World:
    queries = tuple(SimulatedQuery(name, 20.0, 10**9, 0.0, 0, 99) for name in NAMES)
    executions = tuple(Execution(query, Values(f"{query.fingerprint}.same")) for query in queries)
    quiet = [Night(n, 1.0, 1.0, executions) for n in range(NIGHTS)]
    changed = {night.number: night for night in nights}
    return World(0, Scenario("told"), queries, candidates, tuple(changed.get(n.number, n) for n in quiet))


def candidate(action: Action, factor: float, fails_from: float = math.inf) -> Candidate:
    assert action.query is not None
    return Candidate(action, (action.query,), {action.query: factor}, 0.5 / factor, fails_from)


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
    assert found.slower_by == {"lost: trial": 1}


def test_a_change_that_breaks_a_run_costs_what_the_run_had_taken() -> None:
    large = replace(world_of().nights[6], scale=3.0, got_to=0.5)
    world = world_of(candidate(GAINS, 0.5, fails_from=2.0), nights=[large])
    tries = played(world)
    found = score(world, tries)
    assert [t.by_tuner for t in tries if t.failed] == [True]
    assert (found.failed_by_tuner, found.slower_runs, found.slower_by) == (1, 1, {"made to fail": 1})
    assert found.slower_seconds == pytest.approx(0.5 * 3 * 70)
    assert found.turns.false_rollbacks == {}


def test_a_gain_is_that_of_a_change_among_the_others() -> None:
    gains, loses = candidate(GAINS, 0.5), candidate(LOSES, 2.0)
    world = world_of(gains, loses)
    both = everywhere([gains, loses])
    assert gain_share(world.nights[1], both[0], both) == pytest.approx(0.5)
    assert gain_share(world.nights[1], both[1], both[:1]) == pytest.approx(-1.0)


def test_the_first_night_is_observed_and_advice_is_quiet_about_what_is_in_force() -> None:
    tries = played(world_of(candidate(GAINS, 0.5)))
    assert tries[0].in_force == ()
    assert [d.standing for d in tries[1].decision.changes] == [Standing.TRIAL]
    assert {d.standing for t in tries[2:] for d in t.decision.changes} == {Standing.PROMOTED}


# --- Evidence: what a run says of its work ---


def test_work_is_the_same_every_night_and_a_change_reaches_some_stages_of_its_query() -> None:
    gains = candidate(GAINS, 0.5)
    world = world_of(gains, nights=[replace(world_of().nights[1], machine=2.0, cpu_machine=1.3)])
    usual, slow = (outcome_of(night, (), seconds(night)).queries[0] for night in world.nights[:2])
    changed = outcome_of(world.nights[0], everywhere([gains]), seconds(world.nights[0])).queries[0]
    assert usual.work and slow.work and changed.work
    assert [s.amounts for s in slow.work.stages] == [s.amounts for s in usual.work.stages]
    assert slow.executor_run_ms == pytest.approx(2 * usual.executor_run_ms)
    assert slow.executor_cpu_ms == pytest.approx(1.3 * usual.executor_cpu_ms)
    assert changed.work.stages[:2] == usual.work.stages[:2]
    # Two of twenty seconds are latency: eight of the other eighteen are left.
    assert changed.executor_cpu_ms == pytest.approx(8 / 18 * usual.executor_cpu_ms, rel=1e-4)
    assert [len(q.work.broadcasts) for q in (usual, changed) if q.work] == [0, 1]


# --- Values: a change acts on those that it may act on ---


def with_values(night: Night, literals: str, kind: str = "usual", rows: float = 1.0) -> Night:
    first = replace(night.executions[0], values=Values(literals, kind, rows))
    return replace(night, executions=(first, *night.executions[1:]))


def test_a_change_acts_on_the_values_that_it_was_measured_with_and_is_held_on_others() -> None:
    nights = [with_values(night, "others") for night in world_of().nights if night.number in (4, 5)]
    tries = played(world_of(candidate(GAINS, 0.5), nights=nights))
    assert [t.seconds[0] for t in tries[:6]] == [20.0, 10.0, 10.0, 10.0, 20.0, 10.0]
    held, then = (outcome_of(t.night, t.in_force, t.seconds).queries[0].directives for t in tries[4:6])
    assert [one.status for one in (*held, *then)] == [DirectiveStatus.HELD, DirectiveStatus.APPLIED]


def test_values_that_are_new_every_night_and_move_no_rows_are_learned_not_to_count() -> None:
    nights = [with_values(night, f"night {night.number}") for night in world_of().nights]
    tries = played(world_of(candidate(GAINS, 0.5), nights=nights))
    assert [t.seconds[0] for t in tries[:3]] == [20.0] * 3
    assert [t.seconds[0] for t in tries[6:]] == [10.0] * (NIGHTS - 6)


def test_the_oracle_takes_a_change_where_it_gains_and_all_advice_takes_it_everywhere() -> None:
    loses = {("q0", "rare"): 3.0}
    gains = replace(candidate(GAINS, 0.5), by_kind=loses)
    rare = with_values(world_of().nights[1], "q0.rare", "rare")
    world = world_of(gains, nights=[rare])
    assert ever_advised(world) == (gains,)
    assert best([gains], rare) == (InForce(gains, frozenset()),)
    assert seconds(rare, all_advice(world, rare))[0] == 60.0
    assert seconds(world.nights[2], best([gains], world.nights[2]))[0] == 10.0


def test_a_broadcast_fails_with_the_values_that_are_too_many_and_no_others() -> None:
    broken = candidate(GAINS, 0.5, fails_from=2.0)
    night = with_values(world_of().nights[1], "q0.large", rows=3.0)
    assert InForce(broken).breaks(night)
    assert not InForce(broken, frozenset({Values("q0.same").class_beside()})).breaks(night)


# --- Size, and other changes ---


def test_a_gain_that_follows_the_size_of_the_input_is_a_loss_once_that_has_grown() -> None:
    wears_off = replace(candidate(GAINS, 0.5), drift=1.0)
    usual, small, large = (replace(world_of().nights[1].executions[0], scale=scale) for scale in (1.0, 0.5, 3.0))
    assert [wears_off.factor(execution) for execution in (usual, small, large)] == [0.5, 0.5, 1.5]
    night = world_of().nights[1]
    grown = replace(night, executions=(large, *night.executions[1:]))
    assert best([wears_off], grown) == (InForce(wears_off, frozenset()),)
    assert ever_advised(world_of(wears_off, nights=[grown])) == (wears_off,)


def test_of_two_gains_that_cost_more_together_the_oracle_takes_the_larger() -> None:
    order = candidate(Action(ActionKind.ORDER_JOINS, "block", "((a c) b)", "q0"), 0.6)
    meets = replace(candidate(GAINS, 0.5), beside={order.target: 2.0})
    night, both = world_of().nights[1], everywhere([order, meets])
    assert factor(night.executions[0], both) == factor(night.executions[0], both[::-1]) == pytest.approx(0.6)
    assert factor(night.executions[0], both[:1]) == 0.6
    assert gain_share(night, both[0], both) == pytest.approx(-0.2)
    chosen = best([order, meets], night)
    assert [bool(one.classes) for one in chosen] == [False, True]
    changed = outcome_of(night, both, seconds(night, both)).queries[0]
    alone = outcome_of(night, both[:1], seconds(night, both[:1])).queries[0]
    assert changed.executor_cpu_ms == alone.executor_cpu_ms


@pytest.mark.parametrize(
    ("name", "told"), [("gains that wear off", "drift"), ("changes that meet", "beside"), ("quiet", None)]
)
def test_only_their_scenarios_have_them(name: str, told: str | None) -> None:
    first = [s.name for s in SCENARIOS].index(name)
    found = [c for n in range(6) for c in draw(1, first + n * len(SCENARIOS), NIGHTS).candidates]
    assert {field for field in ("drift", "beside") if any(getattr(c, field) for c in found)} == {told} - {None}


# --- Nights ---


def test_a_machine_stays_as_fast_as_it_is_for_some_nights() -> None:
    calm = replace(SCENARIOS[0], spells=6, slow_nights=0.0, machine_spread=0.0, moves_per_cohort=0.0)
    query = SimulatedQuery("q0", 20.0, 10**9, 0.0, 0, 200)
    values = {"q0": [(Values("q0.same"),)] * 200}
    nights = draw_nights(np.random.default_rng(1), calm, values, [query], 200, seed=1)
    changes = sum(one.machine != other.machine for one, other in itertools.pairwise(nights))
    assert 20 <= changes <= 50
    assert all(1.0 <= night.machine <= 1.7 for night in nights)


def test_more_cores_shorten_the_clock_and_not_the_work_of_processors() -> None:
    few, many = (replace(world_of().nights[0], cores=cores) for cores in (8, 32))
    slow, fast = (outcome_of(night, (), seconds(night)) for night in (few, many))
    assert fast.queries[0].seconds == pytest.approx((0.2 + 0.8 / 4) * slow.queries[0].seconds)
    assert fast.queries[0].executor_cpu_ms == slow.queries[0].executor_cpu_ms
    assert (fast.cluster.cores, slow.cluster.cores) == (32, 8)


def test_a_missing_input_fails_the_first_tries_of_all_policies() -> None:
    late = replace(world_of().nights[6], failing_tries=2, cause=FailureKind.INPUT_MISSING, got_to=0.25)
    tries = [t for t in played(world_of(nights=[late])) if t.night is late]
    assert [(t.failed, t.by_tuner) for t in tries] == [(True, False), (True, False), (False, False)]
    assert seconds_with(late, ()) == pytest.approx(80 * 1.5)
    assert all(q.status is QueryStatus.SUCCEEDED for q in outcome_of(late, (), (0.1, 0.2, 0.7, 0.3)).queries)
    failed = outcome_of(late, (), seconds(late), failed=True)
    assert failed.failure is not None and failed.failure.kind is FailureKind.INPUT_MISSING
    assert [q.status for q in failed.queries] == [QueryStatus.SUCCEEDED, QueryStatus.UNFINISHED]


def test_a_slow_night_of_all_is_slow_for_each_cohort() -> None:
    scenarios = [s.name for s in SCENARIOS]
    first = scenarios.index("slow nights of all")
    worlds = [draw(1, first + n * len(SCENARIOS), 40) for n in range(3)]
    slow = [{n.number for n in world.nights if n.machine > 1.4} for world in worlds]
    assert len(slow[0] & slow[1] & slow[2]) >= 2


# --- What is told of single cohorts ---


def test_regret_says_what_kept_a_gain_out_and_what_lost() -> None:
    world = world_of(candidate(GAINS, 0.5), candidate(LOSES, 2.0))
    tries, advised = played(world), ever_advised(world)
    assert regret_of(tries[0], advised) == {}
    assert regret_of(tries[1], advised) == pytest.approx({"lost: trial": 20.0})
    assert regret_of(tries[2], advised) == {}
    others = with_values(world.nights[4], "others")
    held = replace(tries[4], night=others, seconds=seconds(others, tries[4].in_force))
    assert regret_of(held, advised) == pytest.approx({"missed: other values": 10.0})


def test_a_trace_has_a_line_for_each_night_and_each_turn() -> None:
    lines = list(trace(world_of(candidate(GAINS, 0.5), candidate(LOSES, 2.0))))
    assert sum(line.startswith("night ") for line in lines) == NIGHTS
    assert [line for line in lines if "(truly -100%) trial" in line]
    assert [line for line in lines if "(truly +50%) promoted: " in line]


# --- The report ---


def test_a_table_and_a_document_for_each_scenario_and_all() -> None:
    found = [scored(number, seed=1, runs=6) for number in range(len(SCENARIOS))]
    names = [scenario.name for scenario in SCENARIOS]
    for table in tables(found, "title"):
        assert list(table.columns[0].cells) == [*names, "all"]
    document = json.loads(json.dumps(as_json(found)))
    both = beside(document, document)
    assert list(both.columns[0].cells) == [*names, "all"]
    assert all(" → " in cell for cell in both.columns[1].cells)
    assert len(both.columns) == 8
    others = document | {"quiet": document["quiet"] | {"untuned": document["quiet"]["untuned"] + 1}}
    assert list(beside(others, document).columns[1].cells) == ["other jobs", *list(both.columns[1].cells)[1:]]
    assert list(document) == [*names, "all"]
    assert document["all"]["nights"] == 6 * len(SCENARIOS)
    assert document["all"]["untuned"] == pytest.approx(sum(document[name]["untuned"] for name in names))


@pytest.mark.nightly
def test_some_cohorts_are_played_for_longer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written = tmp_path / "figures.json"
    options = ["--cohorts", "1", "--runs", "2", "--stored", "0", "--long", "1", "--json"]
    monkeypatch.setattr("sys.argv", ["simulation", *options, str(written)])
    assert main() == 0
    found = json.loads(written.read_text())
    assert {name: figures["nights"] for name, figures in found.items()} == {
        "quiet": 2,
        "all": 2,
        "all, 100 nights": 100,
    }
