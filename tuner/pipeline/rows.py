"""What a log says, as rows of the tables in `schema`: the same for one log on one machine and for a fleet's."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator
from dataclasses import asdict, fields
from typing import Any

from tuner.eventlog.find import LogSource
from tuner.eventlog.log_version import log_name
from tuner.eventlog.read import holds_no_events, stream_log
from tuner.loop.work_ends import WorkEnds
from tuner.model.application import Application, Execution, Job, Stage, Work
from tuner.model.join_site import JoinSide, JoinSite
from tuner.model.query import Query
from tuner.pipeline.documents import query_document, run_document
from tuner.pipeline.stage_work import rows_of
from tuner.plan.node import PlanNode
from tuner.plan.queries import in_full, query_and_plans, with_work
from tuner.plan.relation import is_scan, relation_name

# A table and a row of it.
TableRow = tuple[str, dict[str, Any]]
# What links a stage to its plan and its jobs, and what only insights ask for, is no column.
_NO_COLUMNS = (
    "accumulator_ids",
    "job_ids",
    "longest_task_ms",
    "longest_task_bytes",
    "most_written_bytes",
    "untold_tasks",
    "partial_ids",
)
_STAGE_FIELDS = tuple(f.name for f in fields(Stage) if f.name not in _NO_COLUMNS)
_JOB_FIELDS = tuple(f.name for f in fields(Job))
# Of these the documents tell, which replays read.
_NO_SIDE_COLUMNS = ("filtered_by_other", "skipped", "readers", "fed_bytes")
_SIDE_FIELDS = tuple(f.name for f in fields(JoinSide) if f.name not in _NO_SIDE_COLUMNS)
_MOST_BYTES = (1 << 63) - 1


def log_rows(source: LogSource, *, documents: bool = False) -> Iterator[TableRow]:
    """All rows of one log, those of its application last; with the documents that replays read, if they are wanted."""
    ends = WorkEnds()
    application = yield from works_rows(stream_log(source), ends, documents=documents)
    document_of = log_name(source) if documents else None
    yield from application_rows(application, ends, named=source.named, document_of=document_of)


def works_rows(
    works: Generator[Work, None, Any], ends: WorkEnds, *, documents: bool = False
) -> Generator[TableRow, None, Any]:
    """The rows of what a generator yields, which `ends` takes; returns what that returns."""
    while True:
        try:
            work = next(works)
        except StopIteration as end:
            return end.value
        ends.take(work)
        yield from work_rows(work, documents=documents)


def application_rows(
    application: Application, ends: WorkEnds, *, named: bool = True, document_of: str | None = None
) -> Iterator[TableRow]:
    """Of a file that is no event log, and was not asked for by its name, only what is wrong with it.

    The application's document is there where `document_of`, the log's name, is given.
    """
    if named or not holds_no_events(application):
        document = None if document_of is None else run_document(application, ends, document_of)
        yield "applications", _application(application) | {"document": document}
    for problem in application.problems:
        yield "problems", asdict(problem) | {"code": problem.code.value}


def _application(application: Application) -> dict[str, Any]:
    executors = application.executors
    return {
        "app_id": application.app_id,
        "app_attempt": application.attempt,
        "app_name": application.app_name,
        "spark_version": application.spark_version,
        "start_ms": application.start_ms,
        "end_ms": application.end_ms,
        "status": application.status.value,
        "executors": executors.count,
        "executor_cores": executors.cores,
        "executor_memory_bytes": executors.memory_bytes,
        "conf": dict(application.conf),
    }


def work_rows(work: Work, *, documents: bool = False) -> Iterator[TableRow]:
    if work.execution:
        yield from _execution_rows(work.execution, work, documents)
    for job in work.jobs:
        yield "jobs", _job(job)
    for stage in work.stages:
        yield "stages", _values(stage, _STAGE_FIELDS)


def _execution_rows(execution: Execution, work: Work, documents: bool) -> Iterator[TableRow]:
    found = query_and_plans(execution, work.stages, work.steering)
    if found is None:
        return
    query, _, plan = found
    full = in_full(found, work.stages, execution.logical_plan) if documents else with_work(found, work.stages)
    yield "queries", _query(query) | {"document": query_document(full) if documents else None}
    yield from rows_of(full, work.stages)
    for number, join in enumerate(query.joins):
        yield "joins", {"query_id": query.id, "join_id": number, **join_row(join)}
    for outcome in query.directives:
        held = outcome.held.code.value if outcome.held else None
        row = {"action_id": outcome.action_id, "status": outcome.status.value, "reason": outcome.reason}
        yield "directives", {"query_id": query.id, **row, "join": outcome.join, "held": held}
    for node in _nodes(plan):
        yield "plan_nodes", {"query_id": query.id, **node}


def _query(query: Query) -> dict[str, Any]:
    return {
        "query_id": query.id,
        "root_id": query.root_id,
        "fingerprint": query.fingerprint,
        "description": query.description,
        "status": query.status.value,
        "error": query.error,
        "start_ms": query.start_ms,
        "duration_ms": query.duration_ms,
        "input_bytes": query.input_bytes,
        "input_rows": query.input_rows,
        "executor_run_ms": query.executor_run_ms,
        "executor_cpu_ms": query.executor_cpu_ms,
        "spilled_bytes": query.spilled_bytes,
        "task_count": query.task_count,
    }


def join_row(join: JoinSite) -> dict[str, Any]:
    """A row of `joins`, but for which query's and which of its joins it is."""
    return {
        "signature": join.signature,
        "occurrence": join.occurrence,
        "type": join.type.value,
        "strategy": join.strategy.value,
        "planned_strategy": join.planned_strategy.value if join.planned_strategy else None,
        "build_side": join.build_side.value if join.build_side else None,
        "keys": [{"left": left, "right": right} for left, right in join.keys],
        "left": _side(join.left),
        "right": _side(join.right),
        "output_rows": join.output_rows,
    }


def _side(side: JoinSide) -> dict[str, Any]:
    row = _values(side, _SIDE_FIELDS) | {"relations": list(side.relations)}
    # Of what it knows nothing of Spark estimates 8 EiB, of a product far more. Found later, it costs the batch of its row twice.
    if side.estimated_bytes is not None:
        row["estimated_bytes"] = min(side.estimated_bytes, _MOST_BYTES)
    return row


def _job(job: Job) -> dict[str, Any]:
    return _values(job, _JOB_FIELDS) | {"stage_ids": list(job.stage_ids), "status": job.status.value}


def _values(fact: object, names: Iterable[str]) -> dict[str, Any]:
    return {name: getattr(fact, name) for name in names}


def _nodes(root: PlanNode) -> Iterator[dict[str, Any]]:
    stack: list[tuple[PlanNode, int | None, bool]] = [(root, None, False)]
    number = 0
    while stack:
        node, parent, subquery = stack.pop()
        yield {
            "node_id": number,
            "parent_id": parent,
            "subquery": subquery,
            "name": node.name,
            "relation": relation_name(node) if is_scan(node) else None,
            "metrics": dict(node.metrics),
        }
        below = [(c, number, False) for c in node.children] + [(s, number, True) for s in node.subqueries]
        stack.extend(reversed(below))
        number += 1
