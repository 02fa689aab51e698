"""What can have made failures of each kind, said once more beside the policy's own table."""

from __future__ import annotations

from tuner.model.failure import FailureKind

# What no change makes.
OUTSIDE = (
    FailureKind.ACCESS_DENIED,
    FailureKind.CODE,
    FailureKind.EXECUTOR_PREEMPTED,
    FailureKind.INPUT_MISSING,
    FailureKind.KILLED,
    FailureKind.OWN_EXIT,
    FailureKind.UNREACHABLE,
)
# What a broadcast is known to make.
OF_BROADCASTS = (
    FailureKind.BROADCAST_OUT_OF_MEMORY,
    FailureKind.BROADCAST_TIMEOUT,
    FailureKind.BROADCAST_TOO_LARGE,
    FailureKind.DRIVER_OUT_OF_MEMORY,
    FailureKind.DRIVER_OVER_LIMIT,
    FailureKind.EXECUTOR_OUT_OF_MEMORY,
    FailureKind.EXECUTOR_OVER_LIMIT,
    FailureKind.RESULT_TOO_LARGE,
)
# What hash maps and partitions are known to make, and no broadcast.
OF_TASKS = (FailureKind.TASK_MEMORY,)
# What no change is known to make, and some can.
UNCLEAR = tuple(sorted(set(FailureKind) - {*OUTSIDE, *OF_BROADCASTS, *OF_TASKS}))
