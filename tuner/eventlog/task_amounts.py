"""What the tasks of a stage's attempt did, added up as they end."""

from __future__ import annotations

from tuner.eventlog import events as ev
from tuner.eventlog.open_work import OpenAttempt

# By what names Spark adds up of a stage what `add_task` does, in the same order (InternalAccumulator).
SPARK_SUMS = (
    ("executorRunTime",),
    ("executorCpuTime",),
    ("input.bytesRead",),
    ("input.recordsRead",),
    ("shuffle.read.remoteBytesRead", "shuffle.read.localBytesRead"),
    ("shuffle.read.recordsRead",),
    ("shuffle.write.bytesWritten",),
    ("shuffle.write.recordsWritten",),
    ("memoryBytesSpilled",),
    ("diskBytesSpilled",),
    ("output.bytesWritten",),
    ("output.recordsWritten",),
)
TOTALS = len(SPARK_SUMS)
_MOST = (1 << 63) - 1


def add_task(totals: list[int], m: ev.TaskMetrics) -> None:
    """Add a task's amounts to the sums of its attempt, in the order in which `finish_stage` reads them."""
    read, write = m.shuffle_read, m.shuffle_write
    values = (
        m.run_time_ms,
        m.cpu_time_ns,
        m.input.bytes if m.input else 0,
        m.input.records if m.input else 0,
        read.remote_bytes + read.local_bytes if read else 0,
        read.records if read else 0,
        write.bytes if write else 0,
        write.records if write else 0,
        m.memory_spilled,
        m.disk_spilled,
        m.output.bytes if m.output else 0,
        m.output.records if m.output else 0,
    )
    for i, value in enumerate(values):
        if value > 0:  # -1: never set
            totals[i] += value


def compare_task(attempt: OpenAttempt, m: ev.TaskMetrics) -> None:
    """Keep a task's time and bytes where no other of its attempt had more."""
    if m.run_time_ms > attempt.longest[0]:
        attempt.longest = (m.run_time_ms, _read_bytes(m))
    if m.shuffle_write is not None and m.shuffle_write.bytes > attempt.most_written:
        attempt.most_written = m.shuffle_write.bytes


def add_sql_updates(totals: dict[int, int], accumulables: list[ev.Accumulable]) -> None:
    """Add what a task updated of its plan's metrics, by accumulator."""
    for accumulable in accumulables:
        if accumulable.metadata == "sql":
            try:
                value = int(accumulable.update)
            except (TypeError, ValueError, OverflowError):
                continue
            if 0 <= value <= _MOST:  # a size or timing metric that was never set is -1
                totals[accumulable.id] = totals.get(accumulable.id, 0) + value


def _read_bytes(m: ev.TaskMetrics) -> int:
    """What a task read of files and shuffles."""
    read = m.shuffle_read
    return (m.input.bytes if m.input else 0) + (read.remote_bytes + read.local_bytes if read else 0)
