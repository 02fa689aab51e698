"""The joins that the job hints, and the blocks that they part."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.advice.joins import inner, side
from tuner.model.agent_message import HintDirective, QueryDirectives
from tuner.model.agent_record import AgentRecord
from tuner.model.application import Execution
from tuner.model.directive_result import DirectiveResult, DirectiveStatus
from tuner.model.join_graph import GraphRelation, JoinGraph, RelationKind
from tuner.model.strategy import JoinType
from tuner.plan.hinted_joins import has_hinted, hinted_joins
from tuner.plan.joins import every_join
from tuner.plan.queries import in_full, query, query_and_plans

from .trees import parse, plan

PHYSICAL = """\
SortMergeJoin | [k#1], [k#3], Inner | number of output rows=5
  BroadcastHashJoin | [s#2], [s#4], Inner, BuildRight | number of output rows=5
    Scan parquet db.orders | [k#1,s#2] | number of output rows=5
    BroadcastExchange | HashedRelationBroadcastMode | data size=9
      Scan parquet db.stores | [s#4] | number of output rows=5
  Exchange | hashpartitioning(k#3, 8) | data size=9; shuffle records written=5
    Scan parquet db.items | [k#3] | number of output rows=5
"""
LOGICAL = """\
Aggregate [count(1) AS count#9L], Statistics(sizeInBytes=16.0 B)
+- Join Inner, (k#1 = k#3){items}, Statistics(sizeInBytes=1.0 GiB)
   :- Join Inner, (s#2 = s#4){stores}, Statistics(sizeInBytes=1.0 MiB)
"""
ITEMS, STORES = (join.signature for join in every_join(plan(PHYSICAL)))


@pytest.mark.parametrize(
    ("items", "stores", "expected"),
    [
        ("", "", set()),
        (", rightHint=(strategy=merge)", "", {ITEMS}),
        ("", ", leftHint=(strategy=broadcast)", {STORES}),
        (
            ", leftHint=(strategy=merge), rightHint=(strategy=merge)",
            ", rightHint=(strategy=broadcast)",
            {ITEMS, STORES},
        ),
    ],
)
def test_the_logical_plan_tells_them(items: str, stores: str, expected: set[str]) -> None:
    text = LOGICAL.format(items=items, stores=stores)
    assert {name for name, _ in hinted_joins(every_join(plan(PHYSICAL)), text, ())} == expected


def test_a_join_on_a_string_with_a_line_break_is_known() -> None:
    text = LOGICAL.format(items=", rightHint=(strategy=merge)", stores="").replace(
        "(k#1 = k#3)", "(k#1 = replace(k#3, \n, ))"
    )
    assert hinted_joins(every_join(plan(PHYSICAL)), text, ()) == {(ITEMS, 0)}


def test_those_that_the_agent_hinted_are_not_the_jobs() -> None:
    text = LOGICAL.format(items=", rightHint=(strategy=broadcast)", stores=", rightHint=(strategy=broadcast)")
    assert hinted_joins(every_join(plan(PHYSICAL)), text, [ITEMS]) == {(STORES, 0)}


def test_without_a_logical_plan_none_is_known() -> None:
    assert not hinted_joins(every_join(plan(PHYSICAL)), None, ())


def _run(*said: DirectiveResult, items: str = ", rightHint=(strategy=merge)") -> Execution:
    initial, accumulators = parse(PHYSICAL)
    text = LOGICAL.format(items=items, stores="")
    return Execution(4, 4, "", 0, 9, None, initial, None, accumulators, (), steered=said, logical_plan=text)


@pytest.mark.parametrize(
    ("name", "status", "hinted"),
    [
        pytest.param("MERGE", DirectiveStatus.APPLIED, False, id="by the agent"),
        pytest.param("MERGE", DirectiveStatus.IGNORED, True, id="before the agent came to it"),
        pytest.param("FILTER_BY_KEY", DirectiveStatus.APPLIED, True, id="beside a filter of the agent's"),
    ],
)
def test_a_query_has_them_marked(name: str, status: DirectiveStatus, hinted: bool) -> None:
    alone = query(_run(), ())
    assert alone is not None
    hint = HintDirective("a1", ITEMS, name, ("db.items",))
    steering = AgentRecord((QueryDirectives(alone.fingerprint, hints=(hint,)),), is_directed=True, loaded=True)
    found = query_and_plans(_run(DirectiveResult("a1", status)), (), steering)
    assert found is not None
    assert {join.signature: join.hinted for join in found[0].joins} == {ITEMS: hinted, STORES: False}


@pytest.mark.parametrize(("items", "blocks"), [("", 1), (", rightHint=(strategy=merge)", 0)])
def test_its_blocks_have_none(items: str, blocks: int) -> None:
    run = _run(items=items)
    found = query_and_plans(run, ())
    assert found is not None
    assert len(in_full(found, (), run.logical_plan).graphs) == blocks


def test_what_an_agent_may_have_hinted_is_not_the_jobs() -> None:
    found = query_and_plans(_run(), (), AgentRecord(is_directed=True, loaded=True))
    assert found is not None
    assert not any(join.hinted for join in found[0].joins)


def _block(*relations: str) -> JoinGraph:
    return JoinGraph("g", tuple(GraphRelation(r, (r,), RelationKind.SCAN) for r in relations), (), (), {}, 0)


@pytest.mark.parametrize(
    ("type_", "hinted", "expected"),
    [(JoinType.INNER, True, True), (JoinType.INNER, False, False), (JoinType.LEFT_SEMI, True, False)],
)
def test_a_block_ends_at_one(type_: JoinType, hinted: bool, expected: bool) -> None:
    join = replace(inner(side("a"), side("b"), type_=type_), hinted=hinted)
    assert has_hinted(_block("a", "b", "c"), [join]) is expected
    assert not has_hinted(_block("a", "c", "d"), [join])
