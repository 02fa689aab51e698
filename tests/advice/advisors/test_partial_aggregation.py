"""Leaving out the aggregation before a shuffle."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.advice.joins import aggregate, facts, query
from tuner.advice.advisors.partial_aggregation import advise_partial_aggregation
from tuner.advice.facts import Facts
from tuner.model.query import AggregateSite, Query, QueryStatus
from tuner.spark.knobs import BYPASS_PARTIAL_AGGREGATION
from tuner.words.reasons import reason_words

KEY = BYPASS_PARTIAL_AGGREGATION.property

ALL_GROUPS = aggregate(rows=40_000_000, groups=39_900_000, shuffle_bytes=1_200_000_000, partial=True)
FEW_GROUPS = aggregate(rows=40_000_000, groups=40_000, shuffle_bytes=1_200_000, partial=True)


def grouping(*sites: AggregateSite, seconds: float = 60.0) -> Query:
    return replace(query(seconds=seconds), aggregates=sites)


def _advised(job: Facts) -> bool:
    found = list(advise_partial_aggregation(job))
    assert all([(a.target, a.value) for a in r.actions] == [(KEY, "true")] for r in found)
    return bool(found)


def test_where_nearly_every_row_is_its_own_group() -> None:
    (found,) = advise_partial_aggregation(facts(grouping(ALL_GROUPS), version="4.3.0"))
    assert "still left 99.8% of 40.0M rows" in reason_words(found.reason)
    predicted = found.prediction
    assert 0 <= predicted.low <= predicted.after <= predicted.high < predicted.before


@pytest.mark.parametrize(
    "job",
    [
        pytest.param(facts(grouping(ALL_GROUPS), version="4.2.1"), id="Spark before 4.3"),
        pytest.param(facts(grouping(ALL_GROUPS), version="4.3.0", conf={KEY: "false"}), id="the user decided"),
        pytest.param(facts(grouping(FEW_GROUPS), version="4.3.0"), id="it merges"),
        pytest.param(
            facts(grouping(ALL_GROUPS), grouping(FEW_GROUPS), version="4.3.0"), id="another query needs it to merge"
        ),
        pytest.param(
            facts(grouping(ALL_GROUPS), grouping(replace(ALL_GROUPS, output_rows=None)), version="4.3.0"),
            id="what another query would lose is not known",
        ),
        pytest.param(
            facts(grouping(ALL_GROUPS), replace(query(), status=QueryStatus.FAILED), version="4.3.0"),
            id="what a failed query would lose is not known",
        ),
        pytest.param(facts(grouping(replace(ALL_GROUPS, bypassable=False)), version="4.3.0"), id="DISTINCT needs it"),
        pytest.param(
            facts(
                grouping(replace(ALL_GROUPS, input_rows=40_000, output_rows=39_900, shuffle_bytes=1_200_000)),
                version="4.3.0",
            ),
            id="too few rows to matter",
        ),
        pytest.param(facts(query(), version="4.3.0"), id="nothing is aggregated"),
    ],
)
def test_what_is_left_alone(job: Facts) -> None:
    assert not _advised(job)


def test_a_small_aggregate_that_merges_is_no_reason_against_a_large_one_that_does_not() -> None:
    small = replace(FEW_GROUPS, input_rows=40_000, output_rows=40, shuffle_bytes=1_200)
    assert _advised(facts(grouping(ALL_GROUPS), grouping(small), version="4.3.0"))
