"""Whether a run of a replay has an action, though nothing says who did it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.plan.trees import parse
from tuner.model.action import Action, ActionKind
from tuner.model.application import Application, Completeness, Execution, Executors
from tuner.model.cluster import Cluster
from tuner.model.key_filter_site import KeyFilterSite
from tuner.model.run import Outcome
from tuner.model.shared_subplan import SharedSubplan
from tuner.plan.order_text import order_text
from tuner.plan.queries import queries
from tuner.replay.has_action import has_action

PLAN = """
    SortMergeJoin | [b#2], [c#3], Inner
      BroadcastHashJoin | [a#1], [b#2], Inner, BuildRight, false
        Scan parquet t.a | [a#1] | number of output rows=3
        Scan parquet t.b | [b#2] | number of output rows=3
      Scan parquet t.c | [c#3] | number of output rows=3
"""


def ran(*plans: str, **conf: str) -> Outcome:
    executions = tuple(
        Execution(number, number, "report", 1000, 3500, None, parse(text.strip("\n"))[0], None, {}, ())
        for number, text in enumerate(plans)
    )
    whole = Application("app", "name", None, "4.3.0", 0, 1, Completeness.COMPLETE, Executors(), {}, executions)
    return Outcome("app", "4.3.0", 2500, Cluster(), queries(whole), {k.replace("_", "."): v for k, v in conf.items()})


def hint(name: str, side: str, outcome: Outcome) -> Action:
    """A hint for the join of a and b."""
    query = outcome.queries[0]
    (join,) = [j for j in query.joins if j.right.relations == ("t.b",)]
    return Action(ActionKind.HINT_JOIN, join.signature, name, query.fingerprint, (side,))


@pytest.mark.parametrize(
    ("name", "side", "expected"),
    [("BROADCAST", "t.b", True), ("BROADCAST", "t.a", False), ("NO_BROADCAST", "t.a", True), ("MERGE", "t.a", False)],
)
def test_a_hint(name: str, side: str, expected: bool) -> None:
    outcome = ran(PLAN)
    assert has_action(outcome, hint(name, side, outcome)) is expected


def test_one_execution_of_a_query_that_was_hinted_is_enough() -> None:
    merged = PLAN.replace(
        "BroadcastHashJoin | [a#1], [b#2], Inner, BuildRight, false", "SortMergeJoin | [a#1], [b#2], Inner"
    )
    both = ran(PLAN, merged)
    wanted = hint("BROADCAST", "t.b", both)
    assert {query.fingerprint for query in both.queries} == {wanted.query}
    assert has_action(both, wanted) and not has_action(ran(merged), wanted)


@pytest.mark.parametrize(("first", "second", "expected"), [("a", "b", True), ("b", "a", True), ("b", "c", False)])
def test_an_order_whichever_side_is_left(first: str, second: str, expected: bool) -> None:
    outcome = ran(PLAN)
    (query,) = outcome.queries
    (graph,) = query.graphs
    numbers = {relation.relations[0][-1]: number for number, relation in enumerate(graph.relations)}
    (last,) = set("abc") - {first, second}
    order = order_text(((numbers[first], numbers[second]), numbers[last]), graph)  # type: ignore[arg-type]
    action = Action(ActionKind.ORDER_JOINS, graph.signature, order, query.fingerprint)
    assert has_action(outcome, action) is expected


@pytest.mark.parametrize(("value", "expected"), [("10485760", True), ("10m", True), ("10500000", True), ("-1", False)])
def test_a_property_at_about_the_value(value: str, expected: bool) -> None:
    action = Action(ActionKind.SET_CONF, "spark.sql.autoBroadcastJoinThreshold", "10485760")
    assert has_action(ran(spark_sql_autoBroadcastJoinThreshold=value), action) is expected
    assert not has_action(ran(), action)


@pytest.mark.parametrize(("reused", "join", "expected"), [(True, "", True), (False, "", False), (True, "other", False)])
def test_groups_that_are_made_once(reused: bool, join: str, expected: bool) -> None:
    outcome = ran(PLAN)
    action = hint("SHARE", "t.b", outcome)
    shared = SharedSubplan(join or action.target, ("t.a", "t.b"), 2, reused=reused)
    (query,) = outcome.queries
    assert has_action(replace(outcome, queries=(replace(query, shared_subplans=(shared,)),)), action) is expected


@pytest.mark.parametrize(
    ("filtered", "source", "expected"), [(True, "t.b", True), (False, "t.b", False), (True, "t.c", False)]
)
def test_a_filter_by_key(filtered: bool, source: str, expected: bool) -> None:
    outcome = ran(PLAN)
    action = hint("FILTER_BY_KEY", "t.b", outcome)
    site = KeyFilterSite(action.target, ("t.a",), 10**6, 0.9, True, (source,), 3, filtered)
    (query,) = outcome.queries
    assert has_action(replace(outcome, queries=(replace(query, key_filters=(site,)),)), action) is expected
