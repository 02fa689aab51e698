"""The joins that the job hints, and the blocks that they part."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.advice.joins import inner, query, side
from tuner.model.directive_result import DirectiveResult, DirectiveStatus
from tuner.model.join_graph import GraphRelation, JoinGraph, RelationKind
from tuner.model.strategy import JoinType
from tuner.plan.hinted_joins import has_hinted, hinted_joins
from tuner.plan.joins import every_join
from tuner.plan.queries import in_full

from .trees import plan

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


def test_those_that_the_agent_hinted_are_not_the_jobs() -> None:
    text = LOGICAL.format(items=", rightHint=(strategy=broadcast)", stores=", rightHint=(strategy=broadcast)")
    assert hinted_joins(every_join(plan(PHYSICAL)), text, [ITEMS]) == {(STORES, 0)}


def test_without_a_logical_plan_none_is_known() -> None:
    assert not hinted_joins(every_join(plan(PHYSICAL)), None, ())


@pytest.mark.parametrize(
    ("status", "hinted"),
    [(DirectiveStatus.APPLIED, False), (DirectiveStatus.IGNORED, True), (DirectiveStatus.HELD, True)],
)
def test_a_query_has_them_marked(status: DirectiveStatus, hinted: bool) -> None:
    root = plan(PHYSICAL)
    (left, right) = (side("db.orders", "db.stores"), side("db.items"))
    join = replace(inner(left, right), signature=ITEMS)
    found = replace(query(join), directives=(DirectiveResult("a1", status, join=ITEMS),))
    text = LOGICAL.format(items=", rightHint=(strategy=merge)", stores="")
    (marked,) = in_full((found, root, root), (), text).joins
    assert marked.hinted is hinted


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
