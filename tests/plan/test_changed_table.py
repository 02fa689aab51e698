"""What MERGE, UPDATE and DELETE join to the table that they change is told from what they read to know which rows to change."""

from __future__ import annotations

from tuner.advice.steering_reach import Reach
from tuner.plan.changed_table import above_changed_table
from tuner.plan.join_blocks import join_graphs
from tuner.plan.joins import find_joins
from tuner.plan.key_filter_sites import key_filter_sites
from tuner.plan.measured_plan import MeasuredPlan
from tuner.plan.not_deterministic import not_deterministic
from tuner.plan.shared_subplans import shared_subplans

from .trees import plan

# What Spark 3.5 makes of a MERGE of an Iceberg table (merge-on-read), less what has one input.
MERGE = """
WriteDelta | org.apache.iceberg.spark.source.SparkPositionDeltaWrite@27e0037
  MergeRowsExec | [__row_operation#8, k#1, v#2]
    SortMergeJoin | [k#1], [k#21], Inner | number of output rows=9
      Exchange | hashpartitioning(k#1, 8), ENSURE_REQUIREMENTS | data size=1600000; shuffle records written=200000
        Project | [k#1, v#2, true AS __row_from_target#5, monotonically_increasing_id() AS __row_id#6L]
          BatchScan ice.db.target | [k#1, v#2] ice.db.target (branch=null) | number of output rows=200000
      Exchange | hashpartitioning(k#21, 8), ENSURE_REQUIREMENTS | data size=72; shuffle records written=9
        Project | [k#21, w#22, true AS __row_from_source#23]
          BroadcastHashJoin | [d#24], [d#25], Inner, BuildRight, false | number of output rows=9
            BroadcastHashJoin | [i#26], [i#27], Inner, BuildRight, false | number of output rows=900
              Scan parquet default.facts | [k#21, w#22, d#24, i#26] | number of output rows=1000
              BroadcastExchange | HashedRelationBroadcastMode | data size=100; number of output rows=10
                Scan parquet default.items | [i#27] | number of output rows=10
            BroadcastExchange | HashedRelationBroadcastMode | data size=100; number of output rows=2
              Scan parquet default.days | [d#25] | number of output rows=2
"""
UPDATE = """
ReplaceData | IcebergWrite(table=ice.db.target, format=PARQUET)
  Union |
    Project | [k#1, (v#2 + 1) AS v#3]
      BroadcastHashJoin | [k#1], [k#21], LeftSemi, BuildRight, false | number of output rows=9
        BatchScan ice.db.target | [k#1, v#2] ice.db.target (branch=null) | number of output rows=200000
        BroadcastExchange | HashedRelationBroadcastMode | data size=72; number of output rows=9
          Scan parquet default.facts | [k#21] | number of output rows=9
    Project | [k#11, v#12]
      Filter | NOT (exists#13 <=> true) | number of output rows=199991
        BroadcastHashJoin | [k#11], [k#31], ExistenceJoin(exists#13), BuildRight, false | number of output rows=200000
          BatchScan ice.db.target | [k#11, v#12] ice.db.target (branch=null) | number of output rows=200000
          BroadcastExchange | HashedRelationBroadcastMode | data size=72; number of output rows=9
            Scan parquet default.facts | [k#31] | number of output rows=9
"""


def test_joins_with_the_changed_table_are_told_from_others() -> None:
    joins = find_joins(plan(MERGE), finished=True)
    assert [(join.left.relations, join.with_changed_table) for join in joins] == [
        (("ice.db.target",), True),
        (("default.facts", "default.items"), False),
        (("default.facts",), False),
    ]
    assert [join.with_changed_table for join in find_joins(plan(UPDATE), finished=True)] == [True, True]
    reached = [Reach.AGENT.hints(join, join.right) for join in joins]
    assert reached == [False, True, True]


def test_no_order_holds_the_changed_table() -> None:
    (graph,) = join_graphs(plan(MERGE), finished=True)
    assert [relation.relations for relation in graph.relations] == [
        ("default.facts",), ("default.items",), ("default.days",),
    ]  # fmt: skip


def test_its_rows_are_not_filtered_nor_are_parts_shared() -> None:
    as_read = MERGE[MERGE.index("    SortMergeJoin") :]
    assert [site.relations for site in key_filter_sites(MeasuredPlan(plan(as_read), ()))] == [("ice.db.target",)]
    assert [key_filter_sites(MeasuredPlan(plan(text), ())) for text in (MERGE, UPDATE)] == [(), ()]
    assert shared_subplans(plan(UPDATE)) == ()


def test_the_numbers_of_its_rows_change_no_result() -> None:
    assert not_deterministic(plan(MERGE)) == ""
    elsewhere = "Project | [monotonically_increasing_id() AS __row_id#6L]\n  Scan parquet default.f | [id#1L]"
    assert not_deterministic(plan(elsewhere)) == "monotonically_increasing_id"
    for drawn in ("monotonically_increasing_id() AS n#30L", "rand(7) AS n#30"):
        other = MERGE.replace("true AS __row_from_source#23", f"{drawn}, true AS __row_from_source#23")
        assert not_deterministic(plan(other)) == drawn.partition("(")[0]
    also = MERGE.replace("AS __row_id#6L", "AS __row_id#6L, rand(7) AS r#9")
    assert not_deterministic(plan(also)) == "rand"


def test_of_other_plans_nothing_is_above_a_changed_table() -> None:
    assert above_changed_table(plan("AppendData | x\n  Scan parquet default.f | [id#1L]")) == set()
