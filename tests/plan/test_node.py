"""Operators without the wrappers around them, with their metrics."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tuner.model.application import MetricInfo, PlanInfo
from tuner.plan.node import PlanNode, build_tree

from .trees import fixture, plan


def outline(node: PlanNode, depth: int = 0) -> Iterator[str]:
    yield "  " * depth + node.name
    for child in node.children:
        yield from outline(child, depth + 1)


def test_wrappers_are_removed_wherever_they_stand() -> None:
    assert list(outline(plan(fixture("star.txt")))) == [
        "Project",
        "  SortMergeJoin",
        "    Sort",
        "      Exchange",
        "        Project",
        "          BroadcastHashJoin",
        "            Exchange",
        "              Filter",
        "                Scan",
        "            BroadcastExchange",
        "              Exchange",
        "                Project",
        "                  Filter",
        "                    Scan",
        "    Sort",
        "      Exchange",
        "        Scan",
    ]


def test_a_plan_with_and_without_wrappers_is_the_same() -> None:
    bare = plan("Sort | [a#1], true, 0\n  Scan parquet | [a#1]")
    wrapped = plan(
        """
        AdaptiveSparkPlan | isFinalPlan=false
          WholeStageCodegen (1)
            Sort | [a#1], true, 0
              InputAdapter
                CustomShuffleReader
                  ColumnarToRow
                    Scan parquet | [a#1]
        """
    )
    assert wrapped == bare


def test_metrics_go_by_name_and_what_was_not_measured_is_missing() -> None:
    node = plan("Scan parquet | [a#1] | number of output rows=5; size of files read=; scan time=3")
    assert node.metrics == {"number of output rows": 5, "scan time": 3}
    assert set(node.metric_ids) == {"number of output rows", "size of files read", "scan time"}


def test_old_names_of_metrics_are_the_new_ones() -> None:
    info = PlanInfo("Exchange", metrics=(MetricInfo("data size total (min, med, max)", 7),))
    assert build_tree(info, {7: 42}).metrics == {"data size": 42}


def test_subqueries_stand_apart_from_inputs() -> None:
    root = plan(
        """
        Filter | (a#1 > scalar-subquery#3 [])
          Scan parquet | [a#1]
          Subquery | subquery#3, [id=#9]
            AdaptiveSparkPlan | isFinalPlan=true
              HashAggregate | keys=[], functions=[max(b#2)]
                Scan parquet | [b#2]
        """
    )
    assert [child.name for child in root.children] == ["Scan"]
    assert [subquery.name for subquery in root.subqueries] == ["Subquery"]
    assert [node.name for node in root.walk()] == ["Filter", "Scan"]
    assert [node.name for node in root.walk_all()] == ["Filter", "Scan", "Subquery", "HashAggregate", "Scan"]
    assert list(root.walk_query()) == list(root.walk_all())


def test_subqueries_of_a_wrapper_go_to_what_it_wraps() -> None:
    root = plan(
        """
        WholeStageCodegen (1)
          Filter | (a#1 > 5)
            Scan parquet | [a#1]
          Subquery | subquery#3
            Scan parquet | [b#2]
        """
    )
    assert (root.name, [s.name for s in root.subqueries]) == ("Filter", ["Subquery"])


def test_what_made_an_rdd_is_no_part_of_a_query_that_reads_it() -> None:
    made = """
        BroadcastHashJoin | [k#1], [k#3], Inner, BuildRight, false, false
          Scan ExistingRDD | [k#1]
            AdaptiveSparkPlan | isFinalPlan=true
              SortMergeJoin | [k#1], [j#2], Inner
                Scan parquet | [k#1]
                Scan parquet | [j#2]
          Scan parquet | [k#3]
    """
    assert list(outline(plan(made))) == ["BroadcastHashJoin", "  Scan", "  Scan"]


PRUNED = """
    Scan parquet | [a#1,day#2] PartitionFilters: [dynamicpruningexpression(day#2 IN dynamicpruning#7)]
      {pruning}
        Scan parquet | [d#3]
"""


@pytest.mark.parametrize(
    "pruning",
    [
        "SubqueryBroadcast | dynamicpruning#7, 0, [d#3], [id=#5]",
        "SubqueryAdaptiveBroadcast | dynamicpruning#7, 0, true, Project [d#3], [d#3]",
        # Of other engines, which run it in Spark's place.
        "GpuSubqueryBroadcast | dynamicpruning#7, [d#3]",
        "ColumnarSubqueryBroadcast | dynamicpruning#7, 0, [d#3], [id=#5]",
    ],
)
def test_dynamic_pruning_is_no_part_of_the_query(pruning: str) -> None:
    root = plan(PRUNED.format(pruning=pruning))
    assert [node.name for node in root.walk_query()] == ["Scan"]
    assert len(list(root.walk_all())) == 3


def test_nor_is_what_another_scan_reuses_of_it() -> None:
    reused = """ReusedSubquery | SubqueryBroadcast dynamicpruning#7, 0, [d#3]
        SubqueryBroadcast | dynamicpruning#7, 0, [d#3], [id=#5]"""
    assert [node.name for node in plan(PRUNED.format(pruning=reused)).walk_query()] == ["Scan"]


def test_bloom_filters_are_no_part_of_the_query_reused_or_not() -> None:
    root = plan(
        """
        Filter | might_contain(scalar-subquery#8 [id=#5], xxhash64(a#1, 42))
          Scan parquet | [a#1]
          Subquery | subquery#8, [id=#5]
            ObjectHashAggregate | keys=[], functions=[bloom_filter_agg(xxhash64(b#2, 42), 10, 100, 0, 0)]
              Scan parquet | [b#2]
          ReusedSubquery | Subquery subquery#8, [id=#5]
            Subquery | subquery#8, [id=#5]
              ObjectHashAggregate | keys=[], functions=[bloom_filter_agg(xxhash64(b#2, 42), 10, 100, 0, 0)]
                Scan parquet | [b#2]
        """
    )
    assert [node.name for node in root.walk_query()] == ["Filter", "Scan"]


def test_a_plan_may_be_deeper_than_python_recurses() -> None:
    info = PlanInfo("Scan")
    for depth in range(5000):
        info = PlanInfo("Project", str(depth), children=(info, PlanInfo("Subquery", children=(PlanInfo("Scan"),))))
    nodes = list(build_tree(info, {}).walk())
    assert [node.text for node in nodes] == [*(str(depth) for depth in reversed(range(5000))), ""]
    assert all([node.name for node in project.subqueries] == ["Subquery"] for project in nodes[:-1])
