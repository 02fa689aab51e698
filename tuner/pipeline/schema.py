"""The tables a harvest writes: names, types and meanings of their columns."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields

import pyarrow as pa

from tuner.model.query_work import BroadcastWork
from tuner.plan.query_work import Resource
from tuner.spark.properties import APP_NAME


@dataclass(frozen=True, slots=True)
class Column:
    name: str
    type: pa.DataType
    meaning: str


def _columns(*rows: tuple[str, pa.DataType, str]) -> tuple[Column, ...]:
    return tuple(Column(*row) for row in rows)


# Logs whose rows are of another version are read anew: it grows with what a column means.
VERSION = 2

_STRING, _LONG, _DOUBLE, _BOOLEAN = pa.string(), pa.int64(), pa.float64(), pa.bool_()

# How the files of a table lie: by the month, not by the date as with 0, which made thousands of small ones of a pile of logs.
LAYOUT = 1

# What every table begins with, and what it ends with. It is partitioned by the harvest and the month (UTC) of DATE.
KEY = _columns(
    ("log", _STRING, "path or URL of the event log, without credentials and `.inprogress`"),
    ("app_id", _STRING, "the application's id"),
    ("app_attempt", _STRING, "the application's attempt, where its cluster manager counts them"),
)
DATE = Column("date", pa.date32(), "UTC date of the application's start")

_SIDE = pa.struct(
    {
        "relations": pa.list_(_STRING),
        "rows": _LONG,
        "bytes": _LONG,
        "shuffle_bytes": _LONG,
        "broadcast_bytes": _LONG,
        "file_bytes": _LONG,
        "estimated_bytes": _LONG,
        "sort_ms": _LONG,
        "leaf_bytes": _LONG,
    }
)

_BROADCAST = pa.struct({field.name: _LONG for field in fields(BroadcastWork)})

TABLES: dict[str, tuple[Column, ...]] = {
    "applications": _columns(
        ("app_name", _STRING, APP_NAME),
        ("spark_version", _STRING, "version that wrote the log"),
        ("start_ms", _LONG, "epoch milliseconds"),
        ("end_ms", _LONG, "epoch milliseconds; null where the log breaks off"),
        ("status", _STRING, "complete, partial or failed"),
        ("executors", _LONG, "most executors alive at once"),
        ("executor_cores", _LONG, "cores of one executor"),
        ("executor_memory_bytes", _LONG, "heap one executor asked for"),
        ("conf", pa.map_(_STRING, _STRING), "the properties the tuner reads, and no other"),
        ("document", _STRING, "the run it was, as JSON, for replays; null where none was asked for"),
    ),
    "queries": _columns(
        ("query_id", _LONG, "id of the SQL execution"),
        ("root_id", _LONG, "id of the execution it is part of"),
        ("fingerprint", _STRING, "the same for the same query in every run"),
        ("description", _STRING, "job description, literals removed"),
        ("status", _STRING, "succeeded, failed or unfinished"),
        ("error", _STRING, "first line of the error, literals removed"),
        ("start_ms", _LONG, "epoch milliseconds"),
        ("duration_ms", _LONG, "wall time; null where unfinished, or the clock was set back"),
        ("input_bytes", _LONG, "bytes of the files scanned"),
        ("input_rows", _LONG, "rows put out by the scans"),
        ("executor_run_ms", _LONG, "sum over its tasks"),
        ("executor_cpu_ms", _LONG, "sum over its tasks"),
        ("spilled_bytes", _LONG, "bytes spilled to disk"),
        ("task_count", _LONG, "tasks of its stages"),
        ("document", _STRING, "all of the query as JSON, for replays; null where none was asked for"),
    ),
    "plan_nodes": _columns(
        ("query_id", _LONG, "id of the SQL execution"),
        ("node_id", _LONG, "number of the operator in plan order, 0 for the root of the plan that ran"),
        ("parent_id", _LONG, "the operator it feeds; null for the root"),
        ("subquery", _BOOLEAN, "whether the operator above uses it in an expression"),
        ("name", _STRING, "operator, such as SortMergeJoin"),
        ("relation", _STRING, "table or normalised path of a scan"),
        ("metrics", pa.map_(_STRING, _LONG), "SQL metrics by Spark's names: rows, bytes, ms, ns"),
    ),
    "joins": _columns(
        ("query_id", _LONG, "id of the SQL execution"),
        ("join_id", _LONG, "number of the join in plan order"),
        ("signature", _STRING, "the same for the same join in every run"),
        ("occurrence", _LONG, "tells apart joins of a query that share a signature"),
        ("type", _STRING, "Inner, LeftOuter, LeftSemi, …"),
        ("strategy", _STRING, "how it ran, such as BroadcastHashJoin"),
        ("planned_strategy", _STRING, "how it was planned before AQE"),
        ("build_side", _STRING, "left or right"),
        ("keys", pa.list_(pa.struct({"left": _STRING, "right": _STRING})), "relation.column of both sides"),
        ("left", _SIDE, "rows and bytes that came in from the left"),
        ("right", _SIDE, "rows and bytes that came in from the right"),
        ("output_rows", _LONG, "rows it put out"),
    ),
    "directives": _columns(
        ("query_id", _LONG, "id of the SQL execution"),
        ("action_id", _STRING, "the change that the Catalyst agent was directed to make"),
        ("status", _STRING, "applied, held, ignored or impossible"),
        ("reason", _STRING, "why, or how the plan deviates; empty where it is as directed"),
        ("join", _STRING, "signature of the join that a hint was for; empty where the log does not tell it"),
        ("held", _STRING, "code of what did not hold in this run, where it was held for that"),
    ),
    "jobs": _columns(
        ("job_id", _LONG, "Spark's id"),
        ("execution_id", _LONG, "the SQL execution that ran it, if any"),
        ("stage_ids", pa.list_(_LONG), "all stages it depends on"),
        ("tasks", _LONG, "tasks of stages not yet complete when it was submitted"),
        ("completed_tasks", _LONG, "attempts at tasks that succeeded, in the stages it waited for"),
        ("failed_tasks", _LONG, "attempts that failed"),
        ("killed_tasks", _LONG, "attempts that were killed, such as the slower of two speculative ones"),
        ("skipped_tasks", _LONG, "tasks of stages it did without in the end"),
        ("submitted_ms", _LONG, "epoch milliseconds"),
        ("completed_ms", _LONG, "epoch milliseconds"),
        ("status", _STRING, "succeeded, failed or unfinished"),
        ("failure", _STRING, "why it failed"),
    ),
    "stages": _columns(
        ("stage_id", _LONG, "Spark's id"),
        ("attempt", _LONG, "attempt of the stage; each stands for itself"),
        ("execution_id", _LONG, "the SQL execution whose job ran it, if any"),
        ("tasks", _LONG, "number of tasks"),
        ("completed_tasks", _LONG, "attempts at tasks that succeeded"),
        ("failed_tasks", _LONG, "attempts that failed"),
        ("killed_tasks", _LONG, "attempts that were killed"),
        ("submitted_ms", _LONG, "epoch milliseconds"),
        ("completed_ms", _LONG, "epoch milliseconds"),
        ("failure", _STRING, "why it failed"),
        ("executor_run_time_ms", _LONG, "sum over all task attempts, as below"),
        ("executor_cpu_time_ns", _LONG, ""),
        ("input_bytes", _LONG, ""),
        ("input_records", _LONG, ""),
        ("shuffle_read_bytes", _LONG, ""),
        ("shuffle_read_records", _LONG, ""),
        ("shuffle_write_bytes", _LONG, ""),
        ("shuffle_write_records", _LONG, ""),
        ("memory_spilled_bytes", _LONG, ""),
        ("disk_spilled_bytes", _LONG, ""),
        ("output_bytes", _LONG, ""),
        ("output_records", _LONG, ""),
    ),
    "query_work": _columns(
        ("query_id", _LONG, "id of the SQL execution; only queries that prices can be learned from"),
        ("fingerprint", _STRING, "the same for the same query in every run"),
        ("wall_ms", _LONG, "wall time"),
        ("stages", _LONG, "how many rows `stage_work` has of it"),
        ("sort_rows", _LONG, "rows of all sorts that Spark timed"),
        ("sort_ms", _LONG, "what Spark timed of them"),
        ("broadcasts", pa.list_(_BROADCAST), "what it broadcast: rows, bytes, milliseconds of each step, readers"),
    ),
    "stage_work": _columns(
        ("query_id", _LONG, "id of the SQL execution; the same queries as in `query_work`"),
        ("fingerprint", _STRING, "the same for the same query in every run"),
        ("stage_id", _LONG, "Spark's id"),
        ("attempt", _LONG, "attempt of the stage; each stands for itself"),
        ("tasks", _LONG, "attempts at tasks that succeeded"),
        ("run_ms", _LONG, "sum over its tasks"),
        ("cpu_ms", _LONG, "sum over its tasks"),
        *((resource.value, _DOUBLE, f"Resource.{resource.name}; null for none") for resource in Resource),
    ),
    "problems": _columns(
        ("file", _STRING, "the file that could not be read as it should"),
        ("line", _LONG, "from 1; 0 for the whole file"),
        ("code", _STRING, "such as truncated, bad_line, corrupt_data"),
        ("message", _STRING, "what is wrong"),
        ("retryable", _BOOLEAN, "whether reading again later may help"),
    ),
}


# A record holds a row of one table in the column of that name, or a fragment: what a file of a log leaves to be joined.
RECORD = pa.schema(
    {
        "log": _STRING,
        "position": _LONG,
        "piece": pa.binary(),
        "fragment": pa.binary(),
        "applications": pa.struct({c.name: c.type for c in (*KEY[1:], *TABLES["applications"])}),
        **{
            table: pa.struct({c.name: c.type for c in columns})
            for table, columns in TABLES.items()
            if table != "applications"
        },
    }
)

_DDL = {
    _STRING: "string",
    _LONG: "bigint",
    _DOUBLE: "double",
    _BOOLEAN: "boolean",
    pa.date32(): "date",
    pa.binary(): "binary",
}


def ddl(fields: Iterable[pa.Field]) -> str:
    """Columns as Spark writes them: `a bigint, b array<string>`."""
    return ", ".join(f"`{field.name}` {_ddl(field.type)}" for field in fields)


def _ddl(type_: pa.DataType) -> str:
    if pa.types.is_struct(type_):
        return f"struct<{', '.join(f'`{field.name}`: {_ddl(field.type)}' for field in type_)}>"
    if pa.types.is_list(type_):
        return f"array<{_ddl(type_.value_type)}>"
    if pa.types.is_map(type_):
        return f"map<{_ddl(type_.key_type)}, {_ddl(type_.item_type)}>"
    return _DDL[type_]
