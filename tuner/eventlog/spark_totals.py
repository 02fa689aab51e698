"""What Spark itself added up of stages of which a log lacks ends of tasks.

Its scheduler adds up what each task did before it tells of the task's end (DAGScheduler.updateAccumulators), whether or not a
listener falls so far behind that it loses that. A stage's completion has the sums.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Mapping, Sequence
from typing import Any

import msgspec

from tuner.eventlog import events as ev
from tuner.eventlog.open_work import OpenAttempt, OpenStage
from tuner.eventlog.task_amounts import SPARK_SUMS
from tuner.spark.version import major_minor

_NAMES = {f"internal.metrics.{name}": name for names in SPARK_SUMS for name in names}
_SQL = "sql"
_MOST = (1 << 63) - 1


def with_sums_alone(info: ev.StageInfo) -> ev.StageInfo:
    """A stage with what Spark added up of metrics, as numbers. Of a job's own accumulators it writes texts of any length."""
    sums = []
    for a in info.accumulables:
        if a.metadata == _SQL:
            sums.append(ev.StageAccumulable(a.id, None, _number(a.value), _SQL))
        elif name := _NAMES.get(a.name or ""):
            sums.append(ev.StageAccumulable(a.id, name, _number(a.value)))
    return msgspec.structs.replace(info, accumulables=sums)


def take_spark_totals(stages: Sequence[OpenStage], version: str, of_driver: Container[int]) -> None:
    """Complete the stages of one execution that lack ends of tasks, as far as Spark's own sums are of the same as the log's.

    Sums of SQL metrics are of all that was counted since the execution began: where another stage or the driver has a part in
    one, or rows are kept from one execution to the next, it stays partial. Before Spark 3.0 they began at -1.
    """
    lacking = [stage for stage in stages if _lacks_ends(stage)]
    if not lacking or major_minor(version) < (3, 0):
        return
    users = Counter(id_ for stage in stages for id_ in _metrics_of(stage))
    for stage in lacking:
        attempt = stage.attempts[0]
        if not _take_totals(attempt):
            continue
        told = {} if attempt.info.keeps_rows else _sql_sums(attempt.info.accumulables)
        for id_ in _metrics_of(stage):
            if users[id_] > 1 or id_ in of_driver or told.get(id_, -1) < stage.updates.get(id_, 0):
                attempt.partial_ids |= {id_}
            else:
                stage.updates[id_] = told[id_]


def _lacks_ends(stage: OpenStage) -> bool:
    """Whether a stage ran once, and to its end, with more tasks than are told to have ended."""
    if stage.attempts.keys() != {0}:
        return False
    attempt, info = stage.attempts[0], stage.attempts[0].info
    ran = info.completed_ms is not None and info.failure is None
    return ran and attempt.completed_tasks < info.tasks and not _ran_twice(stage, attempt)


def _ran_twice(stage: OpenStage, attempt: OpenAttempt) -> bool:
    """Whether a task ran twice, of which both may have been counted: the ends that say so may be among those that the log
    lacks, but two ends of one task tell it too, and more beginnings than tasks."""
    told = attempt.failed_tasks or attempt.killed_tasks or attempt.completed_tasks != stage.marked
    return bool(told) or attempt.completed_tasks + stage.running > attempt.info.tasks


def _metrics_of(stage: OpenStage) -> set[int]:
    listed = (a.id for attempt in stage.attempts.values() for a in attempt.info.accumulables if a.metadata == _SQL)
    return {*stage.updates, *listed}


def _take_totals(attempt: OpenAttempt) -> bool:
    """Whether Spark's sums of all tasks are there, and took the place of those of the tasks that are told."""
    named = {a.name: a.value for a in attempt.info.accumulables if a.name and a.value is not None}
    totals = [sum(named.get(name, 0) for name in names) for names in SPARK_SUMS]
    if not totals[0] or any(told < counted for told, counted in zip(totals, attempt.totals, strict=True)):
        return False
    attempt.totals = totals
    attempt.untold_tasks = attempt.info.tasks - attempt.completed_tasks
    attempt.completed_tasks = attempt.info.tasks
    return True


def _sql_sums(accumulables: Iterable[ev.StageAccumulable]) -> Mapping[int, int]:
    return {a.id: a.value for a in accumulables if a.metadata == _SQL and a.value is not None}


def _number(value: Any) -> int | None:
    """A sum, which Spark writes as a number or a text."""
    try:
        number = int(value)
    except (TypeError, ValueError, OverflowError):
        return None
    return number if 0 <= number <= _MOST else None
