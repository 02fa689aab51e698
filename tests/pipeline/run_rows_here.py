"""The rows that Spark makes of a log for its walk, made in this process."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tuner.eventlog.find import LogSource
from tuner.model.application import JobStatus
from tuner.pipeline.rows import log_rows
from tuner.pipeline.run_rows import JOBS

Row = dict[str, Any]


def rows_here(source: LogSource, cohort: str, position: int) -> list[Row]:
    """Sorted as Spark sorts them."""
    place = {"cohort": cohort, "position": position, "log": str(source.path)}
    tables: dict[str, list[Row]] = {}
    for table, row in log_rows(source, documents=True):
        tables.setdefault(table, []).append(row)
    jobs = _jobs(tables.get("jobs", ()))
    found = [place | jobs | _own(row) | {"is_query": False} for row in tables["applications"]]
    queries = [place | dict.fromkeys(JOBS) | _own(row) | {"is_query": True} for row in tables.get("queries", ())]
    return found + sorted(queries, key=lambda row: row["query_id"])


def _own(row: Row) -> Row:
    return {"query_id": row.get("query_id", 0), "document": row["document"]}


def _jobs(rows: Iterable[Row]) -> Row:
    """As `run_rows` has Spark sum them up."""
    outside = [row for row in rows if row["execution_id"] is None]
    if not outside:
        return dict.fromkeys(JOBS)
    by_status: dict[str, list[Row]] = {}
    for row in outside:
        by_status.setdefault(row["status"], []).append(row)
    failed = (row["completed_ms"] or 0 for row in by_status.get(JobStatus.FAILED, ()))
    begun = (row["submitted_ms"] or 0 for row in by_status.get(JobStatus.SUCCEEDED, ()))
    open_jobs = len(by_status.get(JobStatus.UNFINISHED, ()))
    return {"failed_ms": max(failed, default=None), "begun_ms": max(begun, default=None), "open_jobs": open_jobs}
