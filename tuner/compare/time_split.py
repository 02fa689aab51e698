"""By how much of a query's difference it did more work, its work took more of processors, its tasks waited more, or fewer ran at
once.

Seconds are a product: of work, of processor time for it, of task time for that, and of seconds on the clock for that. Each of
these is measured, so the logarithm of how many times as long a query took is the sum of theirs. What one of them gains and the
next one loses again explains nothing: it is taken off where it is undone, so that all parts point the way of the difference.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from tuner.compare.execution_amounts import ExecutionAmounts


@dataclass(frozen=True, slots=True)
class TimeSplit:
    """Seconds of a difference, which they sum to.

    `work`: other rows and bytes, or None where no work was measured in one of both. `processors`: of processors for that work
    (without `work`, for whatever was done). `waiting`: of tasks that did not compute. `rest`: on the clock, for the same tasks.
    """

    work: float | None
    processors: float
    waiting: float
    rest: float

    @property
    def beside_work(self) -> float:
        return self.processors + self.waiting + self.rest


def log_ratio(before: float, after: float) -> float | None:
    """None where one of both is not known."""
    return math.log(after) - math.log(before) if before > 0 and after > 0 else None


def within(part: float, whole: float) -> float:
    """As much of a part as is in the whole: nothing where it points the other way."""
    return max(0.0, min(part, whole)) if whole >= 0 else min(0.0, max(part, whole))


def time_split(before: ExecutionAmounts, after: ExecutionAmounts, work: float | None) -> TimeSplit:
    """`work` is the log of how many times as much work it was, None where that is not known."""
    difference = after.seconds - before.seconds
    clock = log_ratio(before.seconds, after.seconds)
    if not clock:
        return TimeSplit(None if work is None else 0.0, 0.0, 0.0, difference)
    steps = [
        work,
        log_ratio(before.cpu_seconds, after.cpu_seconds),
        log_ratio(before.task_seconds, after.task_seconds),
        clock,
    ]
    parts = [0.0] * len(steps)
    reached = 0.0
    for number, step in enumerate(steps):
        if step is None:
            continue
        kept = within(reached, step)
        parts = [part * kept / reached if reached else 0.0 for part in parts]
        parts[number] = step - kept
        reached = step
    seconds = [difference * part / clock for part in parts]
    return TimeSplit(None if work is None else seconds[0], *seconds[1:])
