"""Insight: spill."""

from __future__ import annotations

import pytest

from tuner.advice.insights.spill import spills
from tuner.spark.knobs import (
    ADVISORY_PARTITION_SIZE,
    COALESCE_PARTITIONS,
    FILES_MAX_PARTITION_BYTES,
    SHUFFLE_PARTITIONS,
)
from tuner.words.insights import insight_change

from .plans import facts, only

SPILLING = """
    Sort | [c#1 ASC NULLS FIRST], false, 0 | sort time=500; spill size={spilled}
      Scan parquet db.orders | [c#1] | number of output rows=9
"""

SHUFFLED = """
    Sort | [c#1 ASC NULLS FIRST], false, 0 | sort time=500; spill size=9000
      Exchange | hashpartitioning(c#1, 200) | shuffle records written=9; records read=9
        Scan parquet db.orders | [c#1]
"""
BY_NUMBER = SHUFFLED.replace("200)", "200), REPARTITION_BY_NUM")


def test_a_stage_that_spilled() -> None:
    given = facts(SPILLING.format(spilled=9000), disk_spilled_bytes=6_000, shuffle_read_bytes=36_000)
    found = only(spills, given)
    assert found.operator == "Sort by c over orders"
    assert found.seconds == 2.5  # 12 kB of 48 kB that its tasks moved were written and read in between
    assert found.numbers == {"property": SHUFFLE_PARTITIONS.property, "of_shuffle": True, "joined": False}
    files = facts(SPILLING.format(spilled=9000), disk_spilled_bytes=6_000, input_bytes=36_000)
    assert only(spills, files).numbers == {
        "property": FILES_MAX_PARTITION_BYTES.property,
        "of_shuffle": False,
        "joined": False,
    }


@pytest.mark.parametrize(
    ("text", "tasks", "conf", "advised"),
    [
        (SHUFFLED, 40, {}, f"lower {ADVISORY_PARTITION_SIZE.property} so that a task holds less, or"),
        (SHUFFLED, 200, {}, f"raise {SHUFFLE_PARTITIONS.property} so that a task holds less, or"),
        (SHUFFLED, 40, {COALESCE_PARTITIONS.property: "false"}, f"raise {SHUFFLE_PARTITIONS.property} so that"),
        (BY_NUMBER, 200, {}, "raise the number of partitions that the job sets"),
    ],
)
def test_what_makes_tasks_after_a_shuffle_smaller(text: str, tasks: int, conf: dict[str, str], advised: str) -> None:
    given = facts(text, conf=conf, tasks=tasks, disk_spilled_bytes=6_000, shuffle_read_bytes=36_000)
    assert insight_change(only(spills, given)).startswith(advised)


def test_no_property_makes_tasks_smaller_that_read_neither_files_nor_a_shuffle() -> None:
    cached = SPILLING.replace("Scan parquet db.orders", "InMemoryTableScan")
    for given in (
        facts(SPILLING.format(spilled=9000), disk_spilled_bytes=6_000),
        facts(cached.format(spilled=9000), disk_spilled_bytes=6_000, input_bytes=36_000),
    ):
        assert insight_change(only(spills, given)) == "give each task more memory"


def test_a_shuffle_that_spilled_while_it_was_written() -> None:
    found = only(spills, facts(SPILLING.format(spilled=0), disk_spilled_bytes=6_000))
    assert found.operator == "shuffle write over orders"


def test_what_an_aggregate_says_of_its_fallback_is_not_said_twice() -> None:
    text = """
        HashAggregate | (keys=[c#1], functions=[]) | number of sort fallback tasks=2; spill size=700
          Scan parquet db.orders | [c#1] | number of output rows=9
    """
    assert not list(spills(facts(text, disk_spilled_bytes=700)))
    assert not list(spills(facts(SPILLING.format(spilled=0))))
