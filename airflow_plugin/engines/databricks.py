"""Databricks: DatabricksSubmitRunOperator, DatabricksTaskOperator and DatabricksNotebookOperator."""

from __future__ import annotations

import copy
import json as json_text
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any
from urllib.parse import urlsplit

from airflow_plugin.engines.aws import S3
from airflow_plugin.engines.engine import Additions, Ask, Call, Engine, Request, SparkJob, is_own, runtime_of
from airflow_plugin.engines.http_refusal import is_http_refusal
from tuner.eventlog.location import LogPath, log_path, scheme_of
from tuner.spark.property_text import spark_text, spark_texts
from tuner.steering.agent.submission import Submission
from tuner.steering.submit_conf import EVENT_LOG_DIR, EVENT_LOG_ENABLED, LOG_PEAKS

_Json = dict[str, Any]
_CLUSTER, _CONF, _LOG_CONF = "new_cluster", "spark_conf", "cluster_log_conf"
_SPARK_SUBMIT = "spark_submit_task"
_RUNTIME = ("spark_version", "runtime_engine", "node_type_id", "driver_node_type_id")
_POLICY = ("GET", "2.0/policies/clusters/get")
# What is looked up: the policies of its clusters, by their ids, and where the bucket of event logs is.
_POLICIES, _REGION = "cluster policies", "region"


def hook_call(operator: Any, name: str) -> Call:
    """A method of the hook by which an operator of Databricks submits."""
    from airflow.providers.databricks.hooks.databricks import DatabricksHook

    return Call(DatabricksHook, name, is_own(operator, "_hook"))


class Databricks(Engine):
    """A run's clusters, each of which is one Spark application.

    Databricks writes event logs with a listener of its own and copies them to where `cluster_log_conf` says, even after the
    cluster is gone. That is set where its author has none, and Spark's own event log is left off: a cluster does not start
    where its driver cannot write that, but does where its logs cannot be delivered.
    """

    title = "Databricks"
    schemes = S3 | {"dbfs"}
    log_lands_late = True
    answers_with_its_job = True

    def calls(self, operator: Any) -> Sequence[Call]:
        if _is_in_workflow(operator):
            return ()
        return (hook_call(operator, "submit_run"),)

    def look_up(self, operator: Any, request: Request, event_log_base: str) -> Ask | None:
        clusters = [holder[_CLUSTER] for _, holder in _with_cluster(request["json"])]
        ids = {cluster["policy_id"] for cluster in clusters if cluster.get("policy_id")}
        # Databricks does not look for the region of a bucket that it is to deliver logs to.
        is_s3 = scheme_of(event_log_base) in S3 and not all(cluster.get(_LOG_CONF) for cluster in clusters)
        if not ids and not is_s3:
            return None
        hook = operator._hook
        if ids:
            hook.databricks_conn, hook.user_agent_header  # noqa: B018 (Airflow tells both, and the hook keeps them)

        def ask() -> Mapping[str, Any]:
            policies = {policy_id: hook._do_api_call(_POLICY, {"policy_id": policy_id}) for policy_id in ids}
            confs = [_as_spark(cluster, _of_policy(cluster, policies)) for cluster in clusters]
            has_none = any(EVENT_LOG_ENABLED not in conf for conf in confs)
            return {_POLICIES: policies, _REGION: _region(log_path(event_log_base)) if is_s3 and has_none else ""}

        return ask

    def read(self, operator: Any, request: Request) -> Sequence[SparkJob]:
        policies = request.get(_POLICIES, {})
        return [_job(name, holder[_CLUSTER], policies) for name, holder in _with_cluster(request["json"])]

    def changed(self, operator: Any, request: Request, additions: Sequence[Additions]) -> Request:
        json = copy.deepcopy(request["json"])
        for (_, holder), added in zip(_with_cluster(json), additions, strict=True):
            if added:
                # What an author gives several tasks may be one and the same object.
                holder[_CLUSTER] = {
                    **holder[_CLUSTER],
                    **_of_cluster(holder[_CLUSTER], added, request.get(_REGION, "")),
                }
        return {"json": json}

    def left_alone(self, operator: Any, request: Request) -> str:
        tasks: dict[str, list[str]] = {}
        for name, task in _tasks(request["json"]):
            if why := _why_not(task):
                tasks.setdefault(why, []).append(name)
        return "; ".join(f"{', '.join(names)}: {why}".removeprefix(": ") for why, names in tasks.items())

    def names_its_job(self, operator: Any, request: Request) -> bool:
        return bool(request["json"].get("idempotency_token"))

    def is_refusal(self, error: Exception) -> bool:
        return is_http_refusal(error)

    def waits(self, operator: Any) -> bool:
        return bool(operator.wait_for_termination)

    def ends_as_its_job(self, operator: Any) -> bool:
        # Other operators than that of runs/submit have one task.
        tasks = getattr(operator, "tasks", None) or (getattr(operator, "json", None) or {}).get("tasks")
        return not tasks or not any(_why_not(task) for _, task in _tasks({"tasks": tasks}))

    def submission(self, operator: Any, job: SparkJob, agent_jar: str) -> Submission:
        # Libraries are loaded after Spark has started (apache/sedona#513).
        return replace(super().submission(operator, job, agent_jar), brings_files=False)

    def access(self, operator: Any, url: str) -> Ask | None:
        if scheme_of(url) != "dbfs" or _is_in_workflow(operator):
            return None
        hook = operator._hook
        port = hook.databricks_conn.port
        instance = f"{hook.host}:{port}" if port else hook.host
        return lambda: {"instance": instance, "token": hook._get_token(raise_error=True)}


