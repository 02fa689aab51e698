"""While a query's joins are tried in another order, nothing else is tried on those joins."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tuner.model.action import Action, ActionKind
from tuner.model.decision import IN_FORCE, Decision, Mode, Standing
from tuner.model.directive_result import DirectiveResult, DirectiveStatus
from tuner.model.failure import Failure, FailureKind
from tuner.model.join_graph import GraphRelation, Joined, JoinGraph, Predicate, RelationKind
from tuner.model.join_site import JoinSide, JoinSite
from tuner.model.reason import Reason, ReasonCode
from tuner.model.run import Run, RunState
from tuner.model.strategy import JoinType, Strategy
from tuner.model.verdict import Ruling, Verdict
from tuner.plan.order_text import order_text
from tuner.plan.ordered_joins import ordered_joins
from tuner.policy.decide import decide
from tuner.policy.rules.reorder_first import reorder_first
from tuner.policy.situation import BY_SUBMIT
from tuner.policy.tried_elsewhere import Tried, kinds_of_change

from .histories import conf, decided, hint, in_force, recommend, reorder, run, situation, standings, told, verdict

ORDER = reorder("q1")
BY_AGENT = BY_SUBMIT | {ActionKind.ORDER_JOINS}
THRESHOLD = conf("spark.sql.autoBroadcastJoinThreshold", "20000000")
BLOOM = conf("spark.sql.optimizer.runtime.bloomFilter.applicationSideScanSizeThreshold", "1000")
PARTITIONS = conf("spark.sql.shuffle.partitions", "16")


@pytest.mark.parametrize(
    ("other", "standing", "waits"),
    [
        (hint("q1"), Standing.TRIAL, True),
        (hint("q1"), Standing.PROMOTED, True),
        (hint("q1"), Standing.PINNED, False),
        (hint("q2"), Standing.TRIAL, False),
        (THRESHOLD, Standing.TRIAL, True),
        (BLOOM, Standing.TRIAL, True),
        (THRESHOLD, Standing.PROMOTED, False),
        (PARTITIONS, Standing.TRIAL, False),
        (reorder("q1", "another block"), Standing.TRIAL, False),
    ],
)
def test_what_waits_for_an_order_on_trial(other: Action, standing: Standing, waits: bool) -> None:
    beside = decided(other, standing, queries=[other.query or "q1"])
    order, found = reorder_first(situation(Mode.AUTO, 1, []), [decided(ORDER), beside])
    assert order.standing is Standing.TRIAL
    assert (found.standing is Standing.HELD) is waits
    assert ("another join order is tried first" in told(found)) is waits
    for settled in (Standing.PROMOTED, Standing.PINNED, Standing.PROPOSED):
        assert reorder_first(situation(Mode.AUTO, 1, []), [decided(ORDER, settled), beside])[1] == beside


def test_a_property_for_other_queries_does_not_wait() -> None:
    beside = decided(THRESHOLD, queries=["q2"])
    assert reorder_first(situation(Mode.AUTO, 1, []), [decided(ORDER), beside])[1] == beside


def decision(*runs: Run) -> Decision:
    advice = [recommend(ORDER), recommend(hint("q1"))]
    return decide(situation(Mode.AUTO, 1, runs, advice, drivable=BY_AGENT))


def test_the_order_is_tried_first_and_the_hint_once_it_is_settled() -> None:
    base = run(0, {"q1": 10, "q2": 10})
    first = decision(base)
    assert standings(first) == {ORDER.id: Standing.TRIAL, hint("q1").id: Standing.HELD}
    won = run(1, {"q1": 5, "q2": 10}, *first.changes)
    assert standings(decision(base, won)) == {ORDER.id: Standing.PROMOTED, hint("q1").id: Standing.TRIAL}
    lost = run(1, {"q1": 20, "q2": 10}, *first.changes)
    assert standings(decision(base, lost)) == {ORDER.id: Standing.ROLLED_BACK, hint("q1").id: Standing.TRIAL}


def test_a_proven_hint_is_back_after_the_trial() -> None:
    base = run(0, {"q1": 10, "q2": 10})
    proven = run(1, {"q1": 5, "q2": 10}, decided(hint("q1")))
    held = decision(base, proven)
    assert in_force(held) == {ORDER.id}
    lost = run(2, {"q1": 20, "q2": 10}, *held.changes)
    after = standings(decision(base, proven, lost))
    assert after == {ORDER.id: Standing.ROLLED_BACK, hint("q1").id: Standing.PROMOTED}
    assert after[hint("q1").id] in IN_FORCE


@pytest.mark.parametrize(("seconds", "standing"), [(8, Standing.ROLLED_BACK), (3, Standing.PROMOTED)])
def test_an_order_must_beat_the_proven_hint_that_waits_for_it(seconds: float, standing: Standing) -> None:
    """It is not compared with runs that had neither."""
    base = run(0, {"q1": 10, "q2": 10})
    advice = [recommend(hint("q1"))]
    hinted = [base]
    for night in (1, 2):
        found = decide(situation(Mode.AUTO, 1, hinted, advice, drivable=BY_AGENT))
        hinted.append(run(night, {"q1": 5, "q2": 10}, *found.changes))
    first = decide(situation(Mode.AUTO, 1, hinted, [recommend(ORDER)], drivable=BY_AGENT))
    assert standings(first) == {hint("q1").id: Standing.HELD, ORDER.id: Standing.TRIAL}
    tried = run(3, {"q1": seconds, "q2": 10}, *first.changes)
    after = decide(situation(Mode.AUTO, 1, [*hinted, tried], [recommend(ORDER)], drivable=BY_AGENT))
    assert standings(after) == {hint("q1").id: Standing.PROMOTED, ORDER.id: standing}


def test_for_an_order_that_the_agent_cannot_be_told_nothing_waits() -> None:
    base = run(0, {"q1": 10, "q2": 10})
    advice = [recommend(ORDER), recommend(hint("q1"))]
    found = decide(
        situation(
            Mode.AUTO,
            1,
            [base],
            advice,
            drivable=BY_AGENT,
            undirectable={ORDER.id: Reason(ReasonCode.UNDIRECTABLE, {"why": "two alike"})},
        )
    )
    assert standings(found) == {ORDER.id: Standing.HELD, hint("q1").id: Standing.TRIAL}
    assert "the agent cannot apply it: two alike" in {d.id: told(d) for d in found.changes}[ORDER.id]


def test_an_order_that_is_slower_on_other_days_is_held_unless_a_person_asked_for_it() -> None:
    base, why = run(0, {"q1": 10, "q2": 10}), Reason(ReasonCode.WORSE_ON_OTHER_DAYS, {"executions": 3})
    worse = {ORDER.id: why}

    def decision(*verdicts: Verdict) -> Decision:
        known = situation(
            Mode.AUTO, 1, [base], [recommend(ORDER)], verdicts, drivable=BY_AGENT, worse_on_other_days=worse
        )
        return decide(known)

    assert [(d.standing, d.held) for d in decision().changes] == [(Standing.HELD, why)]
    assert in_force(decision(verdict(ORDER, Ruling.APPROVE))) == {ORDER.id}


def test_when_the_order_has_run_a_hint_on_a_join_of_its_plan_is_tried_beside_it() -> None:
    base = run(0, {"q1": 10, "q2": 10})
    within_noise = with_join(run(1, {"q1": 9.5, "q2": 10}, decided(ORDER)), "q1", hint("q1").target)
    assert standings(decision(base, within_noise)) == {ORDER.id: Standing.TRIAL, hint("q1").id: Standing.TRIAL}
    elsewhere = with_join(run(1, {"q1": 9.5, "q2": 10}, decided(ORDER)), "q1", "a join of another order")
    assert standings(decision(base, elsewhere)) == {ORDER.id: Standing.TRIAL, hint("q1").id: Standing.HELD}


def with_join(one: Run, fingerprint: str, *signatures: str, graphs: tuple[JoinGraph, ...] = ()) -> Run:
    assert one.outcome
    side = JoinSide(("db.a",))
    joins = tuple(
        JoinSite(s, 0, JoinType.INNER, Strategy.SORT_MERGE, None, (), side, side, 1, None) for s in signatures
    )
    queries = (
        replace(q, joins=joins, graphs=graphs) if q.fingerprint == fingerprint else q for q in one.outcome.queries
    )
    return replace(one, outcome=replace(one.outcome, queries=tuple(queries)))


CALLED_FOR = hint("q1", "join in that order")


def test_what_an_order_calls_for_is_tried_with_it_and_taken_out_with_it() -> None:
    base = run(0, {"q1": 10, "q2": 10})
    advice = [recommend(ORDER, CALLED_FOR), recommend(hint("q1"))]

    def after(*runs: Run) -> Decision:
        return decide(situation(Mode.AUTO, 1, runs, advice, drivable=BY_AGENT))

    first = after(base)
    assert in_force(first) == {ORDER.id, CALLED_FOR.id}
    lost = run(1, {"q1": 20, "q2": 10}, *first.changes)
    assert standings(after(base, lost)) == {
        ORDER.id: Standing.ROLLED_BACK,
        CALLED_FOR.id: Standing.ROLLED_BACK,
        hint("q1").id: Standing.TRIAL,
    }
    won = run(1, {"q1": 5, "q2": 10}, *first.changes)
    assert in_force(after(base, won)) >= {ORDER.id, CALLED_FOR.id}


def test_an_order_does_without_a_hint_that_is_out_and_no_hint_without_its_order() -> None:
    base = run(0, {"q1": 10, "q2": 10})
    for out, left in ((CALLED_FOR, {ORDER.id}), (ORDER, set())):
        verdicts = [verdict(out, Ruling.REJECT)]
        known = situation(Mode.AUTO, 1, (base,), [recommend(ORDER, CALLED_FOR)], verdicts, drivable=BY_AGENT)
        assert in_force(decide(known)) == left


def test_an_order_that_the_agent_cannot_be_told_keeps_its_hint_back() -> None:
    base = run(0, {"q1": 10, "q2": 10})
    known = situation(
        Mode.AUTO, 1, (base,), [recommend(ORDER, CALLED_FOR)], drivable=BY_AGENT, undirectable={ORDER.id: "why"}
    )
    found = decide(known)
    assert not found.in_force
    (held,) = (d for d in found.changes if d.change.actions[0] == CALLED_FOR)
    assert told(held).endswith("it needs a new join order, which is held")


SALES, STOCK, DAYS = (GraphRelation(f"label-{name}", (f"db.{name}",), RelationKind.SCAN) for name in ("a", "b", "c"))
# db.a with db.b, then with db.c.
BLOCK = JoinGraph(
    "block",
    (SALES, STOCK, DAYS),
    (Predicate(1, 2, "db.a.x", "db.b.x"), Predicate(1, 4, "db.a.y", "db.c.y")),
    (),
    {},
    Joined(Joined(0, 1), 2),
)
OTHER_ORDER = reorder("q1", "block", order_text(Joined(Joined(0, 2), 1), BLOCK))


def in_block(one: Run) -> Run:
    """The run with that block, and a join beside it."""
    written = (join.signature for join in ordered_joins(BLOCK, BLOCK.written))
    return with_join(one, "q1", "beside", *written, graphs=(BLOCK,))


def test_only_what_an_order_takes_away_waits_for_it() -> None:
    first, last = (join.signature for join in ordered_joins(BLOCK, BLOCK.written))
    made, _ = (join.signature for join in ordered_joins(BLOCK, Joined(Joined(0, 2), 1)))
    beside = [hint("q1", target) for target in ("beside", first, last, made)]
    latest = in_block(run(0, {"q1": 10}))
    found = reorder_first(
        situation(Mode.AUTO, 1, [latest]), [decided(OTHER_ORDER), *(decided(h, Standing.PROMOTED) for h in beside)]
    )
    assert [d.standing for d in found[1:]] == [Standing.PROMOTED, Standing.HELD, Standing.HELD, Standing.PROMOTED]
    unread = reorder_first(
        situation(Mode.AUTO, 1, [latest]), [decided(reorder("q1", "block", "((x y) z)")), decided(beside[0])]
    )
    assert unread[1].standing is Standing.HELD


@pytest.mark.parametrize("status", [None, DirectiveStatus.HELD, DirectiveStatus.APPLIED])
def test_nor_is_anything_tried_on_what_a_proven_order_takes_away_that_the_latest_run_was_without(
    status: DirectiveStatus | None,
) -> None:
    """It was left out to compare (None), or held for one night's sizes; what that run's joins call for is not there with it."""
    first, last = (join.signature for join in ordered_joins(BLOCK, BLOCK.written))
    made, _ = (join.signature for join in ordered_joins(BLOCK, Joined(Joined(0, 2), 1)))
    latest = in_block(run(0, {"q1": 10}, *([decided(OTHER_ORDER, Standing.PROMOTED)] if status else [])))
    assert latest.outcome
    told_of = (DirectiveResult(OTHER_ORDER.id, status),) if status else ()
    queries = tuple(replace(query, directives=told_of) for query in latest.outcome.queries)
    latest = replace(latest, outcome=replace(latest.outcome, queries=queries))
    beside = [decided(hint("q1", target)) for target in ("beside", first, last, made)]
    called_for = replace(beside[1], change=replace(beside[1].change, needs=OTHER_ORDER.id))
    given = [decided(OTHER_ORDER, Standing.PROMOTED), *beside, called_for]
    found = reorder_first(situation(Mode.AUTO, 1, [latest]), given)
    if status is DirectiveStatus.APPLIED:
        assert found == given
        return
    is_held = [d.held == Reason(ReasonCode.NOT_IN_ORDER) for d in found]
    assert is_held == [False, False, True, True, False, False]
    proven = [replace(d, standing=Standing.PROMOTED) for d in given]
    assert reorder_first(situation(Mode.AUTO, 1, [latest]), proven) == proven


def test_a_proven_order_that_the_latest_run_did_not_have_makes_its_joins_all_the_same() -> None:
    """As after a retry that ran unsteered, while another block of the query is tried in another order."""
    first, _ = (join.signature for join in ordered_joins(BLOCK, Joined(Joined(0, 2), 1)))
    latest = in_block(run(0, {"q1": 10}))
    assert latest.outcome
    other = replace(
        BLOCK, signature="other block", relations=(SALES, STOCK), predicates=BLOCK.predicates[:1], written=Joined(0, 1)
    )
    queries = tuple(replace(query, graphs=(BLOCK, other)) for query in latest.outcome.queries)
    latest = replace(latest, outcome=replace(latest.outcome, queries=queries))
    on_trial = decided(reorder("q1", "other block", order_text(Joined(1, 0), other)))
    proven = [decided(OTHER_ORDER, Standing.PROMOTED), decided(hint("q1", first), Standing.PROMOTED)]
    assert [d.standing for d in reorder_first(situation(Mode.AUTO, 1, [latest]), [*proven, on_trial])[:2]] == [
        Standing.PROMOTED
    ] * 2


def test_a_broadcast_that_an_order_calls_for_is_not_held_for_what_broadcasts_came_to_elsewhere() -> None:
    base = run(0, {"q1": 10, "q2": 10})
    known = situation(Mode.AUTO, 1, (base,), [recommend(ORDER, CALLED_FOR), recommend(hint("q2"))], drivable=BY_AGENT)
    lost = replace(known, elsewhere=dict.fromkeys(kinds_of_change(recommend(CALLED_FOR)[0]), Tried(lost=5)))
    assert in_force(decide(lost)) == {ORDER.id, CALLED_FOR.id}
    assert in_force(
        decide(replace(known, elsewhere=dict.fromkeys(kinds_of_change(recommend(ORDER)[0]), Tried(lost=5))))
    ) == {hint("q2").id}


def test_a_broadcast_that_lost_with_one_order_is_tried_with_the_next_unless_it_failed() -> None:
    base = run(0, {"q1": 10, "q2": 10})
    first = decide(situation(Mode.AUTO, 1, (base,), [recommend(ORDER, CALLED_FOR)], drivable=BY_AGENT))
    slow = run(1, {"q1": 20, "q2": 10}, *first.changes)
    failed = run(
        1,
        {"q1": 1},
        *first.changes,
        state=RunState.FAILED,
        failure=Failure(FailureKind.BROADCAST_TIMEOUT, "broadcast timeout", "q1"),
    )
    again = [recommend(reorder("q1", order="((b c) a)"), CALLED_FOR)]
    for lost, tried in ((slow, True), (failed, False)):
        after = decide(situation(Mode.AUTO, 1, (base, lost), again, drivable=BY_AGENT))
        assert (CALLED_FOR.id in in_force(after)) is tried
