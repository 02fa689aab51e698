"""Queries are edited, and what was decided of their old texts is let go of, in time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import timedelta

import pytest

from tuner.history.documents import decision_document
from tuner.model.action import ActionKind
from tuner.model.change import Change
from tuner.model.decision import DecidedChange, Decision, Mode, Standing
from tuner.model.directive_result import DirectiveResult, DirectiveStatus
from tuner.model.run import Run, RunState
from tuner.model.verdict import Ruling, Verdict
from tuner.policy import long_away
from tuner.policy.decide import decide
from tuner.policy.long_away import LONGEST_AWAY, runs_away
from tuner.policy.situation import BY_SUBMIT

from .histories import MIDNIGHT, conf, decided, hint, in_force, recommend, reorder, run, situation, standings, verdict

HINT, ORDER = hint("old"), reorder("old")
LOST, PROVEN = (decided(HINT, of, queries=["old"]) for of in (Standing.ROLLED_BACK, Standing.PROMOTED))
# As many runs as a decision looks at.
WINDOW = 60


def next_of(runs: Sequence[Run], advice: Sequence[Sequence[Change]] = (), verdicts: Sequence[Verdict] = ()) -> Decision:
    return decide(
        situation(Mode.AUTO, 1, runs[-WINDOW:], advice, verdicts, drivable=BY_SUBMIT | {ActionKind.ORDER_JOINS})
    )


def nights_without(count: int, *before: Run, verdicts: Sequence[Verdict] = ()) -> list[Run]:
    """Runs of another query, as they are decided one after the other."""
    runs = list(before)
    for number in range(len(before), len(before) + count):
        runs.append(run(number, {"new": 10.0}, *next_of(runs, verdicts=verdicts).changes))
    return runs


def with_old(number: int, *changes: DecidedChange) -> Run:
    return run(number, {"old": 10.0, "new": 10.0}, *changes)


def released(number: int, times: float, window: int) -> list[int]:
    """Bytes of the decisions for a job whose query is another in every fourth night, and takes so many times as long with its
    hint. A decision looks at as many runs as given."""
    runs: list[Run] = []
    sizes = []
    for night in range(4 * number):
        query = f"release {night // 4}"
        found = next_of(runs[-window:], [recommend(hint(query), queries=[query])] if night % 4 else [])
        took = 10.0 * times if hint(query).id in in_force(found) else 10.0
        runs.append(run(night, {query: took, "usual": 10.0}, *found.changes))
        sizes.append(len(decision_document(runs[-1].key, found)))
    return sizes


@pytest.mark.parametrize("times", [0.5, 2.0])
def test_decisions_do_not_grow_with_each_release(times: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of 26 fortnights, at 60 runs, the last decision has 4.6 KB, and had 23 KB."""
    monkeypatch.setattr(long_away, "LONGEST_AWAY", 12)
    sizes = released(16, times, window=12)
    assert max(sizes[-12:]) < 1.1 * max(sizes[:20])
    monkeypatch.setattr(long_away, "LONGEST_AWAY", 10**6)
    assert max(released(16, times, window=12)) > 2 * max(sizes)


@pytest.mark.parametrize("known", [LOST, PROVEN])
def test_what_is_let_go_of_is_known_for_as_long_again(known: DecidedChange) -> None:
    """A query that comes back finds its change where it stood; what comes back later still is tried anew."""
    advice = [recommend(HINT, queries=["old"])]
    before = nights_without(LONGEST_AWAY - 1, with_old(0, known))
    assert standings(next_of(before)) == {HINT.id: known.standing}
    gone = nights_without(1, *before)
    assert standings(next_of(gone)) == {}
    for more, then in ((0, known.standing), (LONGEST_AWAY - 5, known.standing), (LONGEST_AWAY + 5, Standing.TRIAL)):
        runs = nights_without(more, *gone)
        assert next_of(runs).changes == ()
        assert standings(next_of([*runs, with_old(len(runs))], advice)) == {HINT.id: then}


