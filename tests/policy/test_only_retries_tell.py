"""A retry tries something only where first tries never tell, and nothing but what it asked for failed it."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from tuner.model.failure import Failure, FailureKind
from tuner.model.run import Run, RunState
from tuner.policy.only_retries_tell import only_retries_tell

from .histories import run

MISSING, LOST = Failure(FailureKind.INPUT_MISSING, "why"), Failure(FailureKind.EXECUTOR_LOST, "why")


def refused(night: int, failure: Failure | None = MISSING, try_number: int = 1) -> Run:
    return run(night, {}, state=RunState.FAILED, failure=failure, try_number=try_number)


WEEK = [one for night in range(7) for one in (refused(night), run(night, {"q1": 10}, try_number=2))]


@pytest.mark.parametrize(
    ("runs", "of_it", "try_number", "expected"),
    [
        pytest.param(WEEK, [refused(7)], 2, True, id="each night"),
        pytest.param([*WEEK, refused(7)], [refused(7)], 2, True, id="told twice"),
        pytest.param(WEEK[4:], [refused(7)], 2, False, id="of few nights"),
        pytest.param([*WEEK[:-2], run(6, {"q1": 10})], [refused(7)], 2, False, id="not last night"),
        pytest.param(WEEK, [refused(7, LOST)], 2, False, id="lost something"),
        pytest.param(WEEK, [refused(7), refused(7, LOST, 2)], 3, False, id="one of them lost something"),
        pytest.param(WEEK, [refused(7, None)], 2, False, id="nobody knows why"),
        pytest.param(WEEK, [], 2, False, id="no try is known"),
        pytest.param(WEEK, [refused(7)], 3, False, id="one try is not known"),
        pytest.param(WEEK, [refused(7), refused(7, MISSING, 2)], 3, True, id="twice in a night"),
        pytest.param([*WEEK, run(7, None, state=RunState.RUNNING)], [refused(8)], 2, True, id="one is under way"),
    ],
)
def test_whether_only_retries_tell(runs: Sequence[Run], of_it: Sequence[Run], try_number: int, expected: bool) -> None:
    night = of_it[0].key.split("/")[1] if of_it else "7"
    assert only_retries_tell(runs, of_it, f"etl/{night}/{try_number}", try_number) is expected
