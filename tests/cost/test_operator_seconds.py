"""Seconds of operators, calibrated to what a history measured."""

from __future__ import annotations

import pytest

from tuner.cost.operator_seconds import (
    CALIBRATION_ROWS,
    broadcast_seconds,
    calibrate,
    join_core_seconds,
    sending_ns,
    shuffle_core_seconds,
    shuffled_hash_core_seconds,
    sort_core_seconds,
    sort_merge_core_seconds,
)
from tuner.cost.unit_costs import UnitCosts
from tuner.model.join_site import JoinSide, JoinSite
from tuner.model.query import Query, QueryStatus
from tuner.model.strategy import JoinType, Strategy


def side(
    relation: str, rows: int | None = None, sort_ms: int | None = None, shuffle_bytes: int | None = None
) -> JoinSide:
    return JoinSide((relation,), rows=rows, sort_ms=sort_ms, shuffle_bytes=shuffle_bytes)


def inner(left: JoinSide, right: JoinSide, strategy: Strategy = Strategy.SORT_MERGE) -> JoinSite:
    return JoinSite("s", 0, JoinType.INNER, strategy, None, (), left, right, output_rows=1, planned_strategy=None)


def query(*joins: JoinSite) -> Query:
    return Query(1, 1, "q", "", 0, 1000, QueryStatus.SUCCEEDED, joins)


def test_sorting_is_calibrated_to_the_sorts_that_were_measured() -> None:
    small = side("d", rows=CALIBRATION_ROWS - 1, sort_ms=60_000)
    sorted_ = inner(side("a", rows=1_000_000, sort_ms=500), side("b", rows=3_000_000, sort_ms=2_500))
    costs = calibrate([query(sorted_, inner(small, small))])
    assert costs.sort == pytest.approx(3_000 * 1e6 / 4_000_000)
    assert costs.probe == UnitCosts().probe


def test_without_large_sorts_the_prior_holds() -> None:
    assert calibrate([]) == UnitCosts()
    assert calibrate([query(inner(side("a", rows=10, sort_ms=99), side("b", rows=None)))]) == UnitCosts()


def test_a_measured_sort_counts_as_measured_and_others_by_rows() -> None:
    costs = UnitCosts(sort=200, sort_insert=100)
    assert sort_core_seconds(side("a", rows=1_000_000, sort_ms=2_000), costs) == pytest.approx(2.1)
    assert sort_core_seconds(side("a", rows=1_000_000), costs) == pytest.approx(0.3)
    assert sort_core_seconds(side("a", rows=None), costs) == 0


def test_a_sort_merge_join_is_two_sorts_and_a_merge() -> None:
    costs = UnitCosts(sort=200, sort_insert=100, merge=50)
    join = inner(side("a", rows=1_000_000), side("b", rows=1_000_000))
    assert sort_merge_core_seconds(join, costs) == pytest.approx(0.3 + 0.3 + 0.1)


def test_shuffling_costs_by_the_byte() -> None:
    assert shuffle_core_seconds(side("a", shuffle_bytes=10**9), UnitCosts(shuffle_write=10, shuffle_read=5)) == 15
    assert shuffle_core_seconds(side("a"), UnitCosts()) == 0


def test_a_broadcast_waits_for_the_driver_and_for_each_doubling_of_the_executors() -> None:
    costs = UnitCosts(broadcast_build=1000, collect=10, broadcast=2, probe=100)
    build, probe = side("d", rows=1_000_000), side("f", rows=10_000_000)
    found = broadcast_seconds(build, probe, 10**8, executors=8, costs=costs)
    assert found.serial == pytest.approx(1.0 + 0.1 * (10 + 2 * (1 + 3)))
    assert found.probe_core == pytest.approx(1.0)
    assert broadcast_seconds(build, probe, 10**8, executors=0, costs=costs).serial > 0


def test_one_executor_is_sent_what_the_price_is_learned_of() -> None:
    """Many serve one another: 100 do not take the driver's 0.4 s for 50 MB a hundred times."""
    costs = UnitCosts(broadcast=8)
    assert sending_ns(50_000_000, 1, costs) == sending_ns(50_000_000, 0, costs) == pytest.approx(0.4e9)
    assert 0.4e9 < sending_ns(50_000_000, 100, costs) < 4e9


def test_a_shuffled_hash_join_builds_and_probes() -> None:
    costs = UnitCosts(hash_build=500, probe=100)
    assert shuffled_hash_core_seconds(side("d", rows=10**6), side("f", rows=10**7), costs) == pytest.approx(1.5)


def test_a_join_as_it_ran_costs_by_its_strategy() -> None:
    merged = inner(side("a", rows=10**6, shuffle_bytes=10**8), side("b", rows=10**6, shuffle_bytes=10**8))
    hashed = inner(side("a", rows=10**6), side("b", rows=10**6), strategy=Strategy.BROADCAST_HASH)
    assert join_core_seconds(merged, UnitCosts()) > join_core_seconds(hashed, UnitCosts()) > 0
