"""When a run that was not seen to end is taken to have ended."""

from __future__ import annotations

from datetime import timedelta

from tuner.model.run import RunMark
from tuner.policy.end_of_run import LEAST_WAIT, under_way

from .histories import MIDNIGHT


def mark(key: str, state: str, duration_ms: int | None) -> RunMark:
    return RunMark(key, 1, state, MIDNIGHT, None, "app" if duration_ms else None, duration_ms, "")


def test_a_damaged_log_may_tell_any_time() -> None:
    marks = [mark("long", "succeeded", (1 << 63) - 1), mark("runs", "running", None)]
    assert under_way(marks, MIDNIGHT + LEAST_WAIT) == {"runs"}
    assert under_way(marks, MIDNIGHT + timedelta(days=365)) == set()
