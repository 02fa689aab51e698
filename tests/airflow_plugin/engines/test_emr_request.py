"""EmrServerlessStartJobOperator and EmrContainerOperator against moto, whose jobs a spark-submit of ours runs."""

from __future__ import annotations

import copy
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("s3fs", reason="s3fs is not installed: pip install airflow-spark-tuner[s3]")
pytest.importorskip("moto.server", reason="moto is not installed: it is of the dev group")
pytest.importorskip("airflow.providers.amazon", reason="it is of the dev group")

import shlex

from airflow.providers.amazon.aws.operators.emr import EmrContainerOperator, EmrServerlessStartJobOperator
from moto.emrcontainers.models import emrcontainers_backends

from airflow_plugin.engines.emr_on_eks import EmrOnEks
from airflow_plugin.engines.emr_serverless import EmrServerless
from airflow_plugin.engines.engine import Additions
from airflow_plugin.tuned import tuned
from tests.airflow_plugin.conftest import TaskInstance
from tests.airflow_plugin.engines.aws_account import AwsAccount
from tests.airflow_plugin.engines.spark_service import SparkService
from tests.airflow_plugin.engines.standings import TRIED_THEN_PROVEN, standings
from tuner.model.run import Run, RunState
from tuner.spark.submit_arguments import parse

pytestmark = pytest.mark.sockets

THRESHOLD = "spark.sql.autoBroadcastJoinThreshold"
ROLE = "arn:aws:iam::123456789012:role/r"
PLAIN = "--conf spark.executor.cores=2"
Stored = Callable[[], list[Run]]


def conf_of(job: dict[str, Any], overrides: dict[str, Any] | None) -> list[dict[str, str]]:
    """The properties that a job's driver has."""
    found = [c["properties"] for c in (overrides or {}).get("applicationConfiguration", [])]
    return [{**(found[0] if found else {}), **parse(shlex.split(job.get("sparkSubmitParameters", ""))).properties}]


class Serverless:
    driver = "sparkSubmit"

    def __init__(self, aws: AwsAccount) -> None:
        self.aws = aws
        created = aws.client("emr-serverless").create_application(name="a", releaseLabel="emr-7.5.0", type="SPARK")
        self.application = created["applicationId"]
        self.deferred = False

    def operator(self, parameters: str = PLAIN, overrides: dict[str, Any] | None = None, **arguments: Any) -> Any:
        job = {"entryPoint": "s3://b/etl.py", "sparkSubmitParameters": parameters}
        op = EmrServerlessStartJobOperator(
            task_id="nightly",
            application_id=self.application,
            execution_role_arn=ROLE,
            job_driver={self.driver: job},
            configuration_overrides=overrides,
            waiter_delay=0,
            **arguments,
        )
        self.aws.submitting(
            op.hook.conn,
            "start_job_run",
            lambda request: conf_of(request["jobDriver"][self.driver], request.get("configurationOverrides")),
        )
        return tuned(op)


class Eks:
    driver = "sparkSubmitJobDriver"

    def __init__(self, aws: AwsAccount) -> None:
        self.aws = aws
        provider = {"type": "EKS", "id": "c", "info": {"eksInfo": {"namespace": "spark"}}}
        aws.client("eks").create_cluster(name="c", roleArn=ROLE, resourcesVpcConfig={"subnetIds": []})
        self.cluster = aws.client("emr-containers").create_virtual_cluster(name="v", containerProvider=provider)["id"]

    def operator(self, parameters: str = PLAIN, overrides: dict[str, Any] | None = None, **arguments: Any) -> Any:
        op = EmrContainerOperator(
            task_id="nightly",
            name="nightly",
            virtual_cluster_id=self.cluster,
            execution_role_arn=ROLE,
            release_label="emr-7.5.0-latest",
            job_driver={self.driver: {"entryPoint": "s3://b/etl.py", "sparkSubmitParameters": parameters}},
            configuration_overrides=overrides,
            poll_interval=0,
            **arguments,
        )

        def run(request: Any) -> list[dict[str, str]]:
            return conf_of(request["jobDriver"][self.driver], request.get("configurationOverrides"))

        self.aws.submitting(op.hook.conn, "start_job_run", run)

        def start(request: Any, send: Any) -> Any:
            answer = send(request)
            # moto leaves it running.
            job = emrcontainers_backends["123456789012"]["us-east-1"].job_runs[answer["id"]]
            job.state = "COMPLETED" if self.aws.service.has_succeeded else "FAILED"
            return answer

        self.aws.answering(op.hook.conn, "start_job_run", start)
        return tuned(op)


