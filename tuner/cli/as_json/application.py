"""An application as `harvest --json` prints it: a contract, so every name is written out here."""

from __future__ import annotations

from typing import Any

from tuner.model.application import Application, Job, Problem, Stage
from tuner.model.join_site import JoinSide, JoinSite
from tuner.model.query import Query

_STAGE_FIELDS = (
    "stage_id",
    "attempt",
    "tasks",
    "completed_tasks",
    "failed_tasks",
    "killed_tasks",
    "executor_run_time_ms",
    "executor_cpu_time_ns",
    "input_bytes",
    "input_records",
    "shuffle_read_bytes",
    "shuffle_read_records",
    "shuffle_write_bytes",
    "shuffle_write_records",
    "memory_spilled_bytes",
    "disk_spilled_bytes",
    "output_bytes",
    "output_records",
)


def application_json(application: Application) -> dict[str, Any]:
    """What comes before the lists of an application's object."""
    executors = application.executors
    return {
        "app_id": application.app_id,
        "app_name": application.app_name,
        "attempt": application.attempt,
        "spark_version": application.spark_version,
        "start_ms": application.start_ms,
        "end_ms": application.end_ms,
        "status": application.status.value,
        "executors": {"cores": executors.cores, "memory_bytes": executors.memory_bytes, "count": executors.count},
    }


def query_json(query: Query, name: str) -> dict[str, Any]:
    return {
        "id": query.id,
        "fingerprint": query.fingerprint,
        "name": name,
        "description": query.description,
        "start_ms": query.start_ms,
        "duration_ms": query.duration_ms,
        "status": query.status.value,
        "joins": [_join(join) for join in query.joins],
        "root_id": query.root_id,
        "literals": query.literals,
        "directives": [
            {"action_id": d.action_id, "status": d.status.value, "reason": d.reason} for d in query.directives
        ],
    }


def job_json(job: Job) -> dict[str, Any]:
    return {
        "job_id": job.job_id,
        "execution_id": job.execution_id,
        "stage_ids": list(job.stage_ids),
        "tasks": job.tasks,
        "completed_tasks": job.completed_tasks,
        "failed_tasks": job.failed_tasks,
        "killed_tasks": job.killed_tasks,
        "skipped_tasks": job.skipped_tasks,
        "submitted_ms": job.submitted_ms,
        "completed_ms": job.completed_ms,
        "status": job.status.value,
        "failure": job.failure,
    }


def stage_json(stage: Stage) -> dict[str, Any]:
    return {name: getattr(stage, name) for name in _STAGE_FIELDS}


def problem_json(problem: Problem) -> dict[str, Any]:
    return {
        "file": problem.file,
        "line": problem.line,
        "code": problem.code.value,
        "message": problem.message,
        "retryable": problem.retryable,
    }


def _join(join: JoinSite) -> dict[str, Any]:
    return {
        "signature": join.signature,
        "type": join.type.value,
        "strategy": join.strategy.value,
        "build_side": join.build_side.value if join.build_side else None,
        "keys": [list(pair) for pair in join.keys],
        "left": _side(join.left),
        "right": _side(join.right),
        "output_rows": join.output_rows,
        "planned_strategy": join.planned_strategy.value if join.planned_strategy else None,
    }


def _side(side: JoinSide) -> dict[str, Any]:
    return {"relations": list(side.relations), "rows": side.rows, "bytes": side.bytes}
