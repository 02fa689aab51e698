"""What was lent becomes the job's own where it ran the query, and is gone where it did not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tuner.loop.next_decision import BY_AGENT
from tuner.model.decision import DecidedChange, Mode, Standing
from tuner.model.directive_result import DirectiveResult, DirectiveStatus
from tuner.model.reason import Reason, ReasonCode
from tuner.model.run import Run, RunState
from tuner.policy.borrowed_changes import with_borrowed
from tuner.policy.changes_in_effect import changes_in_effect
from tuner.policy.decide import decide
from tuner.policy.measure import measured_queries

from .histories import decided, hint, in_force, recommend, reorder, run, situation

APPLIED, HELD, IMPOSSIBLE = DirectiveStatus.APPLIED, DirectiveStatus.HELD, DirectiveStatus.IMPOSSIBLE


def lent(found: DecidedChange) -> DecidedChange:
    return replace(found, why=Reason(ReasonCode.LENT, {"jobs": 1}, (found.why,)))


ORDER = lent(decided(reorder("q1")))
WITH_IT = lent(decided(hint("q1"), needs=ORDER.id))
OTHER = lent(decided(hint("q2"), queries=["q2"]))


def first(*queries: str, told: Sequence[tuple[str, DecidedChange, DirectiveStatus]] = (), **known: object) -> Run:
    """A first run of these queries; of each, by its name, what became of changes."""
    found = run(0, dict.fromkeys(queries, 10.0), **known)  # type: ignore[arg-type]
    found = replace(found, decision=replace(found.decision, lent=(ORDER, WITH_IT, OTHER)))
    if found.outcome is None:
        return found
    results = {q: tuple(DirectiveResult(d.id, status) for name, d, status in told if name == q) for q in queries}
    asked = tuple(replace(query, directives=results[query.fingerprint]) for query in found.outcome.queries)
    return replace(found, outcome=replace(found.outcome, queries=asked))


def test_of_the_queries_that_it_ran_all_is_its_own() -> None:
    found = with_borrowed(first("q1", "q9", told=[("q1", ORDER, APPLIED), ("q1", WITH_IT, APPLIED)]))
    assert (found.decision.changes, found.decision.lent) == ((ORDER, WITH_IT), ())
    assert changes_in_effect(found) == [ORDER, WITH_IT]
    assert [query.changes for query in measured_queries(found)] == [{ORDER.id, WITH_IT.id}, frozenset()]


def test_what_the_agent_held_is_not_in_effect() -> None:
    found = with_borrowed(first("q1", told=[("q1", ORDER, HELD), ("q1", WITH_IT, HELD)]))
    assert found.decision.changes == (ORDER, WITH_IT)
    assert changes_in_effect(found) == []
    assert [query.changes for query in measured_queries(found)] == [frozenset()]


def test_a_query_that_was_taken_for_another_is_measured_with_what_it_had() -> None:
    ran = first("q7", "q8", told=[("q7", ORDER, APPLIED), ("q7", WITH_IT, APPLIED), ("q8", ORDER, IMPOSSIBLE)])
    found = with_borrowed(ran)
    order, with_it = found.decision.changes
    assert (order.change.query, with_it.change.query) == ("q7", "q7")
    assert (order.id, order.queries) == (reorder("q7").id, ("q7",))
    assert with_it.change.needs == order.id
    assert [query.changes for query in measured_queries(found)] == [{order.id, with_it.id}, frozenset()]
    assert changes_in_effect(found) == [order, with_it]


def test_a_job_that_asks_nothing_of_it_has_nothing_of_it() -> None:
    found = with_borrowed(first("q9"))
    assert (found.decision.changes, found.decision.lent) == ((), ())


def test_where_nothing_tells_what_it_ran_it_is_kept() -> None:
    failed = replace(first(), outcome=None, state=RunState.FAILED)
    assert with_borrowed(failed) == failed


def test_any_other_run_is_as_it_was() -> None:
    plain = run(1, {"q1": 5.0}, decided(hint("q1")))
    assert with_borrowed(plain) is plain


def test_the_next_run_is_without_it_and_another_order_from_that_run_waits() -> None:
    runs = [with_borrowed(first("q1", told=[("q1", ORDER, APPLIED), ("q1", WITH_IT, APPLIED)]))]
    without = decide(situation(Mode.AUTO, 1, runs))
    assert {d.id: d.held and d.held.code for d in without.changes} == dict.fromkeys(
        (ORDER.id, WITH_IT.id), ReasonCode.NEVER_WITHOUT
    )
    runs.append(replace(run(1, {"q1": 20.0}), decision=without))
    other, its_hint = recommend(reorder("q1", order="((b c) a)"), hint("q1", "another join"))
    found = decide(situation(Mode.AUTO, 1, runs, [(other, its_hint)], drivable=BY_AGENT))
    assert in_force(found) == {ORDER.id, WITH_IT.id}
    assert {d.id: d.held and d.held.code for d in found.changes if d.held} == {
        other.id: ReasonCode.TRIED_AFTER_ANOTHER,
        its_hint.id: ReasonCode.NEEDED_CHANGE_OUT,
    }
    runs.append(replace(run(2, {"q1": 10.0}), decision=found))
    proven = decide(situation(Mode.AUTO, 1, runs, drivable=BY_AGENT)).changes
    assert {d.id: d.standing for d in proven} == dict.fromkeys((ORDER.id, WITH_IT.id), Standing.PROMOTED)
