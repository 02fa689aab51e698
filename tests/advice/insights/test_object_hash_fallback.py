"""Insight: object hash fallback."""

from __future__ import annotations

import pytest

from tuner.advice.insights.insight_facts import InsightFacts
from tuner.advice.insights.object_hash_fallback import object_hash_fallbacks

from .plans import facts, grouped, only, values

FALLBACK = "spark.sql.objectHashAggregate.sortBased.fallbackThreshold"


@pytest.mark.parametrize("metrics", ["number of sort fallback tasks=4", "spill size="])
def test_an_object_hash_aggregate_of_too_many_keys(metrics: str) -> None:
    found = only(object_hash_fallbacks, facts(grouped("ObjectHashAggregate", metrics, "collect_set(amount#2, 0, 0)")))
    assert values(found)["keys a task"] == 1000
    assert found.numbers == {"property": FALLBACK, "keys": 4000}


@pytest.mark.parametrize(
    "given",
    [
        facts(grouped("ObjectHashAggregate", "number of sort fallback tasks=")),
        facts(grouped("ObjectHashAggregate", "spill size="), conf={FALLBACK: "1000"}),
        facts(grouped("HashAggregate", "spill size=")),
    ],
)
def test_object_hash_aggregates_within_the_threshold(given: InsightFacts) -> None:
    assert not list(object_hash_fallbacks(given))
