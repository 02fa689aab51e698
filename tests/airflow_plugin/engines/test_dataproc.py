"""Dataproc's operators against its API over gRPC, whose jobs a spark-submit of ours runs. `.ci/heavy-engines` runs them."""

from __future__ import annotations

import copy
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("airflow.providers.google", reason="its packages are hundreds: .ci/heavy-engines has them")
pytest.importorskip("google.cloud.dataproc_v1", reason=".ci/heavy-engines has it")
pytest.importorskip("gcp_storage_emulator", reason=".ci/heavy-engines has it")

from airflow.providers.google.cloud.hooks.dataproc import DataprocHook
from airflow.providers.google.cloud.operators.dataproc import (
    DataprocCreateBatchOperator,
    DataprocInstantiateInlineWorkflowTemplateOperator,
    DataprocSubmitJobOperator,
)
from airflow.sdk.exceptions import TaskDeferred
from google.api_core.exceptions import AlreadyExists, FailedPrecondition, ResourceExhausted
from google.cloud.dataproc_v1 import Batch, Job, WorkflowTemplate

from airflow_plugin.engines import dataproc_batch, dataproc_job, dataproc_workflow
from airflow_plugin.engines.engine import Additions
from airflow_plugin.tuned import tuned
from tests.airflow_plugin.conftest import TaskInstance, set_connection
from tests.airflow_plugin.engines.dataproc_cloud import BUCKET, Dataproc, cloud_storage, dataproc
from tests.airflow_plugin.engines.spark_service import SparkService
from tests.airflow_plugin.engines.standings import TRIED_THEN_PROVEN, standings
from tuner.history.store import Store
from tuner.model.decision import Standing
from tuner.model.run import Run, RunState

pytestmark = pytest.mark.sockets

THRESHOLD = "spark.sql.autoBroadcastJoinThreshold"
MAIN = {"main_python_file_uri": "gs://b/etl.py"}
WHERE = {"task_id": "nightly", "project_id": "p", "region": "r"}
SENDERS = ("submit_job", "create_batch", "instantiate_inline_workflow_template")
Stored = Callable[[], list[Run]]


@pytest.fixture(scope="module")
def storage() -> Iterator[str]:
    with cloud_storage() as url:
        yield url


@pytest.fixture(autouse=True)
def cloud(service: SparkService, storage: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Dataproc]:
    set_connection(monkeypatch, "google_cloud_default", conn_type="google_cloud_platform", extra={"is_anonymous": True})
    monkeypatch.setenv("STORAGE_EMULATOR_HOST", storage)
    # Its client would ask a server that the emulator is not for the kind of a bucket, and wait for a minute.
    monkeypatch.setenv("GCSFS_EXPERIMENTAL_ZB_HNS_SUPPORT", "false")
    monkeypatch.setenv("AIRFLOW__SPARK_TUNER__EVENT_LOG_BASE", f"gs://{BUCKET}/{tmp_path.name}")
    # Between one look at a job and the next.
    quick = SimpleNamespace(**{**vars(time), "sleep": lambda _: time.sleep(0.01)})
    monkeypatch.setattr("airflow.providers.google.cloud.hooks.dataproc.time", quick)
    senders = {name: vars(DataprocHook)[name] for name in SENDERS}
    with dataproc(service, monkeypatch) as made:
        yield made
    assert {name: vars(DataprocHook)[name] for name in SENDERS} == senders, "a hook's method is still intercepted"


class SubmitJob:
    """A job of PySpark."""

    def __call__(self, properties: dict[str, str], job: Any = None, **arguments: Any) -> Any:
        job = job or {"placement": {"cluster_name": "c"}, "pyspark_job": {**MAIN, "properties": properties}}
        return tuned(DataprocSubmitJobOperator(job=job, **WHERE | arguments))


