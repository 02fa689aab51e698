"""The sizes that hints and orders hold for are those of the executions that their values stand for."""

from __future__ import annotations

from dataclasses import replace

from tests.advice.blocks import DAYS_FIRST, NAMES, block, ordered
from tests.advice.joins import facts, inner, query, side
from tests.policy.histories import decided
from tuner.advice.facts import PastRun
from tuner.advice.most_together import most_together
from tuner.loop.size_limits import size_limits
from tuner.model.action import Action, ActionKind, Hint
from tuner.model.decision import Decision, Mode
from tuner.model.query import Query
from tuner.plan.order_text import order_text
from tuner.policy.known_queries import KnownQueries
from tuner.spark.memory import relation_bytes

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


def most_counted(*starts_ms: int) -> list[int]:
    """The most that a broadcast of each query may turn out to be; each query takes a second."""
    build = side("dim", rows=100_000, shuffle_bytes=10**6)
    joins = inner(side("fact", rows=10**7), build), inner(side("fact", rows=10**7), build, keys=(("fact.j", "dim.j"),))
    ran = [
        replace(query(joins[n], seconds=1.0, fingerprint=f"q{n}"), start_ms=at, literals="day")
        for n, at in enumerate(starts_ms)
    ]
    hints = [
        Action(ActionKind.HINT_JOIN, joins[n].signature, Hint.BROADCAST, f"q{n}", ("dim",)) for n in range(len(ran))
    ]
    decision = Decision(Mode.AUTO, tuple(replace(decided(one), literals=("day",)) for one in hints))
    found = size_limits(facts(*ran), decision, KnownQueries(tuple(ran))).counted
    return [found.get(hint.id, 0) for hint in hints]


def test_broadcasts_of_queries_that_run_at_once_may_grow_to_what_one_query_may_have() -> None:
    assert most_counted(0, 1000) == [0, 0]
    assert most_counted(0, 999) == [facts().cap.query_bytes // 2] * 2


def test_a_broadcast_may_be_as_large_as_it_was() -> None:
    small = replace(facts().cluster, driver_memory_bytes=400 << 20)
    build = side("dim", rows=100_000, shuffle_bytes=10**6)
    size = relation_bytes(100_000, 10**6)
    hint = Action(ActionKind.HINT_JOIN, "join", Hint.BROADCAST, "q", ("dim",))
    twice = [query(inner(side("fact", rows=10**7), build), fingerprint="q") for _ in range(2)]
    known = replace(facts(*twice), cluster=small)
    assert size > known.cap.query_bytes // 2
    assert most_together(known, {hint: size}) == {hint.id: size}
