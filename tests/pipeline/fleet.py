"""A directory of many logs, and its tables as the local reader has them."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from tuner.eventlog.codec import open_plain
from tuner.eventlog.find import find_logs
from tuner.eventlog.log_version import log_name
from tuner.pipeline.rows import log_rows
from tuner.pipeline.schema import KEY, TABLES

SHARED = Path(__file__).parents[3] / "shared" / "eventlogs"
SQL = "org.apache.spark.sql.execution.ui.SparkListener"


def lines_of(log: Path) -> list[bytes]:
    with log.open("rb") as raw:
        return open_plain(raw, log.name).readlines()


def write_rolled(directory: Path, lines: list[bytes], pieces: int) -> Path:
    """A rolling log of so many files of about the same number of lines."""
    directory.mkdir(parents=True)
    bounds = [len(lines) * i // pieces for i in range(pieces + 1)]
    for index in range(pieces):
        (directory / f"events_{index + 1}_app").write_bytes(b"".join(lines[bounds[index] : bounds[index + 1]]))
    (directory / "appstatus_app").touch()
    return directory


def small_log(app_id: str, tasks: int = 3, *, ended: bool = True) -> bytes:
    """An application with one query of one stage."""
    plan = {
        "nodeName": "Scan parquet default.sales",
        "simpleString": "FileScan parquet default.sales[id#1]",
        "children": [],
        "metadata": {"Location": "InMemoryFileIndex(1 paths)[file:/tables/sales]"},
        "metrics": [{"name": "number of output rows", "accumulatorId": 1, "metricType": "sum"}],
    }
    stage = {"Stage ID": 0, "Stage Attempt ID": 0, "Number of Tasks": tasks}
    events: list[dict[str, Any]] = [
        {"Event": "SparkListenerLogStart", "Spark Version": "4.3.0"},
        {
            "Event": "SparkListenerApplicationStart",
            "App Name": "nightly",
            "App ID": app_id,
            "Timestamp": 1_763_600_000_000,
        },
        {
            "Event": "tuner.steering.agent.PlanSteered",
            "executionId": 0,
            "fingerprint": "0011223344556677",
            "outcomes": [{"id": "hint_join:1=MERGE", "status": "impossible", "reason": "no such join"}],
        },
        {
            "Event": SQL + "SQLExecutionStart",
            "executionId": 0,
            "description": "count",
            "sparkPlanInfo": plan,
            "time": 5,
        },
        {
            "Event": "SparkListenerJobStart",
            "Job ID": 0,
            "Stage IDs": [0],
            "Properties": {"spark.sql.execution.id": "0"},
        },
        {"Event": "SparkListenerStageSubmitted", "Stage Info": stage},
    ]
    for index in range(tasks):
        rows = [{"ID": 1, "Update": 10, "Metadata": "sql"}]
        end = {"Stage ID": 0, "Task End Reason": {"Reason": "Success"}, "Task Metrics": {"Executor Run Time": 7}}
        events.append({"Event": "SparkListenerTaskEnd", **end, "Task Info": {"Index": index, "Accumulables": rows}})
    events += [
        {"Event": "SparkListenerStageCompleted", "Stage Info": stage},
        {"Event": "SparkListenerJobEnd", "Job ID": 0, "Job Result": {"Result": "JobSucceeded"}},
        {"Event": SQL + "SQLExecutionEnd", "executionId": 0, "time": 9},
    ]
    if ended:
        events.append({"Event": "SparkListenerApplicationEnd", "Timestamp": 1_763_600_009_000})
    return b"".join(json.dumps(event).encode() + b"\n" for event in events)


def write_fleet(root: Path) -> Path:
    """Single, rolling, zipped, damaged, unfinished and hostile logs among other files; real ones where they are at hand."""
    root.mkdir(parents=True)
    for number in range(5):
        (root / f"app-{number}").write_bytes(small_log(f"app-{number}", tasks=number + 1))
    (root / "app-9.inprogress").write_bytes(small_log("app-9", ended=False))
    damaged = bytearray(small_log("app-10"))
    damaged[len(damaged) // 2] = 0
    (root / "app-10").write_bytes(bytes(damaged))
    (root / "app-11").write_bytes(small_log("app-11").replace(b'"Update": 10', b'"Update": 99999999999999999999'))
    (root / "notes.md").write_text("# Notes\n\nno log\n")
    (root / "empty").touch()
    write_rolled(root / "eventlog_v2_app-12", small_log("app-12", tasks=40).splitlines(keepends=True), 7)
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as file:
        for number in (20, 21):
            file.writestr(f"app-{number}", small_log(f"app-{number}"))
    (root / "eventLogs.zip").write_bytes(archive.getvalue())
    if SHARED.is_dir():
        for name in ("eventlog_dsv2.zstd", "jdbc_eventlog.zstd", "truncated_eventlog"):
            (root / name).write_bytes((SHARED / name).read_bytes())
        for name, pieces in (
            ("db_subExecution_id.zstd", 5),
            ("python_udf_eventlog", 9),
            ("aqeshuffle_eventlog.zstd", 3),
        ):
            write_rolled(root / f"eventlog_v2_{name}", lines_of(SHARED / name), pieces)
    return root


def local_tables(root: Path, *, documents: bool = False) -> dict[str, list[dict[str, Any]]]:
    """The tables as the local reader has them, in no order."""
    tables: dict[str, list[dict[str, Any]]] = {table: [] for table in TABLES}
    for source in find_logs(root):
        rows = list(log_rows(source, documents=documents))
        (application,) = [row for table, row in rows if table == "applications"] or [
            {"app_id": None, "app_attempt": None}
        ]
        key = {"log": log_name(source), "app_id": application["app_id"], "app_attempt": application["app_attempt"]}
        for table, row in rows:
            tables[table].append(key | row)
    return tables


def written_tables(out: Path) -> dict[str, list[dict[str, Any]]]:
    """The tables as any reader of Parquet has them, without the columns they are partitioned by."""
    return {table: _rows(out / table, table) for table in TABLES}


def _rows(directory: Path, table: str) -> list[dict[str, Any]]:
    names = [column.name for column in (*KEY, *TABLES[table])]
    files = sorted(directory.rglob("*.parquet"))
    tables = [pq.read_table(file, columns=names, partitioning=None) for file in files]
    return [row for table_ in tables for row in table_.to_pylist(maps_as_pydicts="strict")]


def comparable(rows: Iterable[dict[str, Any]]) -> list[str]:
    return sorted(json.dumps(_plain(row), sort_keys=True) for row in rows)


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _plain(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_plain(inner) for inner in value]
    if isinstance(value, int) and not isinstance(value, bool):
        return max(-(1 << 63) + 1, min((1 << 63) - 1, value))
    return value
