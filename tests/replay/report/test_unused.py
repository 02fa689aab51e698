"""What cohorts ask for and never use, on a report's front page."""

from __future__ import annotations

from dataclasses import replace

from tests.replay.report.made import cohort
from tuner.replay.cohort_resources import CohortResources
from tuner.replay.report.unused import MOST_SHOWN, unused
from tuner.units import GIB, MS_PER_HOUR

HELD = CohortResources(
    held_runs=3,
    held_byte_ms=8 * GIB * MS_PER_HOUR,
    held_core_ms=4 * MS_PER_HOUR,
    busy_core_ms=1 * MS_PER_HOUR,
    unused_byte_ms=2 * GIB * MS_PER_HOUR,
    sampled_byte_ms=6 * GIB * MS_PER_HOUR,
    executors=8,
    needed_executors=3,
)


def test_all_cohorts_come_first_then_each_whose_logs_tell_most_idle_first() -> None:
    busy = replace(HELD, busy_core_ms=3 * MS_PER_HOUR)
    cohorts = [
        replace(cohort("busy"), resources=busy),
        replace(cohort("idle"), resources=HELD),
        cohort("silent"),
    ]
    total, *each = unused(cohorts)
    assert [u.cohort for u in each] == ["idle", "busy"]
    assert (total.runs, total.held_gib_hours, total.sampled_gib_hours, total.unused_gib_hours) == (6, 16, 12, 4)
    assert (total.held_core_hours, total.idle_core_hours, total.executors) == (8, 4, 0)
    assert (each[0].idle_core_hours, each[0].executors, each[0].needed_executors) == (3, 8, 3)


def test_where_no_log_tells_nothing_is_shown() -> None:
    assert unused([cohort("silent")]) == []


def test_the_list_ends_while_its_sums_do_not() -> None:
    many = [replace(cohort(f"c{n}"), resources=HELD) for n in range(MOST_SHOWN + 5)]
    total, *each = unused(many)
    assert (len(each), total.runs) == (MOST_SHOWN, 3 * (MOST_SHOWN + 5))
