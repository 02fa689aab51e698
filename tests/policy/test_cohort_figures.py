"""A cohort's figures, from its runs."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tuner.model.decision import Standing
from tuner.model.directive_result import DirectiveResult, DirectiveStatus
from tuner.policy.cohort_figures import cohort_figures

from .histories import conf, decided, hint, run
from .test_savings import at_once, elastic, held

QUERIES = tuple(f"q{number}" for number in range(8))
PROPERTY = decided(conf(), Standing.PROMOTED, queries=QUERIES)


def test_a_gain_in_queries_that_run_at_once_is_worth_what_executors_held_less() -> None:
    nights = [run(n, dict.fromkeys(QUERIES, 100.0)) for n in range(3)]
    nights += [run(n, dict.fromkeys(QUERIES, 50.0), PROPERTY) for n in range(3, 13)]
    one_by_one, side_by_side = (
        cohort_figures([held(each, 8) for each in placed]) for placed in (nights, [at_once(night) for night in nights])
    )
    assert one_by_one and one_by_one.gained and side_by_side and side_by_side.gained
    assert side_by_side.gained.seconds == one_by_one.gained.seconds == pytest.approx(400, rel=0.05)
    assert one_by_one.gained.core_hours == pytest.approx(8 * 400 / 3600, rel=0.05)
    assert side_by_side.gained.core_hours == pytest.approx(8 * 50 / 3600, rel=0.05)


def test_seconds_that_more_cores_were_held_for_are_hardly_hours_gained() -> None:
    nights = [elastic(run(n, {"q1": 1000.0}), 100) for n in range(3)]
    found = cohort_figures([*nights, *(elastic(run(n, {"q1": 800.0}, PROPERTY), 125) for n in range(3, 13))])
    assert found and found.gained and found.gained.seconds == pytest.approx(200, rel=0.05)
    assert 0 <= (found.gained.core_hours or 0) < 0.25 * 125 * 200 / 3600


@pytest.mark.parametrize("status", [DirectiveStatus.HELD, DirectiveStatus.APPLIED])
def test_what_the_machine_took_where_every_change_was_held_is_no_loss(status: DirectiveStatus) -> None:
    slow = run(1, {"q1": 140.0, "q2": 70.0}, decided(hint("q1")))
    assert slow.outcome
    first, *others = slow.outcome.queries
    first = replace(first, directives=(DirectiveResult(hint("q1").id, status, "other values"),))
    found = cohort_figures(
        [run(0, {"q1": 100.0, "q2": 50.0}), replace(slow, outcome=replace(slow.outcome, queries=(first, *others)))]
    )
    assert found and found.query_seconds == 210.0
    assert (found.gained is None) == (status is DirectiveStatus.HELD)
