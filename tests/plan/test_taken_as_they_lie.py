"""Joins whose rows code of the job's own takes as tasks have them are told from those with a shuffle between."""

from __future__ import annotations

import pytest

from tuner.plan.joins import find_joins

from .trees import plan

# By session of each customer, then by day.
SESSIONS = """
HashAggregate | keys=[day#9], functions=[count(1)] | number of output rows=3
  Exchange | hashpartitioning(day#9, 8), ENSURE_REQUIREMENTS | data size=80
    {taker} | found(k#1, v#2)#7, [k#8, day#9] | number of output rows=9
      Sort | [k#1 ASC NULLS FIRST, v#2 ASC NULLS FIRST], false, 0
        Project | [k#1, v#2]
          BroadcastHashJoin | [d#4], [d#5], Inner, BuildRight, false | number of output rows=9
            SortMergeJoin | [k#1], [k#3], Inner | number of output rows=9
              Exchange | hashpartitioning(k#1, 8), ENSURE_REQUIREMENTS | data size=160
                SortMergeJoin | [i#6], [i#11], Inner | number of output rows=20
                  Exchange | hashpartitioning(i#6, 8), ENSURE_REQUIREMENTS | data size=320
                    Scan parquet default.orders | [k#1, i#6] | number of output rows=20
                  Exchange | hashpartitioning(i#11, 8), ENSURE_REQUIREMENTS | data size=16
                    Scan parquet default.items | [i#11] | number of output rows=2
              Exchange | hashpartitioning(k#3, 8), ENSURE_REQUIREMENTS | data size=80
                Scan parquet default.events | [k#3, v#2, d#4] | number of output rows=10
            BroadcastExchange | HashedRelationBroadcastMode | data size=100
              Scan parquet default.days | [d#5] | number of output rows=2
"""


@pytest.mark.parametrize("taker", ["MapInPandas", "PythonMapInArrow", "MapPartitions", "SparkScriptTransformation"])
def test_joins_below_code_that_sees_rows_beside_each_other(taker: str) -> None:
    joins = find_joins(plan(SESSIONS.format(taker=taker)), finished=True)
    assert [join.taken_as_it_lies for join in joins] == [True, True, False]


@pytest.mark.parametrize("operator", ["MapElements", "ArrowEvalPython", "TakeOrderedAndProject"])
def test_others_take_each_row_by_itself_or_all_of_them(operator: str) -> None:
    joins = find_joins(plan(SESSIONS.format(taker=operator)), finished=True)
    assert not any(join.taken_as_it_lies for join in joins)


def test_the_first_rows_of_all_tasks_are_brought_together() -> None:
    text = SESSIONS.format(taker="MapInPandas").replace("Sort |", "TakeOrderedAndProject |")
    assert not any(join.taken_as_it_lies for join in find_joins(plan(text), finished=True))