def _is_in_workflow(operator: Any) -> bool:
    """Whether it is of a DatabricksWorkflowTaskGroup. As it runs, its hook takes the connection of the task that launched that:
    nobody may have asked for the hook before."""
    return bool(getattr(operator, "_databricks_workflow_task_group", None))


def _job(name: str, cluster: Mapping[str, Any], policies: Mapping[str, Any]) -> SparkJob:
    policy = _of_policy(cluster, policies)
    runtime = runtime_of(*(cluster.get(field) or policy.get(field) for field in _RUNTIME))
    return SparkJob(_as_spark(cluster, policy), name=name, runtime=runtime)


def _of_policy(cluster: Mapping[str, Any], policies: Mapping[str, Any]) -> dict[str, str]:
    """The fields that a cluster's policy sets, by their paths: fixed ones, and defaults where the cluster has them applied."""
    if not cluster.get("policy_id"):
        return {}
    policy = policies[cluster["policy_id"]]
    has_defaults = str(cluster.get("apply_policy_default_values", "")).lower() == "true"
    found = {}
    for path, rule in json_text.loads(policy.get("definition") or "{}").items():
        value = rule.get("value") if rule.get("type") == "fixed" else rule.get("defaultValue") if has_defaults else None
        if value is not None:
            found[path] = spark_text(value)
    return found


def _as_spark(cluster: Mapping[str, Any], policy: Mapping[str, str]) -> dict[str, str]:
    """What the author set for a cluster, or its policy does. Where its logs are delivered is where its event log is."""
    of_policy = {path[len(_CONF) + 1 :]: value for path, value in policy.items() if path.startswith(f"{_CONF}.")}
    conf = {**of_policy, **spark_texts(cluster.get(_CONF) or {})}
    destinations = (place["destination"] for place in (cluster.get(_LOG_CONF) or {}).values())
    if destination := next(destinations, policy.get(f"{_LOG_CONF}.path", "")):
        return {**conf, EVENT_LOG_ENABLED: "true", EVENT_LOG_DIR: destination}
    if EVENT_LOG_ENABLED not in conf:
        conf.pop(EVENT_LOG_DIR, None)  # Nothing is written there.
    return conf


def _of_cluster(cluster: Mapping[str, Any], added: Additions, region: str) -> _Json:
    """The fields of a cluster that additions change, where the bucket of its logs is in a region."""
    properties = added.properties
    for name in (EVENT_LOG_ENABLED, LOG_PEAKS):
        properties.pop(name, None)
    directory = properties.pop(EVENT_LOG_DIR, "")
    fields: _Json = {_CONF: {**(cluster.get(_CONF) or {}), **properties}}
    return {**fields, _LOG_CONF: _delivered_to(directory, region)} if directory else fields


def _delivered_to(directory: str, region: str) -> _Json:
    scheme = scheme_of(directory)
    if scheme not in S3:
        return {"dbfs": {"destination": directory}}
    return {"s3": {"destination": "s3" + directory[len(scheme) :], "region": region}}


def _region(path: LogPath) -> str:
    """Of a path's bucket."""
    head = path.fs.call_s3("head_bucket", Bucket=urlsplit(str(path)).netloc)  # type: ignore[union-attr]
    return str(head["ResponseMetadata"]["HTTPHeaders"]["x-amz-bucket-region"])


def _tasks(json: _Json) -> Iterator[tuple[str, _Json]]:
    """The tasks of a run with their names, of one that is for each of several inputs that one; a run without is a task itself."""
    for task in json.get("tasks") or ():
        yield task.get("task_key", ""), (task.get("for_each_task") or {}).get("task") or task
    if not json.get("tasks"):
        yield "", json


def _with_cluster(json: _Json) -> list[tuple[str, _Json]]:
    """What in a run has a cluster made that can be given properties, by the name of the task, or of the cluster that several
    share."""
    tasks = list(_tasks(json))
    shared = {task.get("job_cluster_key") for _, task in tasks}
    clusters = [(cluster["job_cluster_key"], cluster) for cluster in json.get("job_clusters") or ()]
    return [
        *((name, task) for name, task in tasks if task.get(_CLUSTER) and not _why_not(task)),
        *((key, cluster) for key, cluster in clusters if key in shared),
    ]


def _why_not(task: _Json) -> str:
    """Why a task's Spark is given nothing; "" where it is."""
    if _SPARK_SUBMIT in task:
        return f"a {_SPARK_SUBMIT} takes no {_CONF}"
    if task.get("existing_cluster_id"):
        return "an existing cluster has the properties that it was started with"
    return "" if task.get(_CLUSTER) or task.get("job_cluster_key") else "no cluster is made for it"


ENGINE = Databricks()
