"""Which queries are of streams that keep state, and which shuffles place it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.golden.streams import LOG
from tuner.eventlog.find import find_logs
from tuner.eventlog.read import read_application
from tuner.plan.queries import queries
from tuner.plan.shuffles import find_shuffles
from tuner.plan.stateful import keeps_state

from .trees import plan

COUNTED = """
HashAggregate | keys=[k#1], functions=[count(1)]
  StateStoreSave | [k#1], state info
    HashAggregate | keys=[k#1], functions=[merge_count(1)]
      StateStoreRestore | [k#1], state info
        Exchange | hashpartitioning(k#1, 4), ENSURE_REQUIREMENTS, [plan_id=7]
          SortMergeJoin | [j#2], [j#3], Inner
            Exchange | hashpartitioning(j#2, 8), ENSURE_REQUIREMENTS, [plan_id=5]
              Scan parquet default.events | [k#1, j#2]
            Exchange | hashpartitioning(j#3, 8), ENSURE_REQUIREMENTS, [plan_id=6]
              Scan parquet default.dim | [j#3]
"""


def test_the_shuffle_that_feeds_state_has_its_number_and_those_below_their_own() -> None:
    found = find_shuffles(plan(COUNTED), {})
    assert {(shuffle.partitions, shuffle.adjustable) for shuffle in found} == {(4, False), (8, True)}


@pytest.mark.parametrize(
    ("operator", "keeps"),
    [
        ("StateStoreSave", True),
        ("SessionWindowStateStoreRestore", True),
        ("StreamingSymmetricHashJoin", True),
        ("StreamingDeduplicateWithinWatermark", True),
        ("StreamingGlobalLimit", True),
        ("FlatMapGroupsWithState", True),
        ("FlatMapGroupsInPandasWithState", True),
        ("TransformWithStateInPySpark", True),
        ("StreamingRelation", False),
        ("EventTimeWatermark", False),
        ("HashAggregate", False),
    ],
)
def test_operators_that_keep_state_are_known_by_name(operator: str, keeps: bool) -> None:
    assert keeps_state(plan(f"{operator} | x\n  Scan parquet default.events | [k#1]")) is keeps


def test_a_real_stream_keeps_state_in_as_many_partitions_as_its_checkpoint_has() -> None:
    (log,) = find_logs(LOG)
    application = read_application(log)
    batches = [query for query in queries(application) if query.shuffles]
    assert batches
    assert all(query.keeps_state for query in batches)
    assert not any(shuffle.adjustable for query in batches for shuffle in query.shuffles)
    # Up to Spark 4.0 the session of each batch has the number.
    told = {"spark.sql.shuffle.partitions": "4"}
    old = replace(application, executions=tuple(replace(one, modified_conf=told) for one in application.executions))
    assert not any(shuffle.adjustable for query in queries(old) for shuffle in query.shuffles)
