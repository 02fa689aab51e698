"""What failed in an application, and why a run failed."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class FailureKind(StrEnum):
    """What a failure was. stopped: Spark was stopped while it ran. killed: by a signal or a person, from outside.

    executor_out_of_memory: its heap was full. executor_over_limit: its cluster killed it for holding more than its container has.
    driver_over_limit: so it did with the driver. python_out_of_memory: a Python worker asked for more than Spark lets it have.
    result_lost: a task's, on its way to the driver. sigkilled: by SIGKILL, which a person sends, and the kernel where memory runs
    out. driver_lost: the log breaks off. local_disk: where executors spill and shuffle. input_missing: a path, file or table.
    code: what Spark could not parse or analyse. own_exit: the job ended itself outside any query. data_or_code: an expression or
    a function of the job's raised an error in a query, on the rows that it met.
    """

    BROADCAST_TIMEOUT = "broadcast_timeout"
    BROADCAST_TOO_LARGE = "broadcast_too_large"
    BROADCAST_OUT_OF_MEMORY = "broadcast_out_of_memory"
    DRIVER_OUT_OF_MEMORY = "driver_out_of_memory"
    DRIVER_OVER_LIMIT = "driver_over_limit"
    RESULT_TOO_LARGE = "result_too_large"
    TASK_MEMORY = "task_memory"
    EXECUTOR_OUT_OF_MEMORY = "executor_out_of_memory"
    EXECUTOR_OVER_LIMIT = "executor_over_limit"
    PYTHON_OUT_OF_MEMORY = "python_out_of_memory"
    EXECUTOR_PREEMPTED = "executor_preempted"
    EXECUTOR_LOST = "executor_lost"
    RESULT_LOST = "result_lost"
    LOCAL_DISK = "local_disk"
    DRIVER_LOST = "driver_lost"
    KILLED = "killed"
    SIGKILLED = "sigkilled"
    STOPPED = "stopped"
    INPUT_MISSING = "input_missing"
    ACCESS_DENIED = "access_denied"
    UNREACHABLE = "unreachable"
    CODE = "code"
    OWN_EXIT = "own_exit"
    DATA_OR_CODE = "data_or_code"
    UNKNOWN = "unknown"

    @classmethod
    def _missing_(cls, value: object) -> FailureKind:
        """A kind of a newer version, which shares the store."""
        return cls.UNKNOWN


# Kinds that say that something ended, not why.
UNEXPLAINED = frozenset({FailureKind.STOPPED, FailureKind.UNKNOWN})

# Kinds that tell that executors had too little memory.
OF_EXECUTOR_MEMORY = frozenset(
    {FailureKind.TASK_MEMORY, FailureKind.EXECUTOR_OUT_OF_MEMORY, FailureKind.EXECUTOR_OVER_LIMIT}
)

# Kinds that fewer executors, and smaller ones, cannot make.
NOT_OF_SIZES = frozenset(
    {
        FailureKind.BROADCAST_TOO_LARGE,
        FailureKind.BROADCAST_OUT_OF_MEMORY,
        FailureKind.DRIVER_OUT_OF_MEMORY,
        FailureKind.DRIVER_OVER_LIMIT,
        FailureKind.RESULT_TOO_LARGE,
        FailureKind.PYTHON_OUT_OF_MEMORY,
        FailureKind.EXECUTOR_PREEMPTED,
        FailureKind.INPUT_MISSING,
        FailureKind.ACCESS_DENIED,
        FailureKind.UNREACHABLE,
        FailureKind.CODE,
        FailureKind.OWN_EXIT,
        FailureKind.DATA_OR_CODE,
    }
)


@dataclass(frozen=True, slots=True)
class LoggedFailure:
    """Something that failed in an application: a SQL execution, a job (of an execution, where it is known), or an executor.

    `where` names it. `words` quote numbers of Spark's own, and nothing of the job's. `lost_executor` is the id of the one that
    was lost, or that it says it was lost with; "" where it says none. `by_sigkill`: an executor's process ended by SIGKILL, and
    nothing says why. `of_python_memory`: a Python worker got no memory, by a limit of Spark's or by another. `of_direct_memory`:
    an executor's JVM had none left beside its heap, by a limit of its own or by one as large as the heap. `in_profile`: of a
    job's stages those failed that asked for executors of their own (ResourceProfile), and no other.
    """

    kind: FailureKind
    words: str
    where: str
    execution_id: int | None = None
    job_id: int | None = None
    lost_executor: str = ""
    by_sigkill: bool = False
    of_python_memory: bool = False
    of_direct_memory: bool = False
    in_profile: bool = False


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a run failed, in words with Spark's own numbers. `query` is the fingerprint of the query that failed, None where
    it was none, or its plan could not be read; `where` names it, or what else failed, as the log does ("" if nothing).
    `of_direct_memory` as of a LoggedFailure: of an unknown kind, it is explained all the same."""

    kind: FailureKind
    words: str
    query: str | None = None
    where: str = ""
    execution_id: int | None = None
    of_direct_memory: bool = False
