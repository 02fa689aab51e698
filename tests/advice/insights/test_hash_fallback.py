"""Insight: hash fallback."""

from __future__ import annotations

import pytest

from tuner.advice.insights.hash_fallback import hash_fallbacks
from tuner.spark.knobs import ADVISORY_PARTITION_SIZE

from .plans import facts, grouped, only, values

JOINED_PARTITIONS = (
    grouped("HashAggregate", "number of sort fallback tasks=2; spill size=700")
    .replace("(c#1, 4)", "(c#1, 200)")
    .replace("records written=9000", "records written=9000; records read=9000")
)


def test_a_hash_aggregate_that_fell_back() -> None:
    found = only(hash_fallbacks, facts(grouped("HashAggregate", "number of sort fallback tasks=2; spill size=700")))
    assert values(found)["tasks that fell back to sorting"] == 2
    assert found.seconds == 5  # two of four tasks
    assert found.operator == "HashAggregate by c over orders"
    assert found.numbers == {"partial": False, "property": ""}


def test_where_aqe_joined_its_partitions_more_of_them_would_be_joined_again() -> None:
    found = only(hash_fallbacks, facts(JOINED_PARTITIONS, shuffle_read_bytes=9))
    assert found.numbers == {"partial": False, "property": ADVISORY_PARTITION_SIZE.property}


def test_before_spark_counted_them_a_hash_aggregate_that_spilled_fell_back() -> None:
    assert only(hash_fallbacks, facts(grouped("HashAggregate", "spill size=700"))).seconds == 10


@pytest.mark.parametrize("metrics", ["number of sort fallback tasks=; spill size=700", "spill size=", "spill size=0"])
def test_hash_aggregates_that_did_not_fall_back(metrics: str) -> None:
    assert not list(hash_fallbacks(facts(grouped("HashAggregate", metrics))))