class CreateBatch:
    def __call__(self, properties: dict[str, str], batch: Any = None, **arguments: Any) -> Any:
        batch = batch or {"pyspark_batch": dict(MAIN), "runtime_config": {"version": "2.2", "properties": properties}}
        return tuned(DataprocCreateBatchOperator(batch=batch, **WHERE | arguments))


class InlineWorkflow:
    """A workflow of one step that is a job of Spark, after one that is none."""

    def __call__(self, properties: dict[str, str], template: Any = None, **arguments: Any) -> Any:
        steps = [
            {"step_id": "copy", "hadoop_job": {"main_class": "distcp"}},
            {"step_id": "load", "pyspark_job": {**MAIN, "properties": properties}, "prerequisite_step_ids": ["copy"]},
        ]
        template = template or {"placement": {"cluster_selector": {"cluster_labels": {"a": "b"}}}, "jobs": steps}
        return tuned(DataprocInstantiateInlineWorkflowTemplateOperator(template=template, **WHERE | arguments))


@pytest.fixture(params=[SubmitJob, CreateBatch, InlineWorkflow], ids=lambda made: made.__name__)
def operator(request: pytest.FixtureRequest) -> Any:
    return request.param()


def run(op: Any, run_id: str, try_number: int = 1) -> TaskInstance:
    ti: Any = TaskInstance(run_id=run_id, try_number=try_number)
    op.execute({"ti": ti, "task_instance": ti})
    return ti


def test_the_second_run_is_steered_and_the_third_has_it_proven(
    operator: Any, service: SparkService, stored: Stored
) -> None:
    for run_id in ("r1", "r2", "r3"):
        ti = run(operator({"spark.executor.cores": "2"}), run_id)
    assert [THRESHOLD in conf for conf in service.submitted] == [False, True, True]
    assert service.last["spark.executor.cores"] == "2"
    assert standings(stored()) == TRIED_THEN_PROVEN
    assert {r.state for r in stored()} == {RunState.SUCCEEDED}
    assert stored()[0].event_log_dir.startswith(f"gs://{BUCKET}/")
    assert ti.xcoms["spark_tuner"]["state"] == "succeeded"


def test_the_authors_own_value_wins(operator: Any, service: SparkService) -> None:
    for run_id in ("r1", "r2"):
        run(operator({THRESHOLD: "7"}), run_id)
    assert service.last[THRESHOLD] == "7" and "spark.tuner.key" in service.last


def test_a_job_that_is_refused_for_what_is_added_is_submitted_as_it_was(
    operator: Any, service: SparkService, cloud: Dataproc, stored: Stored
) -> None:
    service.refuses = lambda conf: "spark.tuner.key" in conf
    run(operator({"spark.executor.cores": "2"}), "r1")
    assert service.submitted == [{"spark.executor.cores": "2"}]
    assert len(cloud.refused) == 1
    assert [r.state for r in stored()] == [RunState.LOST]


def test_a_request_id_lets_a_refused_job_be_sent_once_more(service: SparkService, cloud: Dataproc) -> None:
    service.refuses = lambda conf: "spark.tuner.key" in conf
    run(SubmitJob()({"spark.executor.cores": "2"}, request_id="a"), "r1")
    assert service.submitted == [{"spark.executor.cores": "2"}] and len(cloud.received) == 1


def test_a_service_that_has_no_quota_is_not_asked_twice(operator: Any, cloud: Dataproc, stored: Stored) -> None:
    cloud.unavailable = True
    with pytest.raises(ResourceExhausted):
        run(operator({}), "r1")
    assert len(cloud.refused) == 1
    assert [r.state for r in stored()] == [RunState.LOST]


def test_a_job_that_fails_fails_and_its_retry_has_no_trial(
    operator: Any, service: SparkService, stored: Stored
) -> None:
    run(operator({}), "r1")
    service.how = "fail"
    with pytest.raises(Exception, match="failed"):
        run(operator({}), "r2")
    service.how = "ok"
    run(operator({}), "r2", try_number=2)
    assert [THRESHOLD in conf for conf in service.submitted] == [False, True, False]
    assert [r.state for r in stored()] == [RunState.SUCCEEDED, RunState.FAILED, RunState.SUCCEEDED]


