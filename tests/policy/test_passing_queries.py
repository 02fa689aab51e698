"""In a job whose new queries seldom come back, those that one run alone had are taken for passing."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tuner.model.decision import DecidedChange, Mode, Standing
from tuner.model.reason import ReasonCode
from tuner.model.run import Run, RunState
from tuner.model.verdict import Ruling
from tuner.policy.decide import decide
from tuner.policy.ledger import read_ledger
from tuner.policy.passing_queries import passing_queries

from .histories import conf, decided, hint, in_force, recommend, run, situation, verdict

PROPERTY = conf("spark.sql.shuffle.partitions", "64")


def night(number: int, *queries: str, state: RunState = RunState.SUCCEEDED) -> Run:
    return run(number, dict.fromkeys(queries, 10.0), state=state)


@pytest.mark.parametrize(
    ("nights", "passing"),
    [
        ([], set()),
        ([["daily", "once"]], set()),  # of its first run nothing is known
        ([["daily", "once"], ["daily", "new"]], set()),
        ([["daily"], ["daily", "one"], ["daily", "two"]], {"one", "two"}),
        ([["daily", "first"], ["daily", "one"], ["daily", "two"]], {"first", "one", "two"}),
        ([["daily"], ["daily", "edited"], ["daily", "edited"], ["daily", "edited again"]], set()),
        ([["daily"], ["one"], ["one", "two", "three"], ["one", "four"]], {"daily", "two", "three", "four"}),
        ([["daily"], ["one"], ["one", "two"], ["one", "three"]], set()),  # half of them came back
        ([["daily"], ["daily", "one"], ["daily", "two"], ["daily", "one"]], set()),
        ([["daily"], ["one"], ["two"], ["daily"]], {"one", "two"}),
    ],
)
def test_which_queries_pass(nights: list[list[str]], passing: set[str]) -> None:
    assert passing_queries([night(number, *queries) for number, queries in enumerate(nights)]) == passing


def test_runs_that_failed_tell_nothing_of_it() -> None:
    runs = [night(0, "daily"), night(1, "daily", "one"), night(2, "daily", "two", state=RunState.FAILED)]
    assert passing_queries([*runs, night(3, "daily", "three")]) == {"one", "three"}
    assert passing_queries([runs[0], runs[2], night(3, "daily", "three")]) == set()


def test_what_was_to_be_tried_on_a_query_that_passes_is_held_until_it_comes_back() -> None:
    tried = decided(hint("one"), queries=["one"])
    runs = [night(0, "daily"), night(1, "daily", "one"), run(2, {"daily": 10.0, "two": 10.0}, tried)]
    held = decide(situation(Mode.AUTO, 1, runs)).changes
    assert [(d.standing, d.held and d.held.code) for d in held] == [
        (Standing.HELD, ReasonCode.QUERIES_DO_NOT_COME_BACK)
    ]
    back = [*runs, run(3, {"daily": 10.0, "one": 10.0})]
    assert in_force(decide(situation(Mode.AUTO, 1, back))) == {tried.id}
    asked = [verdict(hint("one"), Ruling.APPROVE, night=2.5)]
    assert in_force(decide(situation(Mode.AUTO, 1, runs, (), asked))) == {tried.id}


def test_a_property_is_not_tried_where_no_query_comes_back() -> None:
    def found(*nights: list[str]) -> DecidedChange:
        advice = [recommend(PROPERTY, queries=nights[-1])]
        runs = [night(number, *queries) for number, queries in enumerate(nights)]
        (only,) = decide(situation(Mode.AUTO, 1, runs, advice)).changes
        return only

    assert found(["a"], ["b"]).standing is Standing.TRIAL
    held = found(["a"], ["b"], ["c", "d"])
    assert (held.standing, held.held and held.held.code) == (Standing.HELD, ReasonCode.QUERIES_DO_NOT_COME_BACK)
    assert found(["a", "daily"], ["b", "daily"], ["c", "d", "daily"]).standing is Standing.TRIAL


def test_a_property_is_not_tried_where_the_others_have_new_values_each_night() -> None:
    def with_values(number: int, *queries: str) -> Run:
        found = night(number, *queries)
        assert found.outcome is not None
        ran = tuple(replace(query, literals=f"night {number}") for query in found.outcome.queries)
        return replace(found, outcome=replace(found.outcome, queries=ran))

    runs = [with_values(number, "daily", f"once {number}") for number in range(4)]
    advice = [recommend(PROPERTY, queries=("daily", "once 3"))]
    assert in_force(decide(situation(Mode.AUTO, 1, runs, advice))) == set()
    same = [night(number, "daily", f"once {number}") for number in range(4)]
    assert in_force(decide(situation(Mode.AUTO, 1, same, advice))) == {PROPERTY.id}


def test_queries_that_pass_leave_no_run_without_a_property() -> None:
    """No run without it would tell what it does to them."""

    def with_it(number: int, seconds: float, standing: Standing) -> Run:
        queries = {"daily": seconds, f"once {number}": 30.0}
        return run(number, queries, decided(PROPERTY, standing, queries=["daily"]))

    before = [run(number, {"daily": 20.0, f"once {number}": 30.0}) for number in range(3)]
    runs = [*before, with_it(3, 10.0, Standing.TRIAL)]
    assert read_ledger(runs)[PROPERTY.id].now.standing is Standing.PROMOTED
    runs += [with_it(4 + number, 10.0, Standing.PROMOTED) for number in range(3)]
    assert read_ledger(runs)[PROPERTY.id].now.standing is Standing.PROMOTED
