"""A change to a join is for the values that its query was measured with; other values are another job."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tuner.history.documents import Detail, outcome_document, readable_outcome, times_document
from tuner.loop.next_decision import BY_AGENT
from tuner.model.action import Hint
from tuner.model.decision import Mode, Standing
from tuner.model.directive_result import DirectiveResult, DirectiveStatus
from tuner.model.failure import Failure, FailureKind
from tuner.model.query import QueryStatus
from tuner.model.run import Run, RunState
from tuner.policy import measured_values as measured_values_module
from tuner.policy.baseline import baselines
from tuner.policy.changes_in_effect import held_in, not_followed
from tuner.policy.comparisons import compare
from tuner.policy.decide import decide
from tuner.policy.evidence.history import History
from tuner.policy.ledger import read_ledger
from tuner.policy.measure import measured_queries
from tuner.policy.measured_values import MOST_LITERALS, measured_values
from tuner.words.literal_rungs import values_words

from .histories import conf, decided, hint, in_force, recommend, reorder, run, situation

HINT = hint("q1")
RARE, FREQUENT, UNKNOWN = "aaaa", "ffff", ""
APPLIED, HELD, _, IMPOSSIBLE = DirectiveStatus


def night(
    number: int, *executions: tuple[str, float, DirectiveStatus | None], standing: Standing = Standing.TRIAL
) -> Run:
    """A run with executions of one query: the id of its values, its seconds, what became of the hint (None: not in force)."""
    changes = [decided(HINT, standing)] if any(status for *_, status in executions) else []
    found = run(number, {"q1": 10}, *changes)
    assert found.outcome is not None
    (query,) = found.outcome.queries
    queries = [
        replace(
            query,
            id=n,
            literals=literals,
            duration_ms=round(1000 * seconds),
            directives=(DirectiveResult(HINT.id, status),) if status else (),
        )
        for n, (literals, seconds, status) in enumerate(executions)
    ]
    return replace(found, outcome=replace(found.outcome, queries=tuple(queries)))


def allowed(*runs: Run, advised: bool = False) -> tuple[str, ...]:
    known = situation(Mode.AUTO, 1, runs, [recommend(HINT)] if advised else [])
    (found,) = measured_values(known, [decided(HINT)])
    return found.literals


def test_what_ran_with_it_is_measured_and_what_it_was_held_in_is_not() -> None:
    runs = [
        night(0, (RARE, 10, None)),
        night(1, (RARE, 5, APPLIED), (FREQUENT, 40, HELD)),
        night(2, (FREQUENT, 40, HELD)),
    ]
    assert allowed(*runs) == (RARE,)


def test_a_trial_is_tried_on_what_it_was_advised_from() -> None:
    first = night(0, (RARE, 10, None), (FREQUENT, 40, None), (UNKNOWN, 3, None))
    assert allowed(first, advised=True) == (RARE, FREQUENT)
    assert allowed(first) == ()
    assert allowed(first, night(1, (RARE, 10, None)), advised=True) == (RARE,)


def test_of_more_values_than_it_may_name_it_acts_on_those_that_take_longest() -> None:
    """Whatever their order in the loop, and also once it has made them short."""
    many = [(f"{n:04x}", 40.0 if n < 5 else 1 + n / 1000) for n in range(MOST_LITERALS + 100)]
    longest = {f"{n:04x}" for n in (*range(5), *range(105, len(many)))}
    first = night(0, *((value, seconds, None) for value, seconds in many))
    (found,) = measured_values(situation(Mode.AUTO, 1, [first], [recommend(HINT)]), [decided(HINT)])
    assert set(found.literals) == longest
    assert f"measured with ({MOST_LITERALS} sets)" in values_words(found), "exactly so many are as many"
    steered = [(value, 0.1, APPLIED) if value in longest else (value, seconds, HELD) for value, seconds in many]
    assert set(allowed(first, night(1, *reversed(steered)), advised=True)) == longest
    late = {f"{n:04x}" for n in range(8000, 8200)}
    assert set(allowed(night(1, *steered), night(2, *((value, 0.5, APPLIED) for value in late)))) > late


def test_values_of_many_changes_are_ranked_once_for_each_query(monkeypatch: pytest.MonkeyPatch) -> None:
    """Loops over thousands of tenants, of tens of nights: what executions a run had is looked at once."""
    asked: list[Run] = []
    of_run = measured_values_module._ran
    monkeypatch.setattr(measured_values_module, "_ran", lambda run: asked.append(run) or of_run(run))
    nights = [night(n, *((f"{t:04x}", 1.0, None) for t in range(MOST_LITERALS + 1))) for n in range(3)]
    several = [hint("q1", f"join{n}") for n in range(20)]
    known = situation(Mode.AUTO, 1, nights, [recommend(one) for one in several])
    found = measured_values(known, [decided(one) for one in several])
    assert {len(one.literals) for one in found} == {MOST_LITERALS}
    assert len(asked) == len(nights) + 1, "and the latest for what it advises"


def test_a_trial_whose_run_failed_is_for_what_it_was_advised_from_though_it_is_advised_no_more() -> None:
    """Without any values the agent held it in every run, for as long as the run that failed was looked at."""
    first, without = night(0, (RARE, 10, None)), night(2, (RARE, 10, None))
    on_trial = replace(decided(HINT), literals=(FREQUENT, RARE))
    failed = replace(run(1, {}, on_trial, state=RunState.FAILED), outcome=None)
    # Of values that no execution had, nothing is known.
    assert allowed(first, failed, without) == (RARE,)
    (again,) = measured_values(situation(Mode.AUTO, 1, (first, failed, without)), [replace(on_trial, excluded=(RARE,))])
    assert again.literals == ()
    met = night(3, (FREQUENT, 5, APPLIED))
    assert allowed(first, failed, without, met) == (FREQUENT,)


def test_what_is_proven_is_for_the_values_of_before_where_no_run_that_is_looked_at_had_them() -> None:
    """A backfill of other dates fills what a decision looks at."""
    proven = replace(decided(HINT, Standing.PROMOTED), literals=(RARE,))
    runs = [night(n, (FREQUENT, 10, HELD), standing=Standing.PROMOTED) for n in range(3)]
    held = [replace(one, decision=replace(one.decision, changes=(proven,))) for one in runs]
    known = situation(Mode.AUTO, 1, held)
    assert [d.literals for d in measured_values(known, [proven])] == [(RARE,)]
    assert [d.literals for d in measured_values(known, [replace(proven, standing=Standing.TRIAL)])] == [()]
    otherwise = [
        replace(one, decision=replace(one.decision, changes=(replace(proven, neutral=("day",)),))) for one in held
    ]
    (found,) = measured_values(situation(Mode.AUTO, 1, otherwise), [proven])
    assert found.literals == (), "other columns tell classes apart now"


def test_runs_and_queries_that_failed_do_not_tell() -> None:
    applied = night(0, (RARE, 5, APPLIED))
    assert applied.outcome is not None
    failed = replace(applied.outcome.queries[0], status=QueryStatus.FAILED)
    assert allowed(replace(applied, state=RunState.FAILED)) == ()
    assert allowed(replace(applied, outcome=replace(applied.outcome, queries=(failed,)))) == ()


def test_only_joins_have_values() -> None:
    properties = [decided(conf("spark.sql.shuffle.partitions", "8"))]
    assert measured_values(situation(Mode.AUTO, 1, [night(0, (RARE, 10, None))]), properties) == properties


def test_other_values_are_not_compared_and_roll_nothing_back() -> None:
    runs = [
        night(0, (RARE, 10, None)),
        night(1, (RARE, 5, APPLIED)),
        night(2, (FREQUENT, 400, HELD), standing=Standing.PROMOTED),
    ]
    record = read_ledger(runs)[HINT.id]
    assert record.standing is Standing.PROMOTED and record.decided.standing is Standing.TRIAL
    assert baselines(runs).keys() == {runs[1].key}


def test_a_loop_is_judged_by_the_executions_that_had_the_change() -> None:
    first = night(0, (RARE, 10, None), (FREQUENT, 40, None))
    second = night(1, (FREQUENT, 80, HELD), (RARE, 5, APPLIED))  # the machine is slow, the loop goes another way round
    history = History()
    for one in (first, second):
        history.add(measured_queries(one))
    found = compare(measured_queries(second), history, second.decision.in_force)
    assert [(c.measured, c.usual) for c in found.touched] == [(5, pytest.approx(10, rel=0.01))]
    assert found.touched[0].speed == pytest.approx(2, rel=0.05)
    assert found.beside == ()


def test_held_in_a_query_that_failed_is_not_to_blame() -> None:
    last = night(2, (FREQUENT, 40, HELD), standing=Standing.PROMOTED)
    assert last.outcome is not None
    failed = replace(last.outcome.queries[0], status=QueryStatus.FAILED)
    last = replace(last, state=RunState.FAILED, outcome=replace(last.outcome, queries=(failed,)))
    after = replace(night(3, (RARE, 10, None)))
    runs = [night(0, (RARE, 10, None)), night(1, (RARE, 5, APPLIED)), last, after]
    assert read_ledger(runs)[HINT.id].standing is Standing.PROMOTED


def test_histories_without_values_are_compared_as_ever() -> None:
    old = [night(n, (UNKNOWN, 10, None), (UNKNOWN, 30, None)) for n in range(2)]
    now = night(2, (RARE, 5, APPLIED), (FREQUENT, 30, APPLIED))
    history = History()
    for one in (*old, now):
        history.add(measured_queries(one))
    found = compare(measured_queries(now), history, now.decision.in_force).touched
    assert [(c.measured, c.usual) for c in found] == [
        (5, pytest.approx(10, rel=0.01)),
        (30, pytest.approx(30, rel=0.01)),
    ]


def test_values_are_stored_with_times_and_older_documents_have_none() -> None:
    outcome = night(0, (RARE, 10, None)).outcome
    assert outcome is not None
    for document in (outcome_document("k", outcome), times_document("k", outcome)):
        found = readable_outcome("k", document, Detail.TIMES)
        assert found is not None and found.queries[0].literals == RARE
        older = readable_outcome("k", document.replace(f',"literals":"{RARE}"', ""), Detail.TIMES)
        assert older is not None and older.queries[0].literals == UNKNOWN


def test_what_is_proven_for_some_values_stays_while_others_are_tried_otherwise() -> None:
    order = reorder("q1")
    runs = [
        night(0, (RARE, 10, None)),
        night(1, (RARE, 5, APPLIED)),
        night(2, (FREQUENT, 40, HELD), standing=Standing.PROMOTED),
    ]
    found = decide(situation(Mode.AUTO, 1, runs, [recommend(order, before=40, after=20, high=30)], drivable=BY_AGENT))
    assert {(d.id, d.standing): d.literals for d in found.changes} == {
        (HINT.id, Standing.PROMOTED): (RARE,),
        (order.id, Standing.TRIAL): (FREQUENT,),
    }


def test_two_hints_of_one_join_are_for_different_values() -> None:
    other = hint("q1", value=Hint.SHUFFLE_HASH)
    runs = [
        night(0, (RARE, 10, None)),
        night(1, (RARE, 5, APPLIED)),
        night(2, (FREQUENT, 40, HELD), standing=Standing.PROMOTED),
    ]
    found = decide(situation(Mode.AUTO, 1, runs, [recommend(other, before=40, after=20, high=30)], drivable=BY_AGENT))
    assert {d.id: d.literals for d in found.changes} == {HINT.id: (RARE,), other.id: (FREQUENT,)}
    again = decide(situation(Mode.AUTO, 1, runs[:2], [recommend(other)], drivable=BY_AGENT))
    assert in_force(again) == {other.id}


def test_what_became_of_it_in_its_own_query_counts() -> None:
    """Another query may read the same relations: the agent holds what it takes for its directive."""
    one = night(1, (RARE, 10, IMPOSSIBLE))
    assert one.outcome is not None
    another = replace(one.outcome.queries[0], fingerprint="q9", directives=(DirectiveResult(HINT.id, HELD),))
    both = replace(one, outcome=replace(one.outcome, queries=(another, *one.outcome.queries)))
    assert not_followed(both).keys() == {HINT.id}
    assert held_in(replace(one, outcome=replace(one.outcome, queries=(another,)))).keys() == {HINT.id}


def test_what_loses_for_some_values_goes_for_these_alone() -> None:
    before = night(0, (RARE, 10, None), (FREQUENT, 10, None))
    allowed_both = replace(decided(HINT), literals=(FREQUENT, RARE))
    after = night(1, (RARE, 4, APPLIED), (FREQUENT, 40, APPLIED))
    after = replace(after, decision=replace(after.decision, changes=(allowed_both,)))
    record = read_ledger([before, after])[HINT.id]
    assert (record.standing, record.now.excluded) == (Standing.PROMOTED, (FREQUENT,))
    (found,) = measured_values(situation(Mode.AUTO, 1, [before, after], [recommend(HINT)]), [record.now])
    assert found.literals == (RARE,)


def test_what_loses_for_all_values_has_lost() -> None:
    before = night(0, (RARE, 10, None), (FREQUENT, 10, None))
    after = night(1, (RARE, 30, APPLIED), (FREQUENT, 40, APPLIED))
    both = replace(decided(HINT), literals=(FREQUENT, RARE))
    after = replace(after, decision=replace(after.decision, changes=(both,)))
    without = night(2, (RARE, 10, None), (FREQUENT, 10, None))
    assert read_ledger([before, after])[HINT.id].now.standing is Standing.HELD
    assert read_ledger([before, after, without])[HINT.id].standing is Standing.ROLLED_BACK


def test_what_was_proven_for_all_values_and_loses_for_some_stays_for_the_others() -> None:
    """Even if it loses more there than it gains elsewhere. After the first such night one goes without it."""

    def on_both(number: int, rare: float, frequent: float, standing: Standing) -> Run:
        found = night(number, (RARE, rare, APPLIED), (FREQUENT, frequent, APPLIED))
        both = replace(decided(HINT, standing), literals=(FREQUENT, RARE))
        return replace(found, decision=replace(found.decision, changes=(both,)))

    runs = [
        *(night(n, (RARE, 10, None), (FREQUENT, 10, None)) for n in range(3)),
        on_both(3, 4, 4, Standing.TRIAL),
        on_both(4, 4, 40, Standing.PROMOTED),
        night(5, (RARE, 10, None), (FREQUENT, 10, None)),
        on_both(6, 4, 40, Standing.PROMOTED),
    ]

    def after(night: int) -> tuple[Standing, tuple[str, ...]]:
        now = read_ledger(runs[: night + 1])[HINT.id].now
        return now.standing, now.excluded

    assert [after(night) for night in range(3, 7)] == [
        (Standing.PROMOTED, ()),
        (Standing.HELD, ()),
        (Standing.PROMOTED, ()),
        (Standing.PROMOTED, (FREQUENT,)),
    ]


def test_what_fails_for_some_values_goes_for_these_alone() -> None:
    """A broadcast of a query that ran out of memory."""
    before = night(0, (RARE, 10, None), (FREQUENT, 10, None))
    both = replace(decided(HINT), literals=(FREQUENT, RARE))
    died = night(1, (RARE, 4, APPLIED), (FREQUENT, 5, APPLIED))
    assert died.outcome is not None
    rare, frequent = died.outcome.queries
    queries = (rare, replace(frequent, status=QueryStatus.FAILED))
    memory = Failure(FailureKind.BROADCAST_OUT_OF_MEMORY, "no room", "q1")
    died = replace(
        died,
        state=RunState.FAILED,
        outcome=replace(died.outcome, queries=queries, failure=memory),
        decision=replace(died.decision, changes=(both,)),
    )
    now = read_ledger([before, died])[HINT.id].now
    assert (now.standing, now.excluded) == (Standing.TRIAL, (FREQUENT,))
    alone = replace(died, decision=replace(died.decision, changes=(replace(both, literals=(FREQUENT,)),)))
    assert read_ledger([before, alone])[HINT.id].standing is Standing.ROLLED_BACK