@pytest.fixture(params=[Serverless, Eks], ids=["serverless", "eks"])
def emr(request: pytest.FixtureRequest, aws: AwsAccount) -> Any:
    return request.param(aws)


def run(op: Any, run_id: str, try_number: int = 1) -> TaskInstance:
    ti: Any = TaskInstance(run_id=run_id, try_number=try_number)
    dag = SimpleNamespace(dag_id="sales")
    op.execute({"ti": ti, "task_instance": ti, "dag": dag})
    return ti


def test_the_second_run_is_steered_and_the_third_has_it_proven(emr: Any, service: SparkService, stored: Stored) -> None:
    for run_id in ("r1", "r2", "r3"):
        run(emr.operator("--conf spark.executor.cores=2"), run_id)
    assert [THRESHOLD in conf for conf in service.submitted] == [False, True, True]
    assert service.last["spark.executor.cores"] == "2"
    assert standings(stored()) == TRIED_THEN_PROVEN
    assert {r.state for r in stored()} == {RunState.SUCCEEDED}
    assert stored()[0].event_log_dir.startswith("s3://logs/tuner/")


@pytest.mark.parametrize("where", ["options", "defaults"])
def test_the_authors_own_value_wins(emr: Any, where: str, service: SparkService) -> None:
    overrides = {
        "applicationConfiguration": [{"classification": "spark-defaults", "properties": {THRESHOLD: "7"}}],
        "monitoringConfiguration": {"s3MonitoringConfiguration": {"logUri": "s3://b/"}},
    }
    given: dict[str, Any] = {"overrides": overrides} if where == "defaults" else {"parameters": f"--conf {THRESHOLD}=7"}
    as_written = copy.deepcopy(given)
    for run_id in ("r1", "r2"):
        run(emr.operator(**given), run_id)
    assert service.last[THRESHOLD] == "7"
    assert given == as_written


RESULTS = "spark.driver.maxResultSize"


@pytest.mark.parametrize("where", ["options", "defaults", "nowhere"])
def test_the_retry_of_one_that_died_for_memory_has_more_in_place_of_the_authors(
    aws: AwsAccount, where: str, service: SparkService, stored: Stored
) -> None:
    emr = Eks(aws)
    sizes = {"spark.driver.memory": "4g", RESULTS: "1g"}
    parameters = " ".join(f"--conf {name}={value}" for name, value in sizes.items())
    overrides = {"applicationConfiguration": [{"classification": "spark-defaults", "properties": sizes}]}
    given: dict[str, Any] = {"parameters": PLAIN}
    if where != "nowhere":
        given = {"overrides": overrides} if where == "defaults" else {"parameters": parameters}
    service.how = "results"
    with pytest.raises(Exception, match="failed"):
        run(emr.operator(**given), "r1")
    run(emr.operator(**given), "r1", try_number=2)
    assert (service.submitted[0].get(RESULTS), service.last[RESULTS]) == (None if where == "nowhere" else "1g", "2048m")
    assert [r.state for r in stored()] == [RunState.FAILED, RunState.SUCCEEDED]


JAR_OF_AGENT, LONG_JARS = "s3://logs/agent-4.0.jar", f"s3://b/{'x' * 1000}.jar"


@pytest.mark.parametrize("where", ["options", "defaults"])
def test_jars_that_leave_no_room_for_the_agents_keep_no_run_from_being_observed(
    where: str, emr: Any, service: SparkService, stored: Stored, monkeypatch: pytest.MonkeyPatch, told_by: Any
) -> None:
    """Options take more than spark-defaults do: there properties steer, and the agent nothing."""
    monkeypatch.setenv("AIRFLOW__SPARK_TUNER__AGENT_JAR", "s3://logs/agent-{spark_minor}.jar")
    service.tells_sizes = True
    own = {"classification": "spark-defaults", "properties": {"spark.jars": LONG_JARS}}
    given: dict[str, Any] = {"overrides": {"applicationConfiguration": [own]}}
    if where == "options":
        given = {"parameters": f"{PLAIN} --jars {LONG_JARS}"}
    for run_id in ("r1", "r2"):
        op = emr.operator(**given)
        told = told_by(op)
        run(op, run_id)
    with_agent = where == "options"
    assert service.last["spark.jars"] == (f"{LONG_JARS},{JAR_OF_AGENT}" if with_agent else LONG_JARS)
    assert ("spark.tuner.directives" in service.last) is with_agent
    assert any("spark.jars would have 1035 characters" in text for _, text in told) is not with_agent
    assert "spark.tuner.key" in service.last and [r.state for r in stored()] == [RunState.SUCCEEDED] * 2


