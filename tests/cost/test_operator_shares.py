"""A stage's seconds are shared among what ran in it: as Spark timed it, the rest at usual prices, and no more than it took."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.plan.test_query_work import MERGED, stage
from tests.plan.trees import plan
from tuner.cost.operator_shares import operator_shares
from tuner.cost.unit_costs import DEFAULT_COSTS
from tuner.eventlog.find import find_logs
from tuner.eventlog.read import read_application
from tuner.model.application import Stage
from tuner.plan.measured_plan import MeasuredPlan, wall_seconds
from tuner.plan.node import PlanNode, ran_as
from tuner.plan.plan_picture import picture_of
from tuner.plan.queries import measured_plan, plans_of

GOLDEN = Path(__file__).parents[1] / "golden" / "logs"


def shares(root: PlanNode, *stages: Stage) -> list[float | None]:
    """By operator, in plan order."""
    found = operator_shares(MeasuredPlan(root, stages))
    return [found.get(ran_as(node)) for node in root.walk()]


def test_each_stage_is_shared_among_what_ran_in_it() -> None:
    join = plan(MERGED)
    left_sort, left, filter_, left_scan, right_sort, right, right_scan = list(join.walk())[1:]
    joined, left_sorted, exchanged, filtered, scanned, right_sorted, other, other_scanned = shares(
        join,
        stage(0, [left, filter_, left_scan], core_ms=400),
        stage(1, [right, right_scan], core_ms=200),
        stage(2, [join, left_sort, right_sort, left, right], core_ms=1000),
    )
    each = (joined, left_sorted, exchanged, filtered, scanned, right_sorted, other, other_scanned)
    assert all(seconds is not None and seconds > 0 for seconds in each)
    assert sum(seconds or 0 for seconds in each) == pytest.approx(1.6)
    # Spark timed 70 and 30 ms of the sorts: what they take beside that is copying rows.
    assert (left_sorted or 0) > 0.07 and (right_sorted or 0) > 0.03
    assert (filtered or 0) / (scanned or 1) == pytest.approx(100 * DEFAULT_COSTS.filter / (200 * DEFAULT_COSTS.scan))


def test_what_spark_timed_counts_as_timed() -> None:
    root = plan(
        "Filter | (v#3 > 1) | number of output rows=40\n  Scan parquet | [k#1] | number of output rows=100; scan time=750"
    )
    assert shares(root, stage(0, root.walk(), core_ms=1000)) == [pytest.approx(0.25), pytest.approx(0.75)]


def test_times_longer_than_the_tasks_are_scaled_down() -> None:
    root = plan("Scan parquet | [k#1] | number of output rows=100; scan time=5000")
    assert shares(root, stage(0, root.walk(), core_ms=1000)) == [pytest.approx(1.0)]


def test_the_clocks_time_of_tasks_side_by_side() -> None:
    root = plan("Filter | (v#3 > 1) | number of output rows=40\n  Scan parquet | [k#1,v#3] | number of output rows=100")
    ran = replace(stage(0, root.walk(), core_ms=8000), completed_ms=1000)
    assert sum(seconds or 0 for seconds in shares(root, ran)) == pytest.approx(1.0)


def test_what_a_later_attempt_ran_again_goes_by_its_tasks() -> None:
    """Nine tasks read for 810 of their 1000 ms, the one that ran again for 90: not each attempt for 450."""
    root = plan(
        "Filter | (v#3 > 1) | number of output rows=40\n"
        "  Scan parquet | [k#1] | number of output rows=100; scan time=900"
    )
    again = replace(stage(0, root.children, core_ms=90, tasks=1), attempt=1)
    found = shares(root, stage(0, root.walk(), core_ms=1000, tasks=9), again)
    assert found == [pytest.approx(0.19), pytest.approx(0.81 + 0.09)]


def test_a_broadcast_has_what_the_driver_took() -> None:
    root = plan(
        "BroadcastExchange | HashedRelationBroadcastMode(List(k#2)) | number of output rows=5; data size=640; "
        "time to collect=700; time to build=300; time to broadcast=200\n"
        "  Scan parquet | [k#2] | number of output rows=5"
    )
    scan = root.children[0]
    assert shares(root, stage(0, [scan], core_ms=500)) == [0.5, pytest.approx(0.5)]


def test_nothing_is_said_of_what_no_stage_counted() -> None:
    root = plan("Filter | (v#3 > 1) | number of output rows=40\n  Scan parquet | [k#1,v#3] | number of output rows=100")
    assert shares(root) == [None, None]


def test_a_stage_of_no_rows_is_nobodys() -> None:
    root = plan("Scan parquet | [k#1] | number of output rows=0")
    assert shares(root, stage(0, root.walk())) == [None]


@pytest.mark.parametrize("version", sorted(path.name for path in GOLDEN.iterdir()))
def test_no_more_than_the_stages_took_in_any_version_of_spark(version: str) -> None:
    seen = 0
    for source in find_logs(GOLDEN / version):
        for _, stages, found in plans_of(read_application(source)):
            if (plan := measured_plan(found, stages)) is not None:
                shared = operator_shares(plan)
                times = ("time to build", "time to broadcast")
                built = {ran_as(node): node.metrics for node in plan.named("BroadcastExchange")}
                driver = sum(metrics.get(name, 0) for metrics in built.values() for name in times) / 1e3
                assert sum(shared.values()) <= sum(map(wall_seconds, stages)) + driver + 1e-6
                drawn = [step.seconds for step in picture_of(found[0], found[2], shared).steps if step.seconds]
                assert sum(drawn) <= sum(shared.values()) + 0.001 * len(drawn)
                seen += bool(drawn)
    assert seen > 3
