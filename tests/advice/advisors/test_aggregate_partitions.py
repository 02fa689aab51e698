"""More partitions for hash maps that outgrew their tasks."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.advice.joins import aggregate, facts, query
from tuner.advice.advisors.aggregate_partitions import advise_aggregate_partitions
from tuner.advice.facts import Facts
from tuner.model.query import AggregateSite, Query, ShuffleExchange
from tuner.model.query_work import WorkInBrief
from tuner.spark.knobs import ADVISORY_PARTITION_SIZE, COALESCE_INITIAL_PARTITIONS, SHUFFLE_PARTITIONS
from tuner.words.reasons import reason_words

INITIAL = COALESCE_INITIAL_PARTITIONS.property
KEY = SHUFFLE_PARTITIONS.property
ADVISORY = ADVISORY_PARTITION_SIZE.property

OUTGREW = aggregate(
    rows=60_000_000, groups=50_000_000, shuffle_bytes=2_000_000_000, fallback_tasks=8, tasks=8, spilled=6_000_000_000
)
NO_COALESCING = {KEY: "8", "spark.sql.adaptive.coalescePartitions.enabled": "false"}


def grouping(site: AggregateSite, *, spilled: int = 0, adjustable: bool = True) -> Query:
    shuffle = ShuffleExchange(8, site.shuffle_bytes, (site.shuffle_bytes or 0) // 4, 60_000_000, 10, adjustable)
    return replace(query(seconds=120, shuffles=(shuffle,), spilled_bytes=spilled), aggregates=(site,))


def _wanted(job: Facts) -> int | None:
    found = list(advise_aggregate_partitions(job))
    assert len(found) <= 1
    return int(found[0].actions[0].value) if found else None


def test_as_many_partitions_as_the_hash_maps_ask_for() -> None:
    wanted = _wanted(facts(grouping(OUTGREW), conf=NO_COALESCING))
    assert wanted is not None
    assert wanted >= 16


def test_a_job_that_writes_gets_no_more_files_than_its_bytes_fill() -> None:
    def writing(output_bytes: int) -> Facts:
        found = replace(grouping(OUTGREW), writes=True, output_bytes=output_bytes, output_files=8)
        return facts(found, conf=NO_COALESCING)

    assert _wanted(writing(1 << 40)) is not None
    assert _wanted(writing(500_000_000)) is None


def test_of_a_loop_each_execution_gains_as_its_segments_cost_in_each() -> None:
    """One of them all is kept in full, to say what one gains."""
    full = grouping(OUTGREW)
    brief = replace(full, aggregates=(), work_in_brief=WorkInBrief(1.0, 0))
    loop = [replace(brief, id=1000 + n) for n in range(400)]
    (one,), (every,) = (
        advise_aggregate_partitions(facts(*queries, conf=NO_COALESCING)) for queries in ([full], [full, *loop])
    )
    assert every.actions == one.actions
    assert every.prediction.gain == pytest.approx(401 * one.prediction.gain)


def test_it_says_why_in_numbers() -> None:
    (found,) = advise_aggregate_partitions(facts(grouping(OUTGREW), conf=NO_COALESCING))
    assert "instead of 8" in reason_words(found.reason) and "in 8 tasks) did not fit in memory" in reason_words(
        found.reason
    )
    predicted = found.prediction
    assert 0 <= predicted.low <= predicted.after <= predicted.high < predicted.before


@pytest.mark.parametrize(
    "job",
    [
        pytest.param(facts(grouping(replace(OUTGREW, fallback_tasks=0)), conf=NO_COALESCING), id="it fitted"),
        pytest.param(facts(grouping(replace(OUTGREW, fallback_tasks=None)), conf=NO_COALESCING), id="not counted"),
        pytest.param(
            facts(grouping(replace(OUTGREW, partial=True)), conf=NO_COALESCING), id="before the shuffle, files decide"
        ),
        pytest.param(facts(grouping(OUTGREW, adjustable=False), conf=NO_COALESCING), id="the user gave the number"),
        pytest.param(
            facts(grouping(OUTGREW), conf={KEY: "8", ADVISORY: "1g"}), id="AQE would join the partitions again"
        ),
        pytest.param(facts(grouping(OUTGREW), conf={**NO_COALESCING, INITIAL: "64"}), id="AQE starts from the user's"),
        pytest.param(facts(grouping(OUTGREW, spilled=10**10), conf={KEY: "8"}), id="bytes already ask for more"),
        pytest.param(facts(query()), id="nothing is aggregated"),
    ],
)
def test_what_is_left_alone(job: Facts) -> None:
    assert _wanted(job) is None