def test_a_job_of_many_options_is_observed(emr: Any, service: SparkService, stored: Stored) -> None:
    run(emr.operator(" ".join(f"--conf spark.x{n}=1" for n in range(98))), "r1")
    assert "spark.tuner.key" in service.last and [r.state for r in stored()] == [RunState.SUCCEEDED]


def test_a_job_that_is_refused_for_what_is_added_is_submitted_as_it_was(
    emr: Any, service: SparkService, stored: Stored
) -> None:
    service.refuses = lambda conf: "spark.tuner.key" in conf
    run(emr.operator("--conf spark.executor.cores=2"), "r1")
    assert service.submitted == [{"spark.executor.cores": "2"}]
    assert [r.state for r in stored()] == [RunState.LOST]


def test_a_request_with_a_token_of_the_authors_is_the_same_in_each_try(
    emr: Any, service: SparkService, stored: Stored, told_by: Callable[[Any], list[tuple[str, str]]]
) -> None:
    """AWS refuses one that differs from the first with that token, and answers one that does not with its job."""
    sent = list[Any]()
    for try_number in (1, 2):
        op = emr.operator(client_request_token="sales-1")
        emr.aws.answering(op.hook.conn, "start_job_run", lambda request, send: (sent.append(request), send(request))[1])
        told = told_by(op)
        run(op, "r1", try_number)
        assert ["client_request_token" in text for _, text in told] == [True]
    first, second = ({name: one[name] for name in one.keys() - {"name"}} for one in sent)
    assert first == second and first["clientToken"] == "sales-1"
    assert service.submitted == [{"spark.executor.cores": "2"}] * 2 and stored() == []


def test_a_service_that_throttles_is_not_asked_twice(emr: Any, service: SparkService, stored: Stored) -> None:
    from botocore.exceptions import ClientError

    op, asked = emr.operator(), []

    def throttled(request: Any, _: Any) -> Any:
        asked.append(request)
        raise ClientError({"Error": {"Code": "ThrottlingException", "Message": "slow down"}}, "StartJobRun")

    emr.aws.answering(op.hook.conn, "start_job_run", throttled)
    with pytest.raises(ClientError):
        run(op, "r1")
    assert len(asked) == 1
    assert [r.state for r in stored()] == [RunState.LOST]


def test_a_job_that_fails_in_a_trial_is_tried_without_it(
    aws: AwsAccount, service: SparkService, stored: Stored
) -> None:
    emr = Eks(aws)
    run(emr.operator(), "r1")
    service.how = "fail"
    with pytest.raises(Exception, match="failed"):
        run(emr.operator(), "r2")
    service.how = "ok"
    run(emr.operator(), "r2", try_number=2)
    assert [THRESHOLD in conf for conf in service.submitted] == [False, True, False]
    assert [r.state for r in stored()] == [RunState.SUCCEEDED, RunState.FAILED, RunState.SUCCEEDED]


def test_one_that_does_not_wait_is_harvested_at_the_next_decision(
    emr: Any, service: SparkService, stored: Stored
) -> None:
    run(emr.operator(wait_for_completion=False), "r1")
    assert [r.state for r in stored()] == [RunState.RUNNING]
    run(emr.operator(wait_for_completion=False), "r2")
    assert [r.state for r in stored()] == [RunState.SUCCEEDED, RunState.RUNNING]


