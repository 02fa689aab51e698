"""What a simulated run leaves behind: its queries with seconds, CPU time and work, as far as it came."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from itertools import accumulate

from tests.benchmarks.simulation.in_force import InForce
from tests.benchmarks.simulation.night import Execution, Night
from tests.benchmarks.simulation.words import failure_of_night
from tests.benchmarks.simulation.work import cpu_ms, work_of
from tuner.model.query import Query, QueryStatus
from tuner.model.row_count import RowCount
from tuner.model.run import Outcome

BYTES_OF_A_ROW, JOINED = 100, 0.5


def outcome_of(
    night: Night, in_force: Collection[InForce], took: Sequence[float], *, failed: bool = False, by_tuner: bool = False
) -> Outcome:
    """The outcome of a night whose executions took so long; of one that failed, what came before that."""
    # Sums from the start: subtracting one after the other left a whole run's last query unfinished by a rounding error.
    until = sum(took) * night.got_to if failed else math.inf
    ends = list(accumulate(took))
    queries = [
        _query(number, night, execution, in_force, took[number], ended=ends[number] <= until)
        for number, execution in enumerate(night.executions)
        if number == 0 or ends[number - 1] <= until
    ]
    reached = [query.fingerprint for query in queries]
    failure = failure_of_night(night, in_force if by_tuner else (), reached) if failed else None
    return Outcome(
        "app", night.spark_version, int(1e3 * min(until, sum(took))), night.cluster, tuple(queries), failure=failure
    )


def _query(
    number: int,
    night: Night,
    execution: Execution,
    in_force: Collection[InForce],
    seconds: float,
    *,
    ended: bool,
) -> Query:
    query, values = execution.query, execution.values
    work = work_of(night, execution, in_force) if ended else None
    return Query(
        id=number,
        root_id=number,
        fingerprint=query.fingerprint,
        description="",
        start_ms=0,
        duration_ms=round(seconds * 1e3) if ended else None,
        status=QueryStatus.SUCCEEDED if ended else QueryStatus.UNFINISHED,
        input_bytes=int(query.input_bytes * night.scale * values.input),
        executor_run_ms=sum(stage.core_ms for stage in work.stages) if work else 0,
        executor_cpu_ms=cpu_ms(night, execution, in_force) if ended else 0,
        task_count=sum(stage.tasks for stage in work.stages) if work else 0,
        work=work,
        directives=tuple(told for one in in_force if (told := one.told_of(execution))),
        literals=values.literals,
        values=(values.literals,),
        conditions=values.conditions,
        row_counts=_row_counts(night, execution),
    )


def _row_counts(night: Night, execution: Execution) -> tuple[RowCount, ...]:
    """Rows that the filter leaves of the table, and those of its join."""
    rows = (
        execution.query.input_bytes
        // BYTES_OF_A_ROW
        * night.scale
        * (execution.values.counted or execution.values.rows)
    )
    return RowCount("fact#0", int(rows)), RowCount(f"join of {execution.query.fingerprint}#0", int(rows * JOINED))
