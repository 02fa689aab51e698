"""Stages that share cores."""

from __future__ import annotations

import pytest

from tuner.cost.what_if.makespan import Work, makespan


@pytest.mark.parametrize(
    ("stages", "cores", "seconds"),
    [
        ([], 4, 0.0),
        ([((), 10, 1.0, 0.0)], 4, 3.0),  # three waves
        ([((), 1, 1.0, 0.0)], 100, 1.0),
        ([((), 4, 1.0, 0.0), ((0,), 4, 2.0, 0.0)], 4, 3.0),  # one after the other
        ([((), 2, 3.0, 0.0), ((), 2, 3.0, 0.0)], 4, 3.0),  # side by side
        ([((), 3, 1.0, 0.0), ((), 3, 1.0, 0.0)], 4, 2.0),  # the second fills the first's wave
        ([((), 4, 1.0, 5.0), ((0,), 4, 1.0, 0.0)], 4, 7.0),  # a broadcast is waited for
        ([((), 1, 1.0, 5.0), ((), 1, 1.0, 5.0), ((0, 1), 1, 1.0, 0.0)], 4, 12.0),  # broadcasts: one by one
        ([((), 4, 1.0, 5.0), ((), 16, 1.0, 0.0), ((0, 1), 4, 1.0, 0.0)], 4, 7.0),  # cores go on meanwhile
        ([((), 1_000_000, 1.0, 0.0)], 2, 500_000.0),
        ([((), 2, 0.0, 0.0)], 2, 0.0),
    ],
)
def test_seconds_until_the_last_stage_is_done(stages: list[Work], cores: int, seconds: float) -> None:
    assert makespan(stages, cores) == pytest.approx(seconds)


def test_a_billion_tasks_take_no_longer_to_schedule() -> None:
    stages: list[Work] = [((), 2_000_000_001, 1e-3, 0.0), ((), 2_000_000_003, 0.3e-3, 0.0)]
    assert makespan(stages, 7) == pytest.approx((2_000_000_001 * 1e-3 + 2_000_000_003 * 0.3e-3) / 7, rel=0.01)
