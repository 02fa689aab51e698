"""What of the work of stages was done again."""

from __future__ import annotations

from dataclasses import replace

from tests.plan.test_query_work import stage
from tuner.plan.stage_attempts import repeated_run_ms

WHOLE = stage(1, (), core_ms=50_000, tasks=100)


def test_what_ran_once_was_not_repeated() -> None:
    assert repeated_run_ms([WHOLE, replace(WHOLE, stage_id=2)]) == 0
    copies = replace(WHOLE, killed_tasks=7)
    assert repeated_run_ms([copies]) == 0, "copies of slow tasks are killed"
    cancelled = replace(WHOLE, completed_tasks=10)
    assert repeated_run_ms([cancelled]) == 0


def test_tasks_that_failed_and_those_whose_output_was_lost_are_beyond_one_for_each_partition() -> None:
    assert repeated_run_ms([replace(WHOLE, completed_tasks=100, failed_tasks=25)]) == 10_000
    assert repeated_run_ms([replace(WHOLE, completed_tasks=125)]) == 10_000
    again = replace(WHOLE, attempt=1, tasks=25, completed_tasks=25, executor_run_time_ms=12_500)
    assert repeated_run_ms([WHOLE, again]) == 12_500


def test_a_stage_that_begins_with_a_later_attempt_is_all_repeated() -> None:
    """AQE gives each job stages of its own: of one that reads what an earlier job wrote, and finds lost."""
    later = replace(WHOLE, stage_id=7, attempt=1, tasks=25, completed_tasks=25, executor_run_time_ms=12_500)
    assert repeated_run_ms([WHOLE, later]) == 12_500
