"""The tables a harvest writes: names, types (Spark's DDL) and meanings of their columns."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Column:
    name: str
    type: str
    meaning: str


def _columns(*rows: tuple[str, str, str]) -> tuple[Column, ...]:
    return tuple(Column(*row) for row in rows)


# What every table begins with, and is partitioned by.
KEY = _columns(
    ("log", "string", "path or URL of the event log, without credentials"),
    ("app_id", "string", "the application's id"),
    ("app_attempt", "string", "the application's attempt, where its cluster manager counts them"),
)
PARTITIONS = _columns(
    ("batch", "string", "the harvest that wrote the row"),
    ("date", "date", "UTC date of the application's start"),
)

_SIDE = (
    "struct<relations: array<string>, rows: bigint, bytes: bigint, shuffle_bytes: bigint, broadcast_bytes: bigint,"
    " file_bytes: bigint, estimated_bytes: bigint, sort_ms: bigint>"
)

TABLES: dict[str, tuple[Column, ...]] = {
    "applications": _columns(
        ("app_name", "string", "spark.app.name"),
        ("spark_version", "string", "version that wrote the log"),
        ("start_ms", "bigint", "epoch milliseconds"),
        ("end_ms", "bigint", "epoch milliseconds; null where the log breaks off"),
        ("status", "string", "complete, partial or failed"),
        ("executors", "bigint", "most executors alive at once"),
        ("executor_cores", "bigint", "cores of one executor"),
        ("executor_memory_bytes", "bigint", "heap one executor asked for"),
        ("conf", "map<string, string>", "the properties the tuner reads, and no other"),
    ),
    "queries": _columns(
        ("query_id", "bigint", "id of the SQL execution"),
        ("root_id", "bigint", "id of the execution it is part of"),
        ("fingerprint", "string", "the same for the same query in every run"),
        ("description", "string", "job description, literals removed"),
        ("status", "string", "succeeded, failed or unfinished"),
        ("error", "string", "first line of the error, literals removed"),
        ("start_ms", "bigint", "epoch milliseconds"),
        ("duration_ms", "bigint", "wall time; null where unfinished"),
        ("input_bytes", "bigint", "bytes of the files scanned"),
        ("input_rows", "bigint", "rows put out by the scans"),
        ("executor_run_ms", "bigint", "sum over its tasks"),
        ("executor_cpu_ms", "bigint", "sum over its tasks"),
        ("spilled_bytes", "bigint", "bytes spilled to disk"),
        ("task_count", "bigint", "tasks of its stages"),
    ),
    "plan_nodes": _columns(
        ("query_id", "bigint", "id of the SQL execution"),
        ("node_id", "bigint", "number of the operator in plan order, 0 for the root of the plan that ran"),
        ("parent_id", "bigint", "the operator it feeds; null for the root"),
        ("subquery", "boolean", "whether the operator above uses it in an expression"),
        ("name", "string", "operator, such as SortMergeJoin"),
        ("relation", "string", "table or normalised path of a scan"),
        ("metrics", "map<string, bigint>", "SQL metrics by Spark's names: rows, bytes, ms, ns"),
    ),
    "joins": _columns(
        ("query_id", "bigint", "id of the SQL execution"),
        ("join_id", "bigint", "number of the join in plan order"),
        ("signature", "string", "the same for the same join in every run"),
        ("occurrence", "bigint", "tells apart joins of a query that share a signature"),
        ("type", "string", "Inner, LeftOuter, LeftSemi, …"),
        ("strategy", "string", "how it ran, such as BroadcastHashJoin"),
        ("planned_strategy", "string", "how it was planned before AQE"),
        ("build_side", "string", "left or right"),
        ("keys", "array<struct<left: string, right: string>>", "relation.column of both sides"),
        ("left", _SIDE, "rows and bytes that came in from the left"),
        ("right", _SIDE, "rows and bytes that came in from the right"),
        ("output_rows", "bigint", "rows it put out"),
    ),
    "jobs": _columns(
        ("job_id", "bigint", "Spark's id"),
        ("execution_id", "bigint", "the SQL execution that ran it, if any"),
        ("stage_ids", "array<bigint>", "all stages it depends on"),
        ("tasks", "bigint", "tasks of stages not yet complete when it was submitted"),
        ("submitted_ms", "bigint", "epoch milliseconds"),
        ("completed_ms", "bigint", "epoch milliseconds"),
        ("status", "string", "succeeded, failed or unfinished"),
        ("failure", "string", "why it failed"),
    ),
    "stages": _columns(
        ("stage_id", "bigint", "Spark's id"),
        ("attempt", "bigint", "attempt of the stage; each stands for itself"),
        ("execution_id", "bigint", "the SQL execution whose job ran it, if any"),
        ("tasks", "bigint", "number of tasks"),
        ("failed_tasks", "bigint", "task attempts that failed"),
        ("submitted_ms", "bigint", "epoch milliseconds"),
        ("completed_ms", "bigint", "epoch milliseconds"),
        ("failure", "string", "why it failed"),
        ("executor_run_time_ms", "bigint", "sum over all task attempts, as below"),
        ("executor_cpu_time_ns", "bigint", ""),
        ("input_bytes", "bigint", ""),
        ("input_records", "bigint", ""),
        ("shuffle_read_bytes", "bigint", ""),
        ("shuffle_read_records", "bigint", ""),
        ("shuffle_write_bytes", "bigint", ""),
        ("shuffle_write_records", "bigint", ""),
        ("memory_spilled_bytes", "bigint", ""),
        ("disk_spilled_bytes", "bigint", ""),
        ("output_bytes", "bigint", ""),
    ),
    "problems": _columns(
        ("file", "string", "the file that could not be read as it should"),
        ("line", "bigint", "from 1; 0 for the whole file"),
        ("code", "string", "such as truncated, bad_line, corrupt_data"),
        ("message", "string", "what is wrong"),
        ("retryable", "boolean", "whether reading again later may help"),
    ),
}


def ddl(columns: tuple[Column, ...]) -> str:
    """The columns as Spark's DDL."""
    return ", ".join(f"`{column.name}` {column.type}" for column in columns)
