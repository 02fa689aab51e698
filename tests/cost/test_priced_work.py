"""The same work has the same price."""

from __future__ import annotations

from tuner.cost.priced_work import priced_seconds
from tuner.cost.unit_costs import DEFAULT_COSTS
from tuner.model.query_work import BroadcastWork, QueryWork, StageWork


def test_work_is_priced_by_its_amounts_alone() -> None:
    stage = StageWork(1, 4, 99_000, {"scan": 1e8, "task": 4.0})
    expected = (1e8 * DEFAULT_COSTS.scan + 4 * DEFAULT_COSTS.task) / 1e9
    assert priced_seconds(QueryWork((stage,))) == expected


def test_a_broadcast_of_few_rows_costs_next_to_nothing_though_spark_counts_a_page_of_64_mib() -> None:
    tiny = BroadcastWork(rows=12, bytes=67_108_944, collect_ms=0, build_ms=0, broadcast_ms=0)
    assert priced_seconds(QueryWork((), (tiny,))) < 0.001