@pytest.mark.parametrize("ruling", [Ruling.PIN, Ruling.APPROVE])
def test_what_people_ruled_on_is_not_let_go_of(ruling: Ruling) -> None:
    said = [verdict(HINT, ruling)]
    runs = nights_without(LONGEST_AWAY + 5, with_old(0, PROVEN), verdicts=said)
    assert set(standings(next_of(runs, verdicts=said))) == {HINT.id}


def test_nor_is_a_property_that_reaches_all_queries() -> None:
    runs = nights_without(LONGEST_AWAY + 5, with_old(0, decided(conf(), Standing.ROLLED_BACK, queries=["old"])))
    assert set(standings(next_of(runs))) == {conf().id}


def test_nor_is_what_the_agent_still_finds_in_a_query_of_another_name() -> None:
    def found(one: Run) -> Run:
        assert one.outcome
        told = (DirectiveResult(HINT.id, DirectiveStatus.APPLIED),)
        queries = tuple(replace(query, directives=told) for query in one.outcome.queries)
        return replace(one, outcome=replace(one.outcome, queries=queries))

    runs = [with_old(0, PROVEN), *(found(run(n, {"new": 10.0}, PROVEN)) for n in range(1, LONGEST_AWAY + 5))]
    assert in_force(next_of(runs)) == {HINT.id}


def test_an_order_goes_with_the_hints_that_need_it() -> None:
    order = decided(ORDER, Standing.PROMOTED, queries=["old"])
    needs = decided(HINT, Standing.PROMOTED, queries=["old"], needs=ORDER.id)
    before = nights_without(LONGEST_AWAY - 1, with_old(0, order, needs))
    assert in_force(next_of(before)) == {ORDER.id, HINT.id}
    assert next_of(nights_without(1, *before)).changes == ()


@pytest.mark.parametrize(
    "silent",
    [
        lambda n: run(n, None, LOST, state=RunState.LOST),
        lambda n: run(n, {"new": 1.0}, LOST, state=RunState.FAILED),
        lambda n: run(n, {"new": 1.0}, LOST, state=RunState.PARTIAL),
        lambda n: run(n, {}, LOST),
    ],
)
def test_runs_that_do_not_tell_count_for_nothing(silent: Callable[[int], Run]) -> None:
    runs = [with_old(0, LOST), *(silent(n) for n in range(1, 9))]
    assert runs_away(runs) == {HINT.id: 0}
    assert runs_away([*runs, run(9, {"new": 10.0})]) == {HINT.id: 1}


def test_a_run_that_failed_and_had_the_query_is_not_without_it() -> None:
    without = [run(n, {"new": 10.0}, LOST) for n in range(9)]
    assert runs_away(without) == {HINT.id: 9}
    assert runs_away([*without, run(9, {"old": 10.0}, state=RunState.FAILED)]) == {HINT.id: 0}


def test_instances_of_a_mapped_task_are_away_for_one_run_though_they_fill_what_a_decision_looks_at() -> None:
    """A query of each week is not forgotten in three nights."""

    def instance(night: int, number: int, *changes: DecidedChange, query: str = "new") -> Run:
        found = run(night, {query: 10.0}, *changes)
        at = MIDNIGHT + timedelta(days=night, minutes=number)
        return replace(found, key=f"etl/{night}/{number}", started_at=at, ended_at=at + timedelta(hours=1))

    runs = [instance(0, number, LOST, query="old") for number in range(20)]
    for night in range(1, 8):
        known = next_of(runs).changes
        assert [(d.id, d.away) for d in known] == [(HINT.id, night - 1)]
        runs += [instance(night, number, *known) for number in range(20)]
    back = [instance(8, number, *next_of(runs).changes, query="old") for number in range(20)]
    assert standings(next_of([*runs, *back], [recommend(HINT, queries=["old"])])) == {HINT.id: Standing.ROLLED_BACK}


def test_runs_that_overlap_one_another_are_several_that_a_query_is_away_for() -> None:
    """A daily job of 25 hours."""
    nights = (run(night, {"new": 10.0}, LOST) for night in range(20))
    long = [replace(one, ended_at=one.started_at + timedelta(hours=25)) for one in nights]
    assert runs_away(long) == {HINT.id: 10}
