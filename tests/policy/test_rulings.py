"""What a person ruled counts for the whole change, and for what does the same under another id."""

from __future__ import annotations

import pytest

from tuner.model.change import Change
from tuner.model.decision import Mode, Standing
from tuner.model.verdict import Ruling, Verdict
from tuner.policy.decide import decide
from tuner.policy.rulings import Rulings

from .histories import (
    Cohort,
    analyze,
    conf,
    decided,
    hint,
    recommend,
    reorder,
    run,
    situation,
    standings,
    told,
    verdict,
)

STATIC, ADAPTIVE = conf("spark.sql.static", "100"), conf("spark.sql.adaptive", "100")
MOVED = conf("spark.sql.adaptive", "104")
APPROVE, REJECT, PIN, ROLL_BACK = Ruling.APPROVE, Ruling.REJECT, Ruling.PIN, Ruling.ROLL_BACK
BASE = run(0, {"q1": 10, "q2": 10})
(BOTH,) = recommend(STATIC, ADAPTIVE)


def on_change(change: Change, ruling: Ruling, night: float = 0.9) -> Verdict:
    said = verdict(STATIC, ruling, night)
    return Verdict(said.cohort, change.id, ruling, said.by, said.at)


def ruling_on(change: Change, *verdicts: Verdict, known: Change = BOTH) -> Ruling | None:
    found = Rulings.of(verdicts, (known, change)).on(change)
    return found.ruling if found else None


def test_the_newest_counts() -> None:
    assert ruling_on(BOTH) is None
    assert ruling_on(BOTH, on_change(BOTH, REJECT), on_change(BOTH, APPROVE)) is APPROVE


@pytest.mark.parametrize(("first", "then"), [(REJECT, APPROVE), (ROLL_BACK, PIN), (APPROVE, REJECT)])
def test_no_to_one_part_is_no_to_the_whole(first: Ruling, then: Ruling) -> None:
    refusal = first if first in (REJECT, ROLL_BACK) else then
    assert ruling_on(BOTH, verdict(ADAPTIVE, first), verdict(STATIC, then)) is refusal
    assert ruling_on(BOTH, verdict(ADAPTIVE, first), verdict(STATIC, then), on_change(BOTH, APPROVE)) is APPROVE


@pytest.mark.parametrize("ruling", [REJECT, APPROVE])
def test_a_value_that_moves_a_little_is_ruled_on_already(ruling: Ruling) -> None:
    (moved,) = recommend(STATIC, MOVED)
    assert ruling_on(moved, on_change(BOTH, ruling)) is ruling
    (alone,) = recommend(ADAPTIVE)
    assert ruling_on(alone, on_change(BOTH, ruling)) is ruling
    (other,) = recommend(conf("spark.sql.other"))
    assert ruling_on(other, on_change(BOTH, ruling)) is None


def test_tables_that_only_people_analyse_can_be_refused() -> None:
    (tables,) = recommend(analyze())
    assert ruling_on(tables, verdict(analyze(), REJECT)) is REJECT


def test_what_was_pinned_in_part_and_taken_back_in_part_stays_out() -> None:
    verdicts = (verdict(ADAPTIVE, ROLL_BACK, 0.8), verdict(STATIC, PIN, 0.9))
    assert not decide(situation(Mode.AUTO, 1, [BASE], [[BOTH]], verdicts)).in_force


@pytest.mark.parametrize("said", [(PIN, APPROVE), (PIN, ROLL_BACK, APPROVE), (PIN, REJECT, APPROVE)])
def test_what_was_pinned_and_is_approved_since_is_judged_as_any_trial(said: tuple[Ruling, ...]) -> None:
    action = conf()
    runs = [BASE, *(run(n, {"q1": 10, "q2": 10}, decided(action, Standing.PINNED)) for n in (1, 2, 3))]
    verdicts = [verdict(action, ruling, 3.1 + n / 10) for n, ruling in enumerate(said)]
    for night in range(4, 9):
        found = decide(situation(Mode.AUTO, 1, runs, [recommend(action)], verdicts))
        assert "pinned" not in {told(d).split()[0] for d in found.changes}
        runs.append(run(night, {"q1": 40 if found.in_force else 10, "q2": 10}, *found.changes))
    assert [len(one.decision.in_force) for one in runs[4:]] == [1, 1, 0, 0, 0], "tried, borne out by a run without, out"


