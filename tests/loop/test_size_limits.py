"""The sizes that hints and orders hold for are those of the executions that their values stand for."""

from __future__ import annotations

from dataclasses import replace

from tests.advice.blocks import DAYS_FIRST, NAMES, block, ordered
from tests.advice.joins import facts, inner, side
from tests.policy.histories import decided
from tuner.advice.facts import PastRun
from tuner.loop.size_limits import size_limits
from tuner.model.action import Action, ActionKind
from tuner.model.decision import Decision, Mode
from tuner.model.query import Query
from tuner.plan.order_text import order_text
from tuner.policy.known_queries import KnownQueries

ORDER = Action(ActionKind.ORDER_JOINS, "block", order_text(DAYS_FIRST, block()), "q1")
DELTA_BYTES, FULL_BYTES = 10**6, 10**8


def night(leaf_bytes: int, literals: str) -> Query:
    sides = [side(name, leaf_bytes=leaf_bytes) for name in NAMES]
    return replace(ordered(), joins=(inner(*sides[:2]), inner(*sides[2:])), literals=literals)


def most_bytes(*of_earlier: tuple[Query, ...]) -> list[int]:
    """The most bytes of one relation in each range, where the runs of the facts have the values that their logs told."""
    known = replace(
        facts(night(DELTA_BYTES, "day 2")),
        earlier=(PastRun((night(FULL_BYTES, "day 1"), night(FULL_BYTES, "another"))),),
    )
    newest = KnownQueries((night(DELTA_BYTES, "any day"),), of_earlier=of_earlier)
    one = replace(decided(ORDER), literals=("any day",), neutral=("shop.sales.day",))
    found = size_limits(known, Decision(Mode.AUTO, (one,)), newest).of_orders[ORDER.id]
    return [bounds[NAMES[0]].most for bounds in found]


def test_an_earlier_run_counts_by_the_class_that_its_values_are_of_now() -> None:
    latest, full = most_bytes((night(FULL_BYTES, "any day"),))
    assert DELTA_BYTES < latest < FULL_BYTES < full
    assert most_bytes((night(FULL_BYTES, "other days"),)) == [latest]


def test_runs_that_are_not_at_hand_with_their_classes_are_left_out() -> None:
    assert len(most_bytes()) == 1
