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
from tuner.model.reason import ReasonCode
from tuner.model.run import Run, RunState
from tuner.model.verdict import Ruling, Verdict
from tuner.policy import ledger, long_away
from tuner.policy.decide import decide
from tuner.policy.ledger import read_ledger
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


@pytest.mark.parametrize("known", [LOST, pytest.param(PROVEN, marks=pytest.mark.nightly)])
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


def held_nights(count: int, *before: Run, query: str = "old", verdicts: Sequence[Verdict] = ()) -> list[Run]:
    """Runs whose agent held what is in force, as they are decided one after the other."""
    runs = list(before)
    for number in range(len(before), len(before) + count):
        found = next_of(runs, verdicts=verdicts)
        runs.append(with_result(run(number, {query: 10.0, "new": 10.0}, *found.changes), DirectiveStatus.HELD))
    return runs


def with_result(one: Run, status: DirectiveStatus) -> Run:
    """The run, with what became of each hint in its first query."""
    assert one.outcome
    first, *rest = one.outcome.queries
    told = tuple(DirectiveResult(d.id, status) for d in one.decision.in_force if d.change.is_on_joins)
    return replace(one, outcome=replace(one.outcome, queries=(replace(first, directives=told), *rest)))


def proven(nights: int = 3) -> list[Run]:
    """A run without the hint, and those that it gains in."""
    trials = (run(n, {"old": 4.0, "new": 10.0}, decided(HINT, queries=["old"])) for n in range(1, nights))
    return [with_old(0), *(with_result(one, DirectiveStatus.APPLIED) for one in trials)]


def test_what_is_proven_and_only_held_since_stands_as_it_stood() -> None:
    """A backfill of small dates, or the week of a job whose large load comes on Sundays."""
    before = next_of(proven()).changes[0]
    runs = held_nights(2 * WINDOW, *proven())
    (found,) = next_of(runs).changes
    assert found.standing is Standing.PROMOTED
    assert (found.why, found.gained_seconds) == (before.why, before.gained_seconds)
    lost = with_result(run(len(runs), {"old": 30.0, "new": 10.0}, found), DirectiveStatus.APPLIED)
    assert not in_force(next_of([*runs, lost])), "the next run that has it is judged as any"


def test_a_property_that_the_program_sets_otherwise_is_held_in_that_run_alone() -> None:
    changed = decided(conf(), Standing.PROMOTED, queries=["old"])
    nights = [run(n, {"old": 10.0}, changed) for n in range(WINDOW)]
    beaten = [replace(n, outcome=replace(n.outcome, conf={conf().target: "7"})) for n in nights if n.outcome]
    assert read_ledger(beaten)[conf().id].standing is Standing.PROMOTED


@pytest.mark.nightly
def test_what_is_held_for_longer_still_is_let_go_of(monkeypatch: pytest.MonkeyPatch) -> None:
    """An order for a tenant that never comes again would be told to each run for good."""
    monkeypatch.setattr(ledger, "LONGEST_HELD", WINDOW)
    runs = held_nights(WINDOW, *proven())
    assert next_of(runs).changes[0].held_runs == WINDOW
    assert next_of(held_nights(WINDOW - 1, *runs)).changes
    gone = held_nights(WINDOW, *runs)
    assert not next_of(gone).changes
    assert standings(next_of(gone, [recommend(HINT, queries=["old"])])) == {HINT.id: Standing.TRIAL}


def test_dates_side_by_side_hold_it_once() -> None:
    runs = proven()
    begun = [run(len(runs), {"old": 10.0}, *next_of(runs).changes) for _ in range(20)]
    beside = [
        replace(one, key=f"{one.key}/{n}", ended_at=one.started_at + timedelta(hours=1 + n))
        for n, one in enumerate(begun)
    ]
    held = [with_result(one, DirectiveStatus.HELD) for one in beside]
    assert next_of([*runs, *held]).changes[0].held_runs == 1


def test_of_an_edited_query_it_goes_though_the_agent_holds_it_in_another() -> None:
    runs = held_nights(LONGEST_AWAY - 1, *proven(), query="edited")
    assert next_of(runs).changes
    assert not next_of(held_nights(1, *runs, query="edited")).changes


def test_what_a_person_took_back_while_it_was_held_stays_out() -> None:
    runs = held_nights(WINDOW, *proven())
    said = [verdict(HINT, Ruling.ROLL_BACK, night=len(runs) - 0.5)]
    assert standings(next_of(runs, verdicts=said)) == {HINT.id: Standing.ROLLED_BACK}
    later = held_nights(5, *runs, verdicts=said)
    assert standings(next_of(later, verdicts=said)) == {HINT.id: Standing.ROLLED_BACK}


def test_nor_does_it_bring_back_what_was_taken_out_meanwhile() -> None:
    late = with_result(with_old(4, PROVEN), DirectiveStatus.HELD)
    assert read_ledger([with_old(3, LOST), late])[HINT.id].standing is Standing.ROLLED_BACK


def test_what_is_proven_in_one_context_is_not_proven_in_another_by_being_held_there() -> None:
    """Two runs by another Spark, both decided before either had ended."""
    changes = next_of(proven()).changes
    begun = [run(3, {"old": 10.0, "new": 10.0}, *changes), run(4, {"old": 10.0, "new": 10.0}, *changes)]
    held = [with_result(one, DirectiveStatus.HELD) for one in begun]
    there = [replace(one, outcome=replace(one.outcome, spark_version="4.1.0")) for one in held if one.outcome]
    record = read_ledger([*proven(), *there])[HINT.id]
    assert (record.standing, record.why.code) == (Standing.TRIAL, ReasonCode.NEW_TRIAL)
