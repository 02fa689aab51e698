"""Insight: skew."""

from __future__ import annotations

import pytest

from tuner.advice.insights.skew import skewed_stages

from .plans import facts, only, values

ONE_STAGE = "Scan parquet db.orders | [c#1] | number of output rows=9"


SKEWED = {
    "tasks": 11,
    "completed_tasks": 11,
    "executor_run_time_ms": 18_000,
    "longest_task_ms": 8_000,
    "longest_task_bytes": 500,
    "shuffle_read_bytes": 1_000,
}


def test_a_task_that_held_up_its_stage() -> None:
    found = only(skewed_stages, facts(ONE_STAGE, **SKEWED))
    assert found.seconds == 7  # it ran 8 s, the others 1 s each
    assert found.numbers == {"times": 8, "uneven": True, "of_files": False}
    assert values(found)["read by another task"] == 50


def test_a_slow_task_that_read_no_more_than_others_may_be_a_slow_machine() -> None:
    found = only(skewed_stages, facts(ONE_STAGE, **SKEWED | {"longest_task_bytes": 90}))
    assert found.numbers == {"times": 8, "uneven": False, "of_files": False}


def test_a_slow_task_that_read_files() -> None:
    assert only(skewed_stages, facts(ONE_STAGE, **SKEWED | {"input_bytes": 2_000})).numbers["of_files"]


@pytest.mark.parametrize(
    "stage",
    [
        {"completed_tasks": 2, "executor_run_time_ms": 9_000, "longest_task_ms": 8_900},
        {"completed_tasks": 11, "executor_run_time_ms": 18_000, "longest_task_ms": 4_000},
        {"completed_tasks": 101, "executor_run_time_ms": 98_000, "longest_task_ms": 8_000, "completed_ms": 40_000},
        {"completed_tasks": 11, "executor_run_time_ms": 18_000, "longest_task_ms": 8_000, "failed_tasks": 1},
        {"completed_tasks": 11, "executor_run_time_ms": 0, "longest_task_ms": 0},
    ],
    ids=["two tasks", "less than five times", "others ran meanwhile", "times of failed attempts", "no times"],
)
def test_stages_that_are_even_enough(stage: dict[str, int]) -> None:
    assert not list(skewed_stages(facts(ONE_STAGE, **stage)))
