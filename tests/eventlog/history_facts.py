"""One application field by field, as the reader tells it and as Spark's history server does: equal where they agree.

A fact's name is a path: `("job", 3, "tasks")`, `("metric", <SQL execution>, <node of the plan>, "spill size", 0)`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Any

from tuner.eventlog.properties import allowed, redact
from tuner.model.application import Application, Execution, Job, JobStatus, PlanInfo, Stage

from .spark_text import total_in, total_text

Fact = tuple[str | int, ...]
Facts = dict[Fact, object]

_JOB_STATUS = {JobStatus.SUCCEEDED: "SUCCEEDED", JobStatus.FAILED: "FAILED", JobStatus.UNFINISHED: "RUNNING"}
_STAGE_NUMBERS = {
    "tasks": "numTasks",
    "completed_tasks": "numCompleteTasks",
    "failed_tasks": "numFailedTasks",
    "killed_tasks": "numKilledTasks",
    "executor_run_time_ms": "executorRunTime",
    "executor_cpu_time_ns": "executorCpuTime",
    "input_bytes": "inputBytes",
    "input_records": "inputRecords",
    "output_bytes": "outputBytes",
    "output_records": "outputRecords",
    "shuffle_read_bytes": "shuffleReadBytes",
    "shuffle_read_records": "shuffleReadRecords",
    "shuffle_write_bytes": "shuffleWriteBytes",
    "shuffle_write_records": "shuffleWriteRecords",
    "memory_spilled_bytes": "memoryBytesSpilled",
    "disk_spilled_bytes": "diskBytesSpilled",
}
_JOB_NUMBERS = {
    "tasks": "numTasks",
    "completed_tasks": "numCompletedTasks",
    "failed_tasks": "numFailedTasks",
    "killed_tasks": "numKilledTasks",
    "skipped_tasks": "numSkippedTasks",
}


def spark_says(ask: Callable[[str], Any], app_id: str, listed: dict[str, Any]) -> Facts:
    """All that the history server tells of an application: as it lists it, and in answers to what is asked."""
    attempt = listed.get("attemptId")
    base = f"applications/{app_id}" + (f"/{attempt}" if attempt else "")
    facts: Facts = {
        ("application", "id"): app_id,
        ("application", "attempt"): attempt,
        ("application", "name"): redact(listed["name"]),
        ("application", "spark_version"): listed["appSparkVersion"],
        ("application", "start_ms"): listed["startTimeEpoch"],
        ("application", "end_ms"): listed["endTimeEpoch"] if listed["completed"] else None,
        ("application", "duration_ms"): listed["duration"] if listed["completed"] else None,
    }
    for job in ask(f"{base}/jobs"):
        facts |= {("job", job["jobId"], *name): value for name, value in _job_of_spark(job)}
    for stage in ask(f"{base}/stages?withSummaries=false"):
        key = ("stage", stage["stageId"], stage["attemptId"])
        facts |= {(*key, *name): value for name, value in _stage_of_spark(stage)}
    for query in ask(f"{base}/sql?details=true&planDescription=false&offset=0&length=1000000"):
        facts |= dict(_query_of_spark(query))
    facts |= _executors_of_spark(ask(f"{base}/allexecutors"))
    properties = dict(ask(f"{base}/environment")["sparkProperties"])
    return facts | {("conf", key): value for key, value in allowed(properties).items()}


def reader_says(application: Application) -> Facts:
    """What the reader made of the same log."""
    start_ms, end_ms = application.start_ms, application.end_ms
    facts: Facts = {
        ("application", "id"): application.app_id,
        ("application", "attempt"): application.attempt,
        ("application", "name"): application.app_name,
        ("application", "spark_version"): application.spark_version,
        ("application", "start_ms"): start_ms,
        ("application", "end_ms"): end_ms,
        ("application", "duration_ms"): None if start_ms is None or end_ms is None else end_ms - start_ms,
        ("executors", "cores"): application.executors.cores,
        ("executors", "count"): application.executors.count,
    }
    for job in application.jobs:
        attempts = [stage for stage in application.stages if job.job_id in stage.job_ids]
        facts |= {("job", job.job_id, *name): value for name, value in _job(job, attempts)}
    for stage in application.stages:
        facts |= {("stage", stage.stage_id, stage.attempt, *name): value for name, value in _stage(stage)}
    ran = {stage.stage_id for stage in application.stages if not stage.attempt}
    for job in application.jobs:
        left_out = "PENDING" if job.status is JobStatus.UNFINISHED else "SKIPPED"
        facts |= {("stage", stage_id, 0, "status"): left_out for stage_id in job.stage_ids if stage_id not in ran}
    for execution in application.executions:
        jobs = [job for job in application.jobs if job.execution_id == execution.execution_id]
        facts |= dict(_query(execution, jobs))
        plan = execution.final_plan or execution.initial_plan
        for number, node in enumerate(plan_nodes(plan) if plan else ()):
            facts["node", execution.execution_id, number] = node.name.strip()
            for name, metric_type, value in _metrics(node, execution):
                facts["metric", execution.execution_id, number, *name] = total_text(metric_type, value)
    return facts | {("conf", key): value for key, value in application.conf.items()}


def metric_types(application: Application) -> dict[Fact, str]:
    """What kind of a metric each of the facts named `metric` is."""
    types: dict[Fact, str] = {}
    for execution in application.executions:
        plan = execution.final_plan or execution.initial_plan
        for number, node in enumerate(plan_nodes(plan) if plan else ()):
            metrics = _metrics(node, execution)
            types |= {("metric", execution.execution_id, number, *name): kind for name, kind, _ in metrics}
    return types


def plan_nodes(plan: PlanInfo) -> Iterator[PlanInfo]:
    """The operators in the order in which SparkPlanGraph numbers them: a reused exchange stands for itself once."""
    seen: set[object] = set()

    def identity(info: PlanInfo) -> object:
        return info.name, info.text, tuple(identity(child) for child in info.children)

    def visit(info: PlanInfo) -> Iterator[PlanInfo]:
        name = info.name
        if name in ("InputAdapter", "TableCacheQueryStage", "ResultQueryStage", "ReusedSubquery"):
            yield from visit(info.children[0])
        elif name in ("BroadcastQueryStage", "ShuffleQueryStage", "ReusedExchange") and (
            identity(info.children[0]) in seen
        ):
            return
        elif name in ("BroadcastQueryStage", "ShuffleQueryStage"):
            yield from visit(info.children[0])
        elif name == "Subquery" and identity(info) in seen:
            return
        else:
            if "Exchange" in name or name == "Subquery":
                seen.add(identity(info))
            yield info
            for child in info.children:
                yield from visit(child)

    yield from visit(plan)


def _job_of_spark(job: dict[str, Any]) -> Iterator[tuple[Fact, object]]:
    yield ("status",), job["status"]
    yield ("stage_ids",), sorted(job["stageIds"])
    yield ("submitted_ms",), _ms(job.get("submissionTime"))
    yield ("completed_ms",), _ms(job.get("completionTime"))
    yield from (((ours,), job[theirs]) for ours, theirs in _JOB_NUMBERS.items())
    yield ("completed_stages",), job["numCompletedStages"]
    yield ("failed_stages",), job["numFailedStages"]
    yield ("skipped_stages",), job["numSkippedStages"]


def _job(job: Job, attempts: list[Stage]) -> Iterator[tuple[Fact, object]]:
    yield ("status",), _JOB_STATUS[job.status]
    yield ("stage_ids",), sorted(job.stage_ids)
    yield ("submitted_ms",), job.submitted_ms
    yield ("completed_ms",), job.completed_ms
    yield from (((name,), getattr(job, name)) for name in _JOB_NUMBERS)
    yield ("completed_stages",), len({s.stage_id for s in attempts if _stage_status(s) == "COMPLETE"})
    yield ("failed_stages",), sum(_stage_status(s) == "FAILED" for s in attempts)
    ended = job.status is not JobStatus.UNFINISHED
    yield ("skipped_stages",), len(set(job.stage_ids) - {s.stage_id for s in attempts if not s.attempt}) if ended else 0


def _stage_of_spark(stage: dict[str, Any]) -> Iterator[tuple[Fact, object]]:
    yield ("status",), stage["status"]
    if stage["status"] not in ("SKIPPED", "PENDING"):
        yield ("submitted_ms",), _ms(stage.get("submissionTime"))
        yield ("completed_ms",), _ms(stage.get("completionTime"))
        yield ("failure",), redact(stage["failureReason"]) if "failureReason" in stage else None
        yield from (((ours,), stage[theirs]) for ours, theirs in _STAGE_NUMBERS.items())


def _stage(stage: Stage) -> Iterator[tuple[Fact, object]]:
    yield ("status",), _stage_status(stage)
    yield ("submitted_ms",), stage.submitted_ms
    yield ("completed_ms",), stage.completed_ms
    yield ("failure",), stage.failure
    yield from (((name,), getattr(stage, name)) for name in _STAGE_NUMBERS)


def _stage_status(stage: Stage) -> str:
    if stage.failure is not None:
        return "FAILED"
    return "ACTIVE" if stage.completed_ms is None else "COMPLETE"


def _query_of_spark(query: dict[str, Any]) -> Iterator[tuple[Fact, object]]:
    key = ("query", query["id"])
    running = query["status"] == "RUNNING"
    yield (*key, "status"), query["status"]
    yield (*key, "root_id"), query["rootExecutionId"]
    yield (*key, "description"), redact(query["description"])
    if "errorMessage" in query or query["status"] != "FAILED":  # not told before 3.4
        yield (*key, "error"), redact(query.get("errorMessage", ""))
    yield (*key, "start_ms"), _ms(query["submissionTime"])
    yield (*key, "duration_ms"), None if running else query["duration"]
    for status, word in (("SUCCEEDED", "success"), ("FAILED", "failed"), ("RUNNING", "running")):
        yield (*key, "jobs", status), sorted(query[f"{word}JobIds"])
    for node in query["nodes"]:
        yield ("node", query["id"], node["nodeId"]), node["nodeName"]
        for name, metric in _numbered([(shown["name"], shown) for shown in node["metrics"]]):
            yield ("metric", query["id"], node["nodeId"], *name), total_in(metric["value"])


def _query(execution: Execution, jobs: list[Job]) -> Iterator[tuple[Fact, object]]:
    key = ("query", execution.execution_id)
    ended = execution.end_ms is not None
    yield (*key, "status"), ("FAILED" if execution.error else "COMPLETED") if ended else "RUNNING"
    yield (*key, "root_id"), execution.root_execution_id
    yield (*key, "description"), execution.description
    yield (*key, "error"), execution.error or ""
    yield (*key, "start_ms"), execution.start_ms
    yield (*key, "duration_ms"), None if execution.end_ms is None else execution.end_ms - execution.start_ms
    for status, name in _JOB_STATUS.items():
        yield (*key, "jobs", name), [job.job_id for job in jobs if job.status is status]


def _metrics(node: PlanInfo, execution: Execution) -> Iterator[tuple[Fact, str, int]]:
    """Name, type and value of the metrics that have one."""
    known = [m for m in node.metrics if m.accumulator_id in execution.accumulators]
    for name, metric in _numbered([(metric.name.strip(), metric) for metric in known]):
        yield name, metric.metric_type, execution.accumulators[metric.accumulator_id]


def _numbered(named: list[tuple[str, Any]]) -> Iterator[tuple[Fact, Any]]:
    """Names of metrics made unique: an operator may have two of one name."""
    times: dict[str, int] = {}
    for name, value in named:
        times[name] = times.get(name, -1) + 1
        yield (name, times[name]), value


def _executors_of_spark(executors: list[dict[str, Any]]) -> Facts:
    """The most cores one has, and how many there were at once; a cluster's driver has no cores to run tasks on."""
    workers = [executor for executor in executors if executor["totalCores"]]
    added = [(_ms(executor["addTime"]), 1) for executor in workers]
    removed = [(_ms(executor["removeTime"]), -1) for executor in workers if "removeTime" in executor]
    alive = most = 0
    for _, step in sorted(added + removed):
        alive += step
        most = max(most, alive)
    cores = max((executor["totalCores"] for executor in workers), default=0)
    return {("executors", "cores"): cores, ("executors", "count"): most}


def _ms(time: str | None) -> int | None:
    if time is None:
        return None
    moment = datetime.strptime(time, "%Y-%m-%dT%H:%M:%S.%fGMT").replace(tzinfo=UTC)
    return round(moment.timestamp() * 1000)
