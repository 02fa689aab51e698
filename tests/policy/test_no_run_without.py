"""A property reaches every query of its run, and values that came after it: what these take without it must be seen once."""

from __future__ import annotations

from dataclasses import replace

from tuner.model.decision import DecidedChange, Mode, Standing
from tuner.model.reason import ReasonCode
from tuner.model.run import Run
from tuner.policy.decide import decide
from tuner.policy.ledger import read_ledger

from .histories import conf, decided, in_force, recommend, run, situation

PROPERTY = conf("spark.sql.shuffle.partitions", "64")
A, B = "aaaa", "bbbb"


def night(number: int, values: str, seconds: float, standing: Standing | None = None) -> Run:
    """Of one query with these values, with the property where it stands somewhere."""
    changes = [decided(PROPERTY, standing, queries=["q1"])] if standing else []
    found = run(number, {"q1": seconds}, *changes)
    assert found.outcome is not None
    queries = tuple(replace(query, literals=values) for query in found.outcome.queries)
    return replace(found, outcome=replace(found.outcome, queries=queries))


def after(*runs: Run) -> DecidedChange:
    return read_ledger(runs)[PROPERTY.id].now


def test_a_trial_on_values_that_never_ran_without_it_waits_for_one_run() -> None:
    runs = [night(0, A, 10), night(1, B, 13, Standing.TRIAL)]
    waits = after(*runs)
    assert (waits.standing, waits.held and waits.held.code) == (Standing.HELD, ReasonCode.NO_RUN_WITHOUT)
    runs += [night(2, B, 10)]
    assert after(*runs).standing is Standing.TRIAL
    runs += [night(3 + n, B, 13, Standing.TRIAL) for n in range(2)]
    assert after(*runs).standing is Standing.ROLLED_BACK, "it loses on these"


def test_what_is_proven_on_some_values_goes_without_once_where_others_stay() -> None:
    proven = [night(0, A, 10), night(1, A, 5, Standing.TRIAL), night(2, A, 5, Standing.PROMOTED)]
    one = [*proven, night(3, B, 13, Standing.PROMOTED)]
    assert after(*one).standing is Standing.PROMOTED, "they may not come again"
    two = [*one, night(4, B, 13, Standing.PROMOTED)]
    assert after(*two).standing is Standing.HELD
    without = [*two, night(5, B, 10)]
    assert after(*without).standing is Standing.PROMOTED
    again = [*without, night(6, B, 13, Standing.PROMOTED)]
    assert after(*again).standing is Standing.HELD, "on these it lost for the first time"
    assert after(*again, night(7, B, 10)).standing is Standing.ROLLED_BACK


def test_values_that_never_come_again_hold_what_is_proven_no_longer_than_one_run() -> None:
    runs = [night(0, A, 10), night(1, A, 5, Standing.TRIAL)]
    runs += [night(2 + n, f"new {n}", 5, Standing.PROMOTED) for n in range(2)]
    assert after(*runs).standing is Standing.HELD
    runs += [night(4, "newer", 10), *(night(5 + n, f"other {n}", 5, Standing.PROMOTED) for n in range(4))]
    assert after(*runs).standing is Standing.PROMOTED


def test_a_property_is_not_tried_where_each_run_has_other_values() -> None:
    runs = [night(n, f"new {n}", 10) for n in range(3)]
    advised = situation(Mode.AUTO, 1, runs, [recommend(PROPERTY, queries=["q1"])])
    (found,) = decide(advised).changes
    assert (found.standing, found.held and found.held.code) == (
        Standing.HELD,
        ReasonCode.OTHER_VALUES_IN_EACH_RUN,
    )
    back = situation(Mode.AUTO, 1, [*runs, night(3, "new 1", 10)], [recommend(PROPERTY, queries=["q1"])])
    assert in_force(decide(back)) == {PROPERTY.id}


def test_a_property_that_names_no_query_is_tried() -> None:
    runs = [night(n, f"new {n}", 10) for n in range(3)]
    assert in_force(decide(situation(Mode.AUTO, 1, runs, [recommend(PROPERTY, queries=[])]))) == {PROPERTY.id}