def test_a_log_that_is_lost_costs_the_job_nothing(operator: Any, service: SparkService, stored: Stored) -> None:
    service.how = None
    run(operator({}), "r1")
    assert [r.state for r in stored()] == [RunState.LOST]


def test_a_storage_that_cannot_be_reached_costs_the_job_nothing(
    operator: Any, service: SparkService, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AIRFLOW__SPARK_TUNER__EVENT_LOG_BASE", "gs://no-such-bucket/tuner")
    run(operator({"spark.executor.cores": "2"}), "r1")
    assert "spark.eventLog.dir" not in service.last and service.last["spark.executor.cores"] == "2"


@pytest.mark.parametrize("operator", [SubmitJob(), CreateBatch()], ids=["job", "batch"])
def test_one_that_does_not_wait_is_harvested_at_the_next_decision(
    operator: Any, service: SparkService, stored: Stored
) -> None:
    ti = run(operator({}, asynchronous=True), "r1")
    assert [r.state for r in stored()] == [RunState.RUNNING] and "spark_tuner" not in ti.xcoms
    run(operator({}, asynchronous=True), "r2")
    assert [r.state for r in stored()] == [RunState.SUCCEEDED, RunState.RUNNING]
    assert THRESHOLD in service.last


EVENTS = {
    SubmitJob: {"job_id": "j", "job_state": "DONE", "job": "…"},
    CreateBatch: {"batch_id": "b", "batch_state": "SUCCEEDED", "batch_state_message": ""},
    InlineWorkflow: {"status": "success", "operation_name": "o", "operation_done": True},
}


def test_a_deferred_task_is_harvested_when_it_is_resumed(operator: Any, cloud: Dataproc, stored: Stored) -> None:
    run(operator({}), "r0")
    cloud.ends = False
    with pytest.raises(TaskDeferred) as deferred:
        run(operator({}, deferrable=True), "r1")
    assert stored()[-1].state is RunState.RUNNING
    cloud.finish()
    ti: Any = TaskInstance(run_id="r1")
    event = EVENTS[type(operator)]
    operator({}, deferrable=True).resume_execution(deferred.value.method_name, {"event": event}, {"ti": ti})
    assert stored()[-1].state is RunState.SUCCEEDED
    assert {d.standing for d in stored()[-1].decision.changes} == {Standing.TRIAL}
    assert ti.xcoms["spark_tuner"]["gained_seconds"] == pytest.approx(3.0, rel=0.01)


FAILURES = {
    SubmitJob: {"job_id": "j", "job_state": "ERROR", "job": "…"},
    CreateBatch: {"batch_id": "b", "batch_state": "FAILED", "batch_state_message": "it failed"},
    InlineWorkflow: {"status": "error", "message": "it failed"},
}


def test_a_resumed_task_whose_job_failed_counts_as_failed(
    operator: Any, service: SparkService, cloud: Dataproc, stored: Stored
) -> None:
    service.how, cloud.ends = "fail", False
    with pytest.raises(TaskDeferred) as deferred:
        run(operator({}, deferrable=True), "r1")
    cloud.finish()
    ti: Any = TaskInstance(run_id="r1")
    event = FAILURES[type(operator)]
    with pytest.raises(Exception, match="failed"):
        operator({}, deferrable=True).resume_execution(deferred.value.method_name, {"event": event}, {"ti": ti})
    assert [r.state for r in stored()] == [RunState.FAILED]


def test_a_job_that_the_triggerer_started_is_resumed_without_harm(stored: Stored) -> None:
    op = SubmitJob()({}, deferrable=True, start_from_trigger=True)
    ti: Any = TaskInstance(run_id="r1")
    assert op.resume_execution("execute_complete", {"event": EVENTS[SubmitJob]}, {"ti": ti}) == "j"
    assert stored() == [] and ti.xcoms == {}


def lose_the_worker(op: Any, cloud: Dataproc, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run a try that submits, and is gone before its job has ended; that ends when it is asked for again."""
    cloud.ends = False
    with monkeypatch.context() as patched:
        for wait in ("wait_for_job", "wait_for_batch"):
            patched.setattr(DataprocHook, wait, lambda *_, **__: (_ for _ in ()).throw(SystemExit("lost")))
        with pytest.raises(SystemExit):
            run(op, "r1")
    cloud.ends = True


def test_a_batch_that_is_there_already_keeps_its_key(
    service: SparkService, cloud: Dataproc, stored: Stored, monkeypatch: pytest.MonkeyPatch
) -> None:
    lose_the_worker(CreateBatch()({}, batch_id="nightly"), cloud, monkeypatch)
    ti = run(CreateBatch()({}, batch_id="nightly"), "r1", try_number=2)
    (only,) = stored()
    assert len(service.submitted) == 1 and only.state is RunState.SUCCEEDED
    assert ti.xcoms["spark_tuner"]["key"] == only.key == service.last["spark.tuner.key"]


def test_a_job_whose_request_id_was_seen_keeps_its_key(
    service: SparkService, cloud: Dataproc, stored: Stored, monkeypatch: pytest.MonkeyPatch
) -> None:
    lose_the_worker(SubmitJob()({}, request_id="a"), cloud, monkeypatch)
    ti = run(SubmitJob()({}, request_id="a"), "r1", try_number=2)
    (only,) = stored()
    assert len(service.submitted) == 1 and only.state is RunState.SUCCEEDED
    assert ti.xcoms["spark_tuner"]["key"] == only.key == service.last["spark.tuner.key"]


def test_a_job_of_a_name_that_is_taken_fails_as_it_would_have(
    service: SparkService, cloud: Dataproc, stored: Stored, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = {"reference": {"job_id": "nightly"}, "placement": {"cluster_name": "c"}, "pyspark_job": MAIN}
    lose_the_worker(SubmitJob()({}, copy.deepcopy(job)), cloud, monkeypatch)
    with pytest.raises(AlreadyExists):
        run(SubmitJob()({}, copy.deepcopy(job)), "r1", try_number=2)
    # The job of the first try may be running still: nothing is said of it.
    assert [r.state for r in stored()] == [RunState.RUNNING]


def test_a_batch_of_another_run_is_gone_on_with_untold(service: SparkService, cloud: Dataproc, stored: Stored) -> None:
    run(CreateBatch()({}, batch_id="nightly"), "r1")
    ti = run(CreateBatch()({}, batch_id="nightly"), "r2")
    assert len(service.submitted) == 1
    assert [r.state for r in stored()] == [RunState.SUCCEEDED, RunState.LOST] and "spark_tuner" not in ti.xcoms


def test_a_retry_whose_batch_has_an_id_of_its_own_is_steered(
    service: SparkService, cloud: Dataproc, stored: Stored, monkeypatch: pytest.MonkeyPatch
) -> None:
    lose_the_worker(CreateBatch()({}, batch_id_prefix="nightly"), cloud, monkeypatch)
    run(CreateBatch()({}, batch_id_prefix="nightly"), "r1", try_number=2)
    assert [r.state for r in stored()] == [RunState.FAILED, RunState.SUCCEEDED]


@pytest.mark.parametrize("refused", [False, True])
def test_a_batch_that_is_created_again_is_as_it_was_sent_before(
    refused: bool, service: SparkService, cloud: Dataproc, stored: Stored
) -> None:
    run(CreateBatch()({}), "r1")
    cloud.not_ready = 2
    if refused:
        service.refuses = lambda conf: "spark.tuner.key" in conf
    run(CreateBatch()({}, batch_id="nightly", num_retries_if_resource_is_not_ready=3), "r2")
    assert (THRESHOLD in service.last) is not refused and len(cloud.received) == 4 and len(cloud.refused) == refused
    assert stored()[-1].state is (RunState.LOST if refused else RunState.SUCCEEDED)


def test_a_workflow_whose_request_id_was_seen_decides_nothing(
    service: SparkService, cloud: Dataproc, stored: Stored, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(DataprocHook, "wait_for_operation", lambda *_, **__: (_ for _ in ()).throw(SystemExit("lost")))
        with pytest.raises(SystemExit):
            run(InlineWorkflow()({}, request_id="a"), "r1")
    run(InlineWorkflow()({}, request_id="a"), "r1", try_number=2)
    assert [r.state for r in stored()] == [RunState.RUNNING]
    run(InlineWorkflow()({}, request_id="b"), "r2")
    assert [r.state for r in stored()] == [RunState.SUCCEEDED, RunState.SUCCEEDED]


def test_one_that_is_killed_is_left_for_the_next_decision(
    operator: Any, service: SparkService, stored: Stored, monkeypatch: pytest.MonkeyPatch
) -> None:
    op = operator({})
    monkeypatch.setattr(type(op).__mro__[1], "on_kill", lambda _: None)
    ran = service.run
    service.run = lambda conf: (op.on_kill(), ran(conf))[1]  # type: ignore[method-assign]
    run(op, "r1")
    assert [r.state for r in stored()] == [RunState.RUNNING]


def test_each_of_several_steps_has_a_cohort_of_its_own(service: SparkService, cloud: Dataproc, tmp_path: Path) -> None:
    software = {"properties": {"spark:spark.executor.cores": "4", "core:fs.gs.block.size": "1"}}
    template = {
        "placement": {"managed_cluster": {"cluster_name": "c", "config": {"software_config": software}}},
        "jobs": [
            {"step_id": "load", "pyspark_job": dict(MAIN)},
            {"step_id": "report", "hive_job": {"query_file_uri": "gs://b/report.sql"}},
            {"step_id": "sum", "spark_sql_job": {"query_file_uri": "gs://b/q.sql", "properties": {THRESHOLD: "7"}}},
        ],
    }
    as_written = copy.deepcopy(template)
    for run_id in ("r1", "r2"):
        ti = run(InlineWorkflow()({}, template), run_id)
    assert template == as_written
    load, total = service.submitted[-2:]
    assert [conf["spark.tuner.cohort"] for conf in (load, total)] == ["sales.nightly.load", "sales.nightly.sum"]
    assert load[THRESHOLD] != "7" and total[THRESHOLD] == "7"
    assert cloud.received[-1].jobs[1] == WorkflowTemplate(as_written).jobs[1]
    with Store.open(f"sqlite:///{tmp_path}/history.db") as store:
        for cohort in ("sales.nightly.load", "sales.nightly.sum"):
            assert [r.state for r in store.runs(cohort)] == [RunState.SUCCEEDED, RunState.SUCCEEDED]
    assert {"spark_tuner.load", "spark_tuner.sum"} < set(ti.xcoms)


def test_logs_of_several_steps_that_are_lost_cost_nothing(service: SparkService, tmp_path: Path) -> None:
    service.how = None
    steps = [{"step_id": name, "pyspark_job": dict(MAIN)} for name in ("load", "sum")]
    run(InlineWorkflow()({}, {"placement": {}, "jobs": steps}), "r1")
    with Store.open(f"sqlite:///{tmp_path}/history.db") as store:
        assert [store.runs(f"sales.nightly.{name}")[0].state for name in ("load", "sum")] == [RunState.LOST] * 2


def test_of_several_steps_the_log_tells_which_failed(service: SparkService, cloud: Dataproc, tmp_path: Path) -> None:
    steps = [{"step_id": name, "pyspark_job": {**MAIN, "properties": {"app": name}}} for name in ("load", "sum")]
    ran = service.run

    def run_one(conf: Any) -> bool:
        service.how = "fail" if conf["app"] == "sum" else "ok"
        return ran(conf)

    service.run = run_one  # type: ignore[method-assign]
    with pytest.raises(Exception, match="a step failed"):
        run(InlineWorkflow()({}, {"placement": {}, "jobs": steps}), "r1")
    with Store.open(f"sqlite:///{tmp_path}/history.db") as store:
        states = [store.runs(f"sales.nightly.{name}")[0].state for name in ("load", "sum")]
    assert states[0] is RunState.SUCCEEDED and states[1] is not RunState.SUCCEEDED


def test_a_step_is_not_blamed_for_one_that_starts_no_spark(cloud: Dataproc, stored: Stored) -> None:
    cloud.others_fail = True
    with pytest.raises(Exception, match="a step failed"):
        run(InlineWorkflow()({}), "r1")
    assert [r.state for r in stored()] == [RunState.SUCCEEDED]
    alone = {"placement": {}, "jobs": [{"step_id": "load", "pyspark_job": dict(MAIN)}]}
    with pytest.raises(Exception, match="a step failed"):
        run(InlineWorkflow()({}, alone), "r2")
    assert [r.state for r in stored()] == [RunState.SUCCEEDED, RunState.FAILED]


def test_jobs_that_start_no_spark_are_left_alone(service: SparkService, cloud: Dataproc, stored: Stored) -> None:
    job = {"placement": {"cluster_name": "c"}, "pig_job": {"query_file_uri": "gs://b/q.pig", "properties": {"a": "b"}}}
    run(SubmitJob()({}, job), "r1")
    assert cloud.received == [Job(job)] and stored() == []


MESSAGES = {
    SubmitJob: lambda conf: Job(placement={"cluster_name": "c"}, spark_job={"main_class": "X", "properties": conf}),
    CreateBatch: lambda conf: Batch(spark_batch={"main_class": "X"}, runtime_config={"properties": conf}),
    InlineWorkflow: lambda conf: WorkflowTemplate(
        placement={"cluster_selector": {"cluster_labels": {"a": "b"}}},
        jobs=[{"step_id": "load", "spark_job": {"main_class": "X", "properties": conf}}],
        dag_timeout={"seconds": 3600},
    ),
}


def test_messages_of_the_client_are_steered_as_dicts_are(operator: Any, service: SparkService) -> None:
    message = MESSAGES[type(operator)]({"spark.executor.cores": "2"})
    as_written = copy.deepcopy(message)
    for run_id in ("r1", "r2"):
        run(operator({}, message), run_id)
    assert THRESHOLD in service.last and service.last["spark.executor.cores"] == "2"
    # The operator of batches adds labels of its own.
    if isinstance(message, Batch):
        message.labels = {}
    assert message == as_written


def test_what_the_author_wrote_stays_as_it_was(operator: Any) -> None:
    properties = {"spark.executor.cores": "2"}
    op = operator(properties)
    name = {SubmitJob: "job", CreateBatch: "batch", InlineWorkflow: "template"}[type(operator)]
    as_written = copy.deepcopy(getattr(op, name))
    run(op, "r1")
    found = getattr(op, name)
    found.pop("labels", None)
    assert found == as_written and properties == {"spark.executor.cores": "2"}


ADDED = Additions({"spark.tuner.x": '{"a": "b, c=d"}'}, {"spark.jars": "gs://b/own.jar,gs://b/agent.jar"})


@pytest.mark.parametrize("kind", ["pyspark_job", "spark_job", "spark_sql_job", "spark_r_job"])
@pytest.mark.parametrize("as_message", [False, True])
def test_changed_jobs_are_jobs_of_the_api(kind: str, as_message: bool) -> None:
    job: Any = {"labels": {"a": "b"}, kind: {"properties": {"spark.executor.cores": "2"}}}
    request = {"job": Job(job) if as_message else job}
    changed = Job(dataproc_job.ENGINE.changed(None, request, [ADDED])["job"])
    part = getattr(changed, kind)
    assert changed.labels == {"a": "b"}
    expected = {"spark.executor.cores": "2", "spark.tuner.x": '{"a": "b, c=d"}'}
    if kind == "spark_r_job":  # It has no field for jars.
        expected["spark.jars"] = "gs://b/own.jar,gs://b/agent.jar"
    else:
        assert part.jar_file_uris == ["gs://b/own.jar", "gs://b/agent.jar"]
    assert dict(part.properties) == expected


@pytest.mark.parametrize("kind", ["pyspark_batch", "spark_batch", "spark_sql_batch", "spark_r_batch"])
@pytest.mark.parametrize("as_message", [False, True])
def test_changed_batches_are_batches_of_the_api(kind: str, as_message: bool) -> None:
    batch: Any = {"labels": {"a": "b"}, kind: {}, "runtime_config": {"version": "2.2"}}
    request = {"batch": Batch(batch) if as_message else batch}
    changed = Batch(dataproc_batch.ENGINE.changed(None, request, [ADDED])["batch"])
    assert kind in changed and changed.labels == {"a": "b"} and changed.runtime_config.version == "2.2"
    found = dict(changed.runtime_config.properties)
    jars = found.pop("spark.jars", "") or ",".join(getattr(changed, kind).jar_file_uris)
    assert jars == "gs://b/own.jar,gs://b/agent.jar" and found == {"spark.tuner.x": '{"a": "b, c=d"}'}


def test_a_changed_template_is_one_of_the_api() -> None:
    steps = [
        {"step_id": "a", "hive_job": {"query_file_uri": "gs://b/q"}},
        {"step_id": "b", "spark_job": {"args": ["x"]}},
    ]
    template = {"placement": {"managed_cluster": {"cluster_name": "c"}}, "jobs": steps, "dag_timeout": {"seconds": 60}}
    changed = dataproc_workflow.ENGINE.changed(None, {"template": WorkflowTemplate(template)}, [ADDED])["template"]
    expected = copy.deepcopy(template)
    expected["jobs"][1]["spark_job"] |= {  # type: ignore[index]
        "properties": {"spark.tuner.x": '{"a": "b, c=d"}'},
        "jar_file_uris": ["gs://b/own.jar", "gs://b/agent.jar"],
    }
    assert changed == WorkflowTemplate(expected)


def test_event_logs_are_read_with_the_tasks_own_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    from google.oauth2.credentials import Credentials
    from upath import UPath

    asked = []

    def credentials(hook: Any) -> Any:
        asked.append((hook.gcp_conn_id, hook.impersonation_chain))
        return Credentials(token="of the connection")

    monkeypatch.setattr("airflow.providers.google.common.hooks.base_google.GoogleBaseHook.get_credentials", credentials)
    set_connection(monkeypatch, "other", conn_type="google_cloud_platform")
    op = SubmitJob()({}, gcp_conn_id="other", impersonation_chain="job@p.iam.gserviceaccount.com")
    ask = dataproc_job.ENGINE.access(op, "gs://logs/x")
    assert asked == [] and ask is not None, "Google is asked aside"
    access = ask()
    assert asked == [("other", "job@p.iam.gserviceaccount.com")]
    assert UPath("gs://logs/x", **access).fs.credentials.credentials.token == "of the connection"
    assert dataproc_job.ENGINE.access(op, "s3://logs/x") is None
    op.gcp_conn_id = ""
    assert dataproc_job.ENGINE.access(op, "gs://logs/x") is None


def test_what_a_policy_refuses_is_a_refusal() -> None:
    assert dataproc_job.ENGINE.is_refusal(FailedPrecondition("denied by custom org policies"))
    assert not dataproc_job.ENGINE.is_refusal(AlreadyExists("it is there"))


def test_off_changes_nothing(operator: Any, service: SparkService, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AIRFLOW__SPARK_TUNER__ENABLED", "False")
    run(operator({"spark.executor.cores": "2"}), "r1")
    assert service.submitted == [{"spark.executor.cores": "2"}]
