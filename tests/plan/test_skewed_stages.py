"""Stages that waited for one task, and whether AQE could have split what it read."""

from __future__ import annotations

from dataclasses import replace
from textwrap import dedent, indent

import pytest

from tests.advice.insights.plans import facts
from tuner.model.query import SkewedStage
from tuner.plan.measured_plan import MeasuredPlan
from tuner.plan.skewed_stages import find_skews

LEFT = """Exchange | hashpartitioning(k#1, 8), ENSURE_REQUIREMENTS | data size=640; shuffle bytes written=320
            Scan parquet db.sales | [k#1] | number of output rows=1000"""
RIGHT = LEFT.replace("#1", "#3").replace("sales", "item")
JOIN = "SortMergeJoin | [k#1], [k#3], Inner | number of output rows=5"
SORT = "Sort | [k#{0} ASC NULLS FIRST], false, 0"
SKEWED = {
    "completed_tasks": 11,
    "executor_run_time_ms": 18_000,
    "longest_task_ms": 8_000,
    "longest_task_bytes": 500,
    "shuffle_read_bytes": 1_000,
    "shuffle_write_bytes": 900,
    "most_written_bytes": 400,
}


def joined(
    join: str = JOIN, left: str = LEFT, right: str = RIGHT, between: tuple[str, str] = (SORT.format(1), SORT.format(3))
) -> str:
    return f"""
      {join}
        {between[0]}
          {left}
        {between[1]}
          {right}
    """


def skews(text: str, **stage: int) -> tuple[SkewedStage, ...]:
    given = facts(text, **{**SKEWED, **stage})
    return find_skews(given.plan, given.stages)


def skew(text: str) -> SkewedStage:
    """That of the join: the stages of the scans ran neither a join nor an aggregate."""
    (found,) = skews(text)
    return found


def test_a_join_that_waited_for_one_task() -> None:
    found = skew(joined())
    assert (found.longest_task_ms, found.mean_task_ms) == (8_000, 1_000)
    assert (found.longest_task_bytes, found.mean_task_bytes) == (500, 50)
    assert (found.tasks, found.shuffle_read_bytes, found.seconds, found.run_ms) == (11, 1_000, 10.0, 18_000)
    assert found.join is not None
    assert found.writers == 2  # they wrote 900 bytes together, one of them 400
    assert (found.occurrence, found.reshuffles, found.obstacle) == (0, False, "")


@pytest.mark.parametrize(
    "stage",
    [{"longest_task_ms": 3_000}, {"completed_tasks": 1}, {"failed_tasks": 1}, {"untold_tasks": 1}],
    ids=["even", "one task", "failed attempts", "a task that is not told"],
)
def test_stages_without_a_task_that_stands_out(stage: dict[str, int]) -> None:
    assert not skews(joined(), **stage)


def test_how_many_wrote_the_larger_side_is_unknown_where_the_one_that_wrote_most_may_be_missing() -> None:
    given = facts(joined(), **SKEWED)
    reading = next(stage for stage in given.stages if find_skews(given.plan, [stage]))
    stages = [stage if stage is reading else replace(stage, untold_tasks=1) for stage in given.stages]
    (found,) = find_skews(MeasuredPlan(given.final, stages), stages)
    assert found.writers == 0


def test_a_copy_that_was_killed_hides_no_task_that_stands_out() -> None:
    """As where speculation ran it twice."""
    assert skews(joined(), killed_tasks=1)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        pytest.param(joined(join=JOIN.replace("Join |", "Join(skew=true) |")), "already", id="split"),
        *(
            pytest.param(
                joined(left=LEFT.replace("ENSURE_REQUIREMENTS", origin)), "by the user", id=f"repartitioned: {origin}"
            )
            for origin in ("REPARTITION_BY_COL", "REPARTITION_BY_NUM", "REPARTITION", "REPARTITION_WITH_NUM", "false")
        ),
        pytest.param(
            joined(left=LEFT.replace("ENSURE_REQUIREMENTS", "REBALANCE_PARTITIONS_BY_COL")), "user", id="rebalanced"
        ),
        pytest.param(joined(between=("Project | [k#1]", SORT.format(3))), "not two shuffles", id="another operator"),
        pytest.param(
            f"""
            HashAggregate | (keys=[k#1], functions=[sum(k#1)]) | number of output rows=5
              {LEFT}
            """,
            "no join",
            id="aggregate",
        ),
    ],
)
def test_what_stops_aqe(text: str, why: str) -> None:
    found = skew(text)
    assert why in found.obstacle
    assert found.join is None


def test_a_shuffled_hash_join_needs_no_sorts() -> None:
    text = f"""
      ShuffledHashJoin | [k#1], [k#3], Inner, BuildRight | number of output rows=5
        {LEFT}
        {RIGHT}
    """
    assert skew(text).join is not None


@pytest.mark.parametrize(
    ("above", "reshuffles"),
    [
        ("HashAggregate | (keys=[k#1], functions=[partial_sum(k#1)]) | number of output rows=5", False),
        ("HashAggregate | (keys=[k#1], functions=[sum(k#1)]) | number of output rows=5", True),
        ("Window | [rank(k#1)], [k#1] | spill size=5", True),
        ("Project | [k#1]", False),
    ],
)
def test_what_needs_the_rows_of_a_key_together(above: str, reshuffles: bool) -> None:
    text = f"    {above}\n" + joined()
    assert skew(text).reshuffles is reshuffles


def test_what_another_engine_shuffles_first_is_of_another_stage() -> None:
    join = indent(dedent(joined()), "    ")
    assert not skew(
        f"Window | [rank(n#2)], [n#2]\n  CometColumnarExchange | hashpartitioning(n#2, 8)\n{join}"
    ).reshuffles
