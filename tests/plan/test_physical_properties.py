"""How rows of operators come, by their texts."""

from __future__ import annotations

import pytest

from tests.plan.trees import plan
from tuner.plan.physical_properties import physical_properties


@pytest.mark.parametrize(
    ("text", "partitioned", "ordered"),
    [
        ("Scan | FileScan parquet [a#1]", (), ()),
        (
            """
            Exchange | hashpartitioning(a#1L, coalesce(b#2, 0), 200), ENSURE_REQUIREMENTS, [plan_id=1]
              Scan | x
            """,
            (("a#1L", "coalesce(b#2, 0)"),),
            (),
        ),
        (
            """
            Exchange | SinglePartition, ENSURE_REQUIREMENTS
              Scan | x
            """,
            ((),),
            (),
        ),
        (
            """
            Exchange | rangepartitioning(a#1 ASC NULLS FIRST, 200)
              Scan | x
            """,
            (),
            (),
        ),
        (
            """
            Filter | (n#3 > 1)
              HashAggregate | (keys=[a#1], functions=[count(1)])
                Sort | [a#1 ASC NULLS FIRST], false, 0
                  Exchange | hashpartitioning(a#1, 200)
                    Scan | x
            """,
            (("a#1",),),
            (),
        ),
        (
            """
            Window | [rank(a#1)]
              Sort | [a#1 ASC NULLS FIRST, b#2 DESC NULLS LAST], false, 0
                Exchange | hashpartitioning(a#1, 200)
                  Scan | x
            """,
            (("a#1",),),
            (("a#1",), ("b#2",)),
        ),
        (
            """
            Union
              Exchange | hashpartitioning(a#1, 200)
              Exchange | hashpartitioning(a#2, 200)
            """,
            (),
            (),
        ),
    ],
    ids=["scan", "shuffle", "one partition", "range", "hash aggregate", "window", "union"],
)
def test_partitions_and_order(
    text: str, partitioned: tuple[tuple[str, ...], ...], ordered: tuple[tuple[str, ...], ...]
) -> None:
    rows = physical_properties(plan(text))
    assert (rows.partitioned, rows.sorted) == (partitioned, ordered)


@pytest.mark.parametrize(
    ("join", "partitioned", "ordered"),
    [
        ("SortMergeJoin | [a#1], [b#2], Inner", (("a#1",), ("b#2",)), (("a#1", "b#2"),)),
        ("SortMergeJoin | [a#1], [b#2], LeftOuter", (("a#1",),), (("a#1",),)),
        ("SortMergeJoin | [a#1], [b#2], RightOuter", (("b#2",),), (("b#2",),)),
        ("SortMergeJoin | [a#1], [b#2], LeftSemi", (("a#1",),), (("a#1",),)),
        ("SortMergeJoin | [a#1], [b#2], FullOuter", (), ()),
        ("ShuffledHashJoin | [a#1], [b#2], Inner, BuildRight", (("a#1",), ("b#2",)), ()),
        ("BroadcastHashJoin | [a#1], [b#2], LeftOuter, BuildRight, false", (("a#1",),), ()),
        ("BroadcastHashJoin | [a#1], [b#2], RightOuter, BuildLeft, false", (("b#2",),), ()),
        ("CartesianProduct | (a#1 > b#2)", (), ()),
    ],
)
def test_a_join_keeps_the_partitions_that_its_type_keeps(
    join: str, partitioned: tuple[tuple[str, ...], ...], ordered: tuple[tuple[str, ...], ...]
) -> None:
    rows = physical_properties(
        plan(
            f"""
            {join}
              Exchange | hashpartitioning(a#1, 200)
                Scan | x
              Exchange | hashpartitioning(b#2, 200)
                Scan | x
            """
        )
    )
    assert (rows.partitioned, rows.sorted) == (partitioned, ordered)
