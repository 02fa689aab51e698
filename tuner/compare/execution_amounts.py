"""What one execution of a query took, and what it did for that, as far as its log told."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Self

from tuner.model.query import Query
from tuner.policy.measure import brief_work, waiting_core_ms


def input_sizes(before: Query, after: Query) -> tuple[int, int]:
    """How large the inputs of two executions are: each file once, as far as both logs tell."""
    if before.source_bytes and after.source_bytes:
        return before.source_bytes, after.source_bytes
    return before.input_bytes, after.input_bytes


@dataclass(frozen=True, slots=True)
class ExecutionAmounts:
    """`seconds` on the clock; `task_seconds` and `cpu_seconds` of cores, which wait while the driver builds broadcasts;
    `work_seconds` what the measured rows and bytes take at fixed prices. What is 0 was not measured, but for spills and
    `stage_retries`: attempts at stages after their first, as when an executor is lost.
    """

    seconds: float = 0.0
    task_seconds: float = 0.0
    cpu_seconds: float = 0.0
    work_seconds: float = 0.0
    input_bytes: int = 0
    input_rows: int = 0
    spilled_bytes: int = 0
    stage_retries: int = 0

    @classmethod
    def of(cls, query: Query, cores: int) -> Self:
        waiting_ms, work = waiting_core_ms(query, cores), brief_work(query)
        return cls(
            seconds=query.seconds,
            task_seconds=(query.executor_run_ms + waiting_ms) / 1e3 if query.executor_run_ms else 0.0,
            cpu_seconds=(query.executor_cpu_ms + waiting_ms) / 1e3 if query.executor_cpu_ms else 0.0,
            work_seconds=work.priced_seconds if work else 0.0,
            input_bytes=query.input_bytes,
            input_rows=query.input_rows,
            spilled_bytes=query.spilled_bytes,
            stage_retries=_retries(query),
        )

    @classmethod
    def together(cls, several: Iterable[ExecutionAmounts]) -> Self:
        """Sums."""
        every = tuple(several)
        return cls(
            sum(one.seconds for one in every),
            sum(one.task_seconds for one in every),
            sum(one.cpu_seconds for one in every),
            sum(one.work_seconds for one in every),
            sum(one.input_bytes for one in every),
            sum(one.input_rows for one in every),
            sum(one.spilled_bytes for one in every),
            sum(one.stage_retries for one in every),
        )


def _retries(query: Query) -> int:
    stages = query.work.stages if query.work else ()
    return len(stages) - len({stage.stage_id for stage in stages})
