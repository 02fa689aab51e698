"""Insight: spill."""

from __future__ import annotations

from tuner.advice.insights.spill import spills
from tuner.spark.knobs import FILES_MAX_PARTITION_BYTES, SHUFFLE_PARTITIONS

from .plans import facts, only

SPILLING = """
    Sort | [c#1 ASC NULLS FIRST], false, 0 | sort time=500; spill size={spilled}
      Scan parquet db.orders | [c#1] | number of output rows=9
"""


def test_a_stage_that_spilled() -> None:
    given = facts(SPILLING.format(spilled=9000), disk_spilled_bytes=6_000, shuffle_read_bytes=36_000)
    found = only(spills, given)
    assert found.operator == "Sort by c over orders"
    assert found.seconds == 2.5  # 12 kB of 48 kB that its tasks moved were written and read in between
    assert found.numbers == {"property": SHUFFLE_PARTITIONS.property, "of_shuffle": True}
    files = facts(SPILLING.format(spilled=9000), disk_spilled_bytes=6_000, input_bytes=36_000)
    assert only(spills, files).numbers == {"property": FILES_MAX_PARTITION_BYTES.property, "of_shuffle": False}


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