@pytest.mark.parametrize("fails", [False, True])
def test_what_lost_after_a_person_let_it_in_again_stays_out_when_that_is_long_ago(fails: bool) -> None:
    action = hint("q1")
    cohort = Cohort(
        {"q1": 10.0, "q2": 10.0}, (recommend(action),), {action.id: {"q1": 0.8 if fails else 2.0}}, window=20
    )
    cohort.night()
    cohort.verdicts.append(verdict(action, ROLL_BACK, 0.5))
    cohort.nights(4)
    cohort.verdicts.append(verdict(action, APPROVE, 4.5))
    cohort.nights(60, fails=lambda decision: fails and bool(decision.in_force))
    assert cohort.nights_in_force(action) == ([5, 7] if fails else [5])


# --- What is advised of a change that is in force in part ---


def test_advice_on_a_part_keeps_the_rest_in_force() -> None:
    """Advisors see what a run had: once the static threshold turned its joins, they advise the other alone."""
    proven = run(1, {"q1": 5, "q2": 10}, *decide(situation(Mode.AUTO, 1, [BASE], [[BOTH]])).changes)
    advice = [recommend(conf("spark.sql.adaptive", "300"), queries=["q2"])]
    runs = [BASE, proven]
    for night, took in ((2, 4.0), (3, 4.0), (4, 4.0)):
        decision = decide(situation(Mode.AUTO, 1, runs, advice if night == 2 else []))
        assert {a.target: a.value for a in decision.actions} == {"spark.sql.static": "100", "spark.sql.adaptive": "300"}
        runs.append(run(night, {"q1": 5, "q2": took}, *decision.changes))
    assert Standing.PROMOTED in standings(decide(situation(Mode.AUTO, 1, runs))).values()


def test_when_the_part_loses_the_whole_is_back() -> None:
    proven = run(1, {"q1": 5, "q2": 10}, *decide(situation(Mode.AUTO, 1, [BASE], [[BOTH]])).changes)
    advice = [recommend(conf("spark.sql.adaptive", "300"), queries=["q2"])]
    tried = decide(situation(Mode.AUTO, 1, [BASE, proven], advice))
    lost = run(2, {"q1": 5, "q2": 40}, *tried.changes)
    found = decide(situation(Mode.AUTO, 1, [BASE, proven, lost]))
    assert {a.value for a in found.actions} == {"100"}
    assert standings(found)[BOTH.id] is Standing.PROMOTED


def test_what_sets_the_same_to_the_same_value_is_no_rival() -> None:
    """Statistics, and Spark's reordering, which needs them: both switch its optimizer on."""
    on = conf("spark.sql.cbo.enabled", "true")
    advice = [recommend(on, conf("spark.sql.cbo.joinReorder.enabled", "true")), recommend(on, queries=["q2"])]
    verdicts = [on_change(change, APPROVE) for (change,) in advice]
    found = decide(situation(Mode.AUTO, 1, [BASE], advice, verdicts))
    assert {a.target for a in found.actions} == {"spark.sql.cbo.enabled", "spark.sql.cbo.joinReorder.enabled"}


# --- A hint whose order is out ---


@pytest.mark.parametrize("ruling", [REJECT, ROLL_BACK])
def test_a_hint_says_that_its_order_is_out(ruling: Ruling) -> None:
    order, called_for = reorder("q1"), hint("q1", "a join to come")
    lost = run(1, {"q1": 30, "q2": 10}, decided(order))
    verdicts = [verdict(order, ruling)]
    known = {"drivable": frozenset({order.kind, called_for.kind})}
    for runs, said in (([BASE], verdicts), ([BASE, lost], []), ([BASE, lost], [verdict(called_for, APPROVE, 2.0)])):
        found = decide(situation(Mode.AUTO, 1, runs, [recommend(order, called_for)], said, **known))
        (held,) = (d for d in found.changes if d.id == called_for.id)
        assert held.standing is Standing.HELD
        assert "it needs a new join order, which is " in told(held)