def test_serverless_is_deferred_before_it_submits(aws: AwsAccount, service: SparkService, stored: Stored) -> None:
    from airflow.sdk.exceptions import TaskDeferred

    emr = Serverless(aws)
    op = emr.operator(deferrable=True)
    client = op.hook.conn
    own = client.get_application
    client.get_application = lambda **_: {"application": {"state": "STOPPED"}}
    with pytest.raises(TaskDeferred) as before:
        run(op, "r1")
    assert before.value.method_name == "execute" and stored() == [] and service.submitted == []
    client.get_application = own
    ti: Any = TaskInstance(run_id="r1")
    context: Any = {"ti": ti, "task_instance": ti, "dag": SimpleNamespace(dag_id="sales")}
    with pytest.raises(TaskDeferred) as after:
        op.resume_execution("execute", {"event": {"status": "success"}}, context)
    assert after.value.method_name == "execute_complete" and len(service.submitted) == 1
    assert [r.state for r in stored()] == [RunState.RUNNING]
    event = {"status": "success", "job_details": {"application_id": emr.application, "job_id": op.job_id}}
    emr.operator(deferrable=True).resume_execution("execute_complete", {"event": event}, context)
    assert [r.state for r in stored()] == [RunState.SUCCEEDED]


def test_a_bucket_of_another_cloud_leaves_the_job_as_it_was(
    aws: AwsAccount, service: SparkService, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AIRFLOW__SPARK_TUNER__EVENT_LOG_BASE", "gs://logs/tuner")
    run(Serverless(aws).operator(), "r1")
    assert "spark.eventLog.dir" not in service.last


ENGINE = EmrServerless()


def changed(parameters: str, added: Additions, overrides: dict[str, Any] | None = None) -> dict[str, Any]:
    request = {"jobDriver": {"sparkSubmit": {"sparkSubmitParameters": parameters}}, "configurationOverrides": overrides}
    as_written = copy.deepcopy(request)
    found = ENGINE.changed(None, request, [added])
    assert request == as_written
    return dict(found)


JARS = Additions({"spark.tuner.key": "k"}, {"spark.jars": "s3://b/own.jar,s3://b/agent.jar"})


@pytest.mark.parametrize("own", ["--jars s3://b/own.jar", "--conf spark.jars=s3://b/own.jar"])
def test_jars_of_the_options_are_added_to_there(own: str) -> None:
    parameters = changed(own, JARS)["jobDriver"]["sparkSubmit"]["sparkSubmitParameters"]
    assert parse(shlex.split(parameters)).properties["spark.jars"] == "s3://b/own.jar,s3://b/agent.jar"
    assert parameters.startswith(own)


def test_all_else_goes_to_the_defaults() -> None:
    (found,) = changed("--conf spark.x=1", JARS)["configurationOverrides"]["applicationConfiguration"]
    assert found == {"classification": "spark-defaults", "properties": JARS.properties}


def test_eks_is_asked_for_a_release() -> None:
    (job,) = EmrOnEks().read(
        SimpleNamespace(client_request_token=None),
        {"jobDriver": {"sparkSubmitJobDriver": {}}, "releaseLabel": "emr-7.5.0-latest"},
    )
    assert job.runtime == "emr-7.5.0-latest"


def test_jobs_of_hive_are_none_of_sparks() -> None:
    assert ENGINE.read(None, {"jobDriver": {"hive": {"query": "SELECT 1"}}}) == ()


@pytest.mark.parametrize(
    ("given", "has"),
    [
        ({}, False),
        ({"client_request_token": ""}, False),
        ({"client_request_token": "t"}, True),
        ({"default_args": {"client_request_token": "t"}}, True),
        ({"config": {"clientToken": "t"}}, True),
    ],
)
def test_a_token_of_the_authors_is_told_from_the_operators(given: dict[str, Any], has: bool) -> None:
    arguments = {"task_id": "nightly", "application_id": "a", "execution_role_arn": ROLE, "job_driver": {}}
    op = EmrServerlessStartJobOperator(**arguments, **given)
    assert op.client_request_token and ENGINE.has_token(tuned(op)) is has


def test_limits_of_the_services() -> None:
    (job,) = ENGINE.read(None, {"jobDriver": {"sparkSubmit": {}}})
    assert ENGINE.limits.exceeded(job, Additions({"spark.x": "x" * 1025})).startswith("spark.x would have 1025")
    assert ENGINE.limits.exceeded(job, Additions({f"spark.{n}": "" for n in range(101)})).startswith(
        "it would have 101"
    )
    (job,) = ENGINE.read(None, {"jobDriver": {"sparkSubmit": {"sparkSubmitParameters": "--jars s3://b/own.jar"}}})
    assert not ENGINE.limits.exceeded(job, Additions({}, {"spark.jars": "x" * 1025}))
    assert not EmrOnEks().limits.exceeded(job, Additions({"spark.x": "x" * 1024}))
