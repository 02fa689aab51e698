"""Event logs to read: events as Spark writes them, and the forms it writes them in."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import zstandard

from tuner.eventlog.application_fold import ApplicationFold
from tuner.eventlog.collector import Collector
from tuner.eventlog.events import decode_event
from tuner.eventlog.find import find_logs
from tuner.eventlog.read import read_application
from tuner.model.application import Application

SQL = "org.apache.spark.sql.execution.ui.SparkListener"
ROWS, BYTES = 101, 102  # accumulators of the sample's only operator


def event(name: str, **fields: Any) -> bytes:
    """A line of a log; `Stage_ID=1` stands for `"Stage ID": 1`."""
    return (
        json.dumps({"Event": name, **{key.replace("_", " "): value for key, value in fields.items()}}).encode() + b"\n"
    )


def sql_event(name: str, **fields: Any) -> bytes:
    return json.dumps({"Event": SQL + name, **fields}, separators=(",", ":")).encode() + b"\n"


def with_field(line: bytes, way: tuple[str | int, ...], value: Any) -> bytes:
    """The line with another value in a field of its event, or deeper in it."""
    found = json.loads(line)
    container = found
    for key in way[:-1]:
        container = container[key]
    container[way[-1]] = value
    return json.dumps(found, separators=(",", ":")).encode() + b"\n"


def log_start(version: str = "4.3.0") -> bytes:
    return event("SparkListenerLogStart", Spark_Version=version)


def application_start(app_id: str = "local-1", name: str = "nightly", attempt: str | None = None) -> bytes:
    fields: dict[str, Any] = {"App_Name": name, "App_ID": app_id, "Timestamp": 1000, "User": "etl"}
    return event("SparkListenerApplicationStart", **fields, **({"App_Attempt_ID": attempt} if attempt else {}))


def application_end() -> bytes:
    return event("SparkListenerApplicationEnd", Timestamp=9000)


def environment(**properties: str) -> bytes:
    return event("SparkListenerEnvironmentUpdate", JVM_Information={}, Spark_Properties=properties)


def plan(
    name: str = "Scan parquet ", *, children: Sequence[Any] = (), text: str = "", metrics: bool = True
) -> dict[str, Any]:
    """A sparkPlanInfo; the operator counts its rows and the bytes it read."""
    counted = [
        {"name": "number of output rows", "accumulatorId": ROWS, "metricType": "sum"},
        {"name": "size of files read", "accumulatorId": BYTES, "metricType": "size"},
    ]
    return {
        "nodeName": name,
        "simpleString": text or name,
        "children": list(children),
        "metadata": {},
        "metrics": counted if metrics else [],
    }


JOIN = plan(
    "SortMergeJoin",
    text="SortMergeJoin [a#1], [b#2], Inner",
    children=[
        plan("Scan parquet db.left", text="FileScan parquet db.left[a#1]"),
        plan("Scan parquet db.right", text="FileScan parquet db.right[b#2]"),
    ],
)


def execution_start(execution_id: int = 0, **fields: Any) -> bytes:
    start = {"description": "count at app.py:7", "physicalPlanDescription": "", "sparkPlanInfo": plan(), "time": 2000}
    return sql_event("SQLExecutionStart", executionId=execution_id, rootExecutionId=execution_id, **(start | fields))


def execution_end(execution_id: int = 0, error: str = "", time: int = 8000) -> bytes:
    return sql_event("SQLExecutionEnd", executionId=execution_id, time=time, errorMessage=error)


def replan(execution_id: int, info: dict[str, Any]) -> bytes:
    return sql_event(
        "SQLAdaptiveExecutionUpdate", executionId=execution_id, physicalPlanDescription="", sparkPlanInfo=info
    )


def driver_updates(execution_id: int, *updates: tuple[int, int]) -> bytes:
    return sql_event("DriverAccumUpdates", executionId=execution_id, accumUpdates=[list(u) for u in updates])


def job_start(execution_id: int | None = 0, stage_ids: Sequence[int] = (0,), job_id: int = 0, **fields: Any) -> bytes:
    properties = {} if execution_id is None else {"spark.sql.execution.id": str(execution_id)}
    ids = {"Job_ID": job_id, "Stage_IDs": list(stage_ids)}
    return event("SparkListenerJobStart", **ids, Submission_Time=2500, Properties=properties, **fields)


def job_end(job_id: int = 0, error: str | None = None) -> bytes:
    result: dict[str, Any] = {"Result": "JobSucceeded"}
    if error is not None:
        result = {"Result": "JobFailed", "Exception": {"Message": error, "Stack Trace": []}}
    return event("SparkListenerJobEnd", Job_ID=job_id, Completion_Time=7500, Job_Result=result)


def task_start(stage_id: int = 0, stage_attempt: int = 0, task_id: int | None = None) -> bytes:
    info = {} if task_id is None else {"Task_Info": {"Task ID": task_id, "Launch Time": 4000}}
    return event("SparkListenerTaskStart", Stage_ID=stage_id, Stage_Attempt_ID=stage_attempt, **info)


def stage_submitted(stage_id: int = 0, attempt: int = 0, tasks: int = 2, execution_id: int | None = None) -> bytes:
    info = {"Stage ID": stage_id, "Stage Attempt ID": attempt, "Number of Tasks": tasks, "Submission Time": 3000}
    properties = {} if execution_id is None else {"spark.sql.execution.id": str(execution_id)}
    return event("SparkListenerStageSubmitted", Stage_Info=info, Properties=properties)


def stage_completed(stage_id: int = 0, attempt: int = 0, tasks: int = 2, failure: str | None = None) -> bytes:
    info: dict[str, Any] = {
        "Stage ID": stage_id,
        "Stage Attempt ID": attempt,
        "Number of Tasks": tasks,
        "Submission Time": 3000,
        "Completion Time": 7000,
        "Accumulables": [{"ID": ROWS, "Metadata": "sql"}, {"ID": 7, "Name": "internal.metrics.executorRunTime"}],
    }
    return event("SparkListenerStageCompleted", Stage_Info=info | ({"Failure Reason": failure} if failure else {}))


def task_end(
    index: int,
    rows: Any = 50,
    *,
    task_id: int | None = None,
    partition: int | None = None,
    stage_id: int = 0,
    stage_attempt: int = 0,
    failed: bool = False,
    reason: str = "Success",
    run_time_ms: int = 10,
    **metrics: Any,
) -> bytes:
    """A task of a stage that put out so many rows; as Spark does, without "Partition ID" before 3.3.

    Without a `task_id` nothing tells whether two of them are one.
    """
    info: dict[str, Any] = {
        "Index": index,
        "Failed": failed,
        "Killed": reason == "TaskKilled",
        "Accumulables": [
            {"ID": ROWS, "Name": "number of output rows", "Update": rows, "Value": rows, "Metadata": "sql"}
        ],
    }
    if task_id is not None:
        info["Task ID"] = task_id
    return event(
        "SparkListenerTaskEnd",
        Stage_ID=stage_id,
        Stage_Attempt_ID=stage_attempt,
        Task_End_Reason={"Reason": reason},
        Task_Info=info if partition is None else info | {"Partition ID": partition},
        Task_Metrics={
            "Executor Run Time": run_time_ms,
            "Executor CPU Time": run_time_ms * 1_000_000,
            "Input Metrics": {"Bytes Read": 1000, "Records Read": rows},
            "Shuffle Read Metrics": {"Remote Bytes Read": 3, "Local Bytes Read": 4, "Total Records Read": 5},
            "Shuffle Write Metrics": {"Shuffle Bytes Written": 6, "Shuffle Records Written": 7},
            "Output Metrics": {"Bytes Written": 8, "Records Written": 12},
            "Memory Bytes Spilled": 9,
            "Disk Bytes Spilled": 11,
            **metrics,
        },
    )


def head(app_id: str = "local-1") -> list[bytes]:
    return [log_start(), application_start(app_id), environment(**{"spark.app.id": app_id, "spark.master": "local[2]"})]


def whole_log(app_id: str = "local-1") -> list[bytes]:
    """A small application: one SQL execution, one stage, two tasks of 50 rows, ended."""
    return [
        *head(app_id),
        event("SparkListenerBlockManagerAdded", Timestamp=1001),
        execution_start(),
        job_start(),
        stage_submitted(),
        task_end(0, partition=0),
        task_end(1, partition=1),
        stage_completed(),
        job_end(),
        execution_end(),
        application_end(),
    ]


def zstd(lines: Sequence[bytes], per_frame: int = 2) -> bytes:
    """As Spark writes it: a frame of its own for every flush."""
    chunks = [b"".join(lines[i : i + per_frame]) for i in range(0, len(lines), per_frame)]
    return b"".join(zstandard.ZstdCompressor().compress(chunk) for chunk in chunks)


def write(path: Path, lines: Sequence[bytes] | bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(lines if isinstance(lines, bytes) else b"".join(lines))
    return path


def read(path: Path) -> Application:
    """The only application at a path."""
    (source,) = find_logs(path)
    return read_application(source)


def fold(lines: Iterable[bytes]) -> Application:
    """What the events on some lines say, without the reader around the fold."""
    collector = Collector()
    taken = ApplicationFold("log", collector.take)
    for line in lines:
        if (decoded := decode_event(line)) is not None:
            taken.add(decoded)
    taken.close()
    return collector.into(taken.application(()))


def accumulators(application: Application) -> dict[int, int]:
    """The SQL metrics by id, of all executions."""
    totals = Counter[int]()
    for execution in application.executions:
        totals.update(execution.accumulators)
    return dict(totals)


def facts(application: Application) -> tuple[object, ...]:
    """What an application says, wherever and in whatever form its log lay."""
    return (
        application.app_id,
        application.spark_version,
        application.executions,
        application.stages,
        application.jobs,
    )
