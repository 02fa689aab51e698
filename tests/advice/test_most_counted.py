"""Of values that never ran, a broadcast is made of what Spark counts only while that is not many times what any run had."""

from __future__ import annotations

from tuner.advice.head_room import MOST_GROWTH
from tuner.advice.most_counted import most_counted
from tuner.model.action import Action, ActionKind, Hint
from tuner.model.join_site import JoinSide
from tuner.model.strategy import Strategy
from tuner.spark.memory import relation_bytes

from .joins import facts, inner, query, side

BY_ITSELF = facts().selection.threshold(measured=True)


def most(*builds: JoinSide, name: str = "dim", fingerprint: str = "q") -> int:
    joins = [inner(side("fact", rows=10**7), build, strategy=Strategy.SORT_MERGE) for build in builds]
    hint = Action(ActionKind.HINT_JOIN, joins[0].signature, Hint.BROADCAST, fingerprint, (name,))
    return most_counted(facts(*(query(join, fingerprint="q") for join in joins)), hint, [])


def test_the_largest_of_several_nights_counts() -> None:
    rows = (300_000, 200_000, 1_000)
    nights = [side("dim", rows=n, shuffle_bytes=100 * n) for n in rows]
    assert most(*nights) == int(MOST_GROWTH * relation_bytes(300_000, 30_000_000))


def test_what_was_broadcast_is_as_large_as_the_agent_counts_it_then() -> None:
    """A map of a million dense keys takes 40 MB; before it is built nobody knows that they are dense."""
    found = most(side("dim", rows=1_000_000, broadcast_bytes=40_000_000))
    assert found == int(MOST_GROWTH * relation_bytes(1_000_000, 40_000_000)) > 2 * MOST_GROWTH * 40_000_000


def test_what_spark_broadcasts_by_itself_is_never_too_much() -> None:
    assert most(side("dim", rows=10, shuffle_bytes=1_000)) == BY_ITSELF > 0


def test_nothing_is_known_of_a_side_that_no_run_had() -> None:
    there = side("dim", rows=10, shuffle_bytes=1_000)
    assert most(there, name="other") == most(there, fingerprint="other") == 0
