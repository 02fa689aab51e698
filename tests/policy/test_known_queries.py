"""Which queries the next run may have: those of the latest run, and those that come back."""

from __future__ import annotations

from dataclasses import replace

from tuner.loop.next_decision import BY_AGENT
from tuner.model.decision import Mode, Standing
from tuner.model.join_graph import JoinGraph
from tuner.model.join_site import JoinSide, JoinSite
from tuner.model.query import Query
from tuner.model.run import Run, RunState
from tuner.model.strategy import JoinType, Strategy
from tuner.policy.decide import decide
from tuner.policy.known_queries import newest_of_each
from tuner.policy.ledger import read_ledger

from .histories import decided, hint, recommend, run, situation

JOIN = JoinSite(
    signature="join",
    occurrence=0,
    type=JoinType.INNER,
    strategy=Strategy.SORT_MERGE,
    build_side=None,
    keys=(),
    left=JoinSide(("dim",)),
    right=JoinSide(("fact",)),
    output_rows=1,
    planned_strategy=None,
)


def night(number: int, *queries: str, with_joins: bool = True, state: RunState = RunState.SUCCEEDED) -> Run:
    """A run with executions of queries, each as "query" or "query/id of its values"."""
    found = run(number, {"q1": 10}, state=state)
    assert found.outcome is not None
    executions = tuple(
        replace(
            found.outcome.queries[0],
            fingerprint=name,
            literals=values or "aaaa",
            start_ms=number,
            joins=(JOIN,) if with_joins else (),
        )
        for name, _, values in (one.partition("/") for one in queries)
    )
    return replace(found, outcome=replace(found.outcome, queries=executions))


def told(queries: tuple[Query, ...]) -> list[tuple[str, str, int]]:
    return [(q.fingerprint, q.literals, q.start_ms) for q in queries]


def test_the_newest_of_each_values_is_at_hand() -> None:
    newest = newest_of_each([night(0, "q/rare"), night(1, "q/rare"), night(2, "q/frequent")])
    assert told(newest.of_latest) == [("q", "rare", 1), ("q", "frequent", 2)]
    assert newest.absent == ()


def test_what_the_latest_run_did_not_have_is_absent_once_it_came_back() -> None:
    once = [night(0, "daily", "mondays"), night(1, "daily")]
    assert newest_of_each(once).absent == ()
    newest = newest_of_each([*once, night(2, "daily", "mondays/other"), night(3, "daily")])
    assert told(newest.of_latest) == [("daily", "aaaa", 3)]
    assert told(newest.absent) == [("mondays", "aaaa", 0), ("mondays", "other", 2)]
    assert newest.all == (*newest.absent, *newest.of_latest)


def test_of_two_executions_in_one_run_nothing_says_that_they_come_back() -> None:
    assert newest_of_each([night(0, "daily", "once", "once/other"), night(1, "daily")]).absent == ()


def test_old_runs_tell_that_a_query_comes_back_and_not_what_it_joins() -> None:
    old = night(0, "daily", "mondays", with_joins=False)
    assert newest_of_each([old, night(1, "daily")]).absent == ()
    assert newest_of_each([old, old, night(2, "daily")]).absent == ()
    assert told(newest_of_each([old, night(7, "mondays"), night(8, "daily")]).absent) == [("mondays", "aaaa", 7)]


def test_runs_that_failed_tell_nothing_of_it() -> None:
    runs = [night(0, "mondays", state=RunState.FAILED), night(1, "mondays"), night(2, "daily")]
    assert newest_of_each(runs).absent == ()
    assert newest_of_each([]).all == ()


HINT = hint("q2")


def alternating(nights: int, seconds: float) -> list[Run]:
    """Every second night has a second query; from the second night on it may have a hint, and takes `seconds` with it."""
    runs: list[Run] = []
    for number in range(nights):
        advice = [recommend(HINT, queries=("q2",))] if number and number % 2 else []
        known = situation(Mode.AUTO, 1, runs, advice, drivable=BY_AGENT)
        in_force = decide(known).in_force if runs else ()
        took = {"q1": 10.0} if number % 2 else {"q1": 10.0, "q2": seconds if in_force else 10.0}
        ran = run(number, took, *in_force)
        assert ran.outcome is not None
        queries = tuple(replace(q, literals="aaaa") for q in ran.outcome.queries)
        runs.append(replace(ran, outcome=replace(ran.outcome, queries=queries)))
    return runs


def test_a_query_of_every_second_night_is_judged_by_its_own_nights() -> None:
    runs = alternating(8, 5.0)
    assert [bool(one.decision.in_force) for one in runs] == [False, *[True] * 7]
    record = read_ledger(runs)[HINT.id]
    assert record.standing is Standing.PROMOTED
    assert decided(HINT).id in {d.id for d in decide(situation(Mode.AUTO, 1, runs, drivable=BY_AGENT)).in_force}


def test_and_a_loss_there_is_rolled_back() -> None:
    runs = alternating(6, 30.0)
    assert read_ledger(runs)[HINT.id].standing is Standing.ROLLED_BACK
    assert not runs[-1].decision.in_force


def test_what_each_run_before_the_latest_had_is_at_hand() -> None:
    runs = [night(0, "q"), night(1, "q", state=RunState.FAILED), night(2, "q", "r"), night(3, "q")]
    assert list(map(told, newest_of_each(runs).of_earlier)) == [
        [("q", "aaaa", 0)],
        [("q", "aaaa", 2), ("r", "aaaa", 2)],
    ]


def test_what_the_latest_run_did_not_join_is_known_from_the_one_that_last_did() -> None:
    """An empty table: adaptive execution leaves out the joins, and with them the block that orders are for."""
    full, empty = night(1, "q"), night(2, "q", with_joins=False)
    assert told(newest_of_each([night(0, "q"), full, empty]).of_latest) == [("q", "aaaa", 1), ("q", "aaaa", 2)]
    assert told(newest_of_each([full, empty, empty]).of_latest)[0] == ("q", "aaaa", 1)
    assert told(newest_of_each([full, night(3, "q")]).of_latest) == [("q", "aaaa", 3)]
    other_values = [night(0, "q/rare"), night(1, "q/rare"), night(2, "q", with_joins=False)]
    assert told(newest_of_each(other_values).of_latest) == [("q", "rare", 1), ("q", "aaaa", 2)]


def test_also_one_of_its_blocks() -> None:
    def with_blocks(number: int, *signatures: str) -> Run:
        found = night(number, "q")
        assert found.outcome is not None
        graphs = tuple(JoinGraph(one, (), (), (), {}, 0) for one in signatures)
        return replace(
            found, outcome=replace(found.outcome, queries=(replace(found.outcome.queries[0], graphs=graphs),))
        )

    runs = [with_blocks(0, "one", "two"), with_blocks(1, "one", "two"), with_blocks(2, "one")]
    assert [query.start_ms for query in newest_of_each(runs).of_latest] == [1, 2]
    assert [query.start_ms for query in newest_of_each([*runs, with_blocks(3, "one", "two")]).of_latest] == [3]
