"""Thirty nights of a job, good and bad advice, on a machine that is not the same every night."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import AT_LENGTH
from tuner.model.action import Action
from tuner.model.change import Change
from tuner.model.decision import IN_FORCE, DecidedChange, Decision, Mode, Standing
from tuner.model.run import Run, RunState
from tuner.model.verdict import Ruling, Verdict
from tuner.policy.decide import decide
from tuner.policy.evidence.comparison import MAX_TRIALS
from tuner.policy.rulings import Rulings
from tuner.policy.same_target import same_target
from tuner.words.decisions import decision_summary

from .histories import GB, Cohort, advised, conf, decided, hint, in_force, recommend, run, situation, told, verdict

GOOD, BAD, NEUTRAL = hint("q1"), hint("q2"), hint("q3")
SECONDS = {"q1": 20.0, "q2": 15.0, "q3": 30.0, "q4": 8.0, "q5": 12.0}
ADVICE = (recommend(GOOD), recommend(BAD, queries=["q2"]), recommend(NEUTRAL, queries=["q3"]))
EFFECTS = {GOOD.id: {"q1": 0.5}, BAD.id: {"q2": 1.8}}


@pytest.mark.parametrize("seed", range(20 if AT_LENGTH else 1))
@pytest.mark.parametrize(("noise", "machine_noise"), [(0.1, 0.0), (0.0, 0.1), (0.07, 0.07)])
def test_the_bad_is_in_force_once_and_the_good_stays(seed: int, noise: float, machine_noise: float) -> None:
    cohort = Cohort(SECONDS, ADVICE, EFFECTS, noise=noise, machine_noise=machine_noise, seed=seed)
    cohort.nights(30)
    assert len(cohort.nights_in_force(BAD)) <= 1
    assert cohort.nights_in_force(GOOD) == list(range(1, 30))


def test_of_many_instances_at_once_one_is_without_what_is_proven_to_compare() -> None:
    """A mapped task, or dates of a backfill: all of them are decided before one has told."""
    runs: list[Run] = []
    for night in range(6):
        begun: list[Run] = []
        for instance in range(21):
            decision = decide(situation(Mode.AUTO, 1, [*runs, *begun][-63:], [recommend(GOOD)]))
            under_way = run(night, None, *decision.changes, state=RunState.RUNNING)
            begun.append(replace(under_way, key=f"etl/{night}.{instance}/1"))
        without = [one for one in begun if GOOD.id not in in_force(one.decision)]
        assert len(without) == 20 if night == 1 else night < 1 or len(without) <= 1, night
        for one in begun:
            took = {"q1": 10.0 if GOOD.id in in_force(one.decision) else 20.0, "q2": 10.0}
            runs.append(replace(run(night, took, *one.decision.changes), key=one.key))
    assert any(one.decision.left_out_for_long for one in runs)


def test_what_does_nothing_goes_after_a_few_nights() -> None:
    stayed, seeds = 0, 20 if AT_LENGTH else 10
    for seed in range(seeds):
        cohort = Cohort(SECONDS, ADVICE, EFFECTS, noise=0.03, machine_noise=0.1, seed=seed)
        cohort.nights(30)
        stayed += len(cohort.nights_in_force(NEUTRAL)) > MAX_TRIALS + 1
    assert stayed <= seeds / 10


@pytest.mark.parametrize("seed", range(10 if AT_LENGTH else 1))
def test_a_property_that_speeds_all_queries_up_stays_where_no_query_can_tell_the_machine(seed: int) -> None:
    everywhere = conf()
    effects = {everywhere.id: dict.fromkeys(SECONDS, 0.6)}
    advice = (recommend(everywhere, queries=list(SECONDS)),)
    cohort = Cohort(SECONDS, advice, effects, noise=0.05, machine_noise=0.1, seed=seed)
    cohort.nights(30)
    assert cohort.nights_in_force(everywhere) == list(range(1, 30))


def test_what_lost_is_not_tried_again_though_its_run_is_forgotten() -> None:
    cohort = Cohort(SECONDS, ADVICE, EFFECTS, window=10)
    cohort.nights(60)
    assert len(cohort.nights_in_force(BAD)) == 1
    compared = {11, 22, 33, 44, 55}
    assert cohort.nights_in_force(GOOD) == [night for night in range(1, 60) if night not in compared]


def test_what_lost_does_not_creep_back_by_moving_its_number() -> None:
    seconds = {"q1": 20.0, "q2": 20.0}
    cohort = Cohort(seconds, (), {})
    for night in range(30):
        threshold = conf("spark.sql.threshold", str(18_000_000 + 400_000 * night))
        cohort.recommendations = (recommend(threshold),)
        cohort.effects = {threshold.id: {"q1": 2.0}}
        cohort.night()
    assert sum(bool(r.decision.in_force) for r in cohort.runs) == 1


def test_slow_growth_neither_promotes_nor_rolls_back() -> None:
    cohort = Cohort(SECONDS, ADVICE, EFFECTS, noise=0.05)
    for night in range(30):
        cohort.night(input_bytes=int(GB * 1.03**night))
    assert cohort.nights_in_force(GOOD) == list(range(1, 30))
    assert len(cohort.nights_in_force(BAD)) <= 2  # inputs have doubled by then


@pytest.mark.parametrize("machine", [1.7, 2.5, 4.0])
def test_a_slow_night_rolls_nothing_back(machine: float) -> None:
    cohort = Cohort(SECONDS, (recommend(GOOD),), EFFECTS, noise=0.05)
    cohort.nights(5)
    cohort.nights(3, machine=machine)
    cohort.nights(2)
    assert cohort.nights_in_force(GOOD) == list(range(1, 10))


def test_a_job_that_fails_with_it_without_a_word_runs_without_it_the_next_night_and_for_good_after_two() -> None:
    cohort = Cohort(SECONDS, (recommend(GOOD),), EFFECTS)
    cohort.nights(5)
    cohort.nights(10, fails=lambda decision: bool(decision.in_force))
    assert [n for n, r in enumerate(cohort.runs) if r.state is RunState.FAILED] == [5, 7]


def test_a_job_that_fails_anyway_loses_nothing() -> None:
    cohort = Cohort(SECONDS, (recommend(GOOD),), EFFECTS)
    cohort.nights(5)
    cohort.nights(2, fails=lambda _: True)
    cohort.nights(3)
    assert in_force(cohort.runs[-1].decision) == {GOOD.id}


# --- Whatever happened before: what must hold of every decision. ---

_ACTIONS = [hint("q1"), hint("q2"), conf(value="16"), conf(value="64"), conf("spark.sql.other", "true")]
_actions = st.sampled_from(_ACTIONS)
_queries = st.sampled_from(["q1", "q2", "q3"])


@st.composite
def _decided(draw: st.DrawFn) -> tuple[DecidedChange, ...]:
    chosen: list[Action] = []
    for action in draw(st.lists(_actions, max_size=4)):
        if not any(same_target(action, other) for other in chosen):
            chosen.append(action)
    return tuple(decided(a, draw(st.sampled_from(Standing)), tuple(draw(st.sets(_queries))), "1 s") for a in chosen)


@st.composite
def _runs(draw: st.DrawFn) -> list[Run]:
    found = []
    for night in range(draw(st.integers(0, 7))):
        state = draw(st.sampled_from(RunState))
        seconds = draw(st.none() | st.dictionaries(_queries, st.floats(0, 1000), max_size=3))
        failed = draw(st.lists(_queries, max_size=1))
        size = draw(st.sampled_from([0, GB, 3 * GB]))
        found.append(run(night, seconds, *draw(_decided()), state=state, input_bytes=size, failed=failed))
    return found


@st.composite
def _advice(draw: st.DrawFn) -> tuple[Change, ...]:
    # No advisor sets one thing twice in one change.
    places = st.lists(_actions, min_size=1, max_size=2, unique_by=lambda a: (a.kind, a.target, a.query, a.relations))
    actions = draw(places)
    return recommend(*actions, queries=sorted(draw(st.sets(_queries, min_size=1))), high=draw(st.floats(5, 20)))


_verdicts = st.lists(st.builds(verdict, _actions, st.sampled_from(Ruling), st.floats(0, 8)), max_size=4)


@given(_runs(), st.lists(_advice(), max_size=4), _verdicts, st.sampled_from(Mode), st.booleans())
def test_what_holds_of_every_decision(
    runs: list[Run], advice: list[tuple[Change, ...]], verdicts: list[Verdict], mode: Mode, failed: bool
) -> None:
    known = situation(mode, 2 if failed else 1, runs, advice, verdicts, earlier_try_failed=failed)
    found = decide(known)
    assert found == decide(known)
    _holds(found, mode, runs, advice, verdicts, failed)


def _holds(
    found: Decision,
    mode: Mode,
    runs: list[Run],
    advice: list[tuple[Change, ...]],
    verdicts: list[Verdict],
    failed: bool,
) -> None:
    decided = (d.change for r in runs for d in r.decision.changes)
    rulings = Rulings.of(verdicts, (*decided, *advised(*advice)))

    def word(change: Change) -> Ruling | None:
        """The newest ruling on a change."""
        verdict = rulings.on(change)
        return verdict.ruling if verdict else None

    # Who approves a change approves what comes with it.
    needed = {c.id: c for c in advised(*advice)}
    if mode is Mode.OBSERVE or failed or not any(r.outcome for r in runs):
        assert not found.in_force
    for position, action in enumerate(found.actions):
        assert not any(same_target(action, other) for other in found.actions[:position])
    for change in (d.change for d in found.in_force):
        assert word(change) not in (Ruling.REJECT, Ruling.ROLL_BACK)
        if mode is Mode.SUGGEST:
            said = {word(c) for c in (change, needed.get(change.needs)) if c}
            assert said & {Ruling.APPROVE, Ruling.PIN}
    ids = [d.id for d in found.changes]
    assert len(ids) == len(set(ids))
    assert all(told(d) for d in found.changes)
    assert decision_summary(found)
    assert all(d.standing is not Standing.PINNED or word(d.change) for d in found.changes) or any(
        d.standing is Standing.PINNED for r in runs for d in r.decision.changes
    )


@given(st.lists(st.floats(0.2, 5), min_size=3, max_size=15), st.floats(0.3, 3), st.integers(0, 9))
def test_what_was_rolled_back_never_comes_back_by_itself(machine: list[float], effect: float, seed: int) -> None:
    cohort = Cohort({"q1": 10.0, "q2": 10.0, "q3": 10.0}, (recommend(GOOD),), {GOOD.id: {"q1": effect}}, 0.1, seed=seed)
    out = False
    for speed in machine:
        decision = cohort.night(machine=speed).decision
        standing = {d.id: d.standing for d in decision.changes}.get(GOOD.id)
        assert not (out and standing in IN_FORCE)
        out = out or standing is Standing.ROLLED_BACK
