"""GlueJobOperator against moto, whose job runs a spark-submit of ours runs."""

from __future__ import annotations

import copy
from collections.abc import Callable
from threading import current_thread, main_thread
from typing import Any

import pytest

pytest.importorskip("s3fs", reason="s3fs is not installed: pip install airflow-spark-tuner[s3]")
pytest.importorskip("moto.server", reason="moto is not installed: it is of the dev group")
pytest.importorskip("airflow.providers.amazon", reason="it is of the dev group")

from airflow.providers.amazon.aws.operators.glue import GlueJobOperator
from airflow.sdk import BaseHook
from botocore.exceptions import ClientError

from airflow_plugin.engines.engine import Additions
from airflow_plugin.engines.glue import ENGINE
from airflow_plugin.tuned import tuned
from tests.airflow_plugin.conftest import TaskInstance
from tests.airflow_plugin.engines.aws_account import AwsAccount
from tests.airflow_plugin.engines.hanging import Hanging
from tests.airflow_plugin.engines.spark_service import SparkService
from tests.airflow_plugin.engines.standings import TRIED_THEN_PROVEN, standings
from tuner.model.run import Run, RunState

pytestmark = pytest.mark.sockets

THRESHOLD = "spark.sql.autoBroadcastJoinThreshold"
Stored = Callable[[], list[Run]]


def conf_of(request: dict[str, Any], defaults: dict[str, str]) -> list[dict[str, str]]:
    """The properties of a job run, as Glue hands them to Spark."""
    arguments = {**defaults, **request["Arguments"]}
    pairs = [part.strip().split("=", 1) for part in arguments.get("--conf", "").split(" --conf ") if part.strip()]
    conf = {name: value.split()[0] for name, value in pairs}
    lists = {"spark.jars": "--extra-jars", "spark.files": "--extra-files"}
    conf |= {name: arguments[argument] for name, argument in lists.items() if argument in arguments}
    if arguments.get("--enable-spark-ui") == "true":
        conf |= {"spark.eventLog.enabled": "true", "spark.eventLog.dir": arguments["--spark-event-logs-path"]}
    return [conf]


class Glue:
    def __init__(self, aws: AwsAccount, defaults: dict[str, str] | None = None, command: str = "glueetl") -> None:
        self.aws, self.defaults = aws, defaults or {}
        aws.client("iam").create_role(RoleName="r", AssumeRolePolicyDocument="{}")
        aws.client("glue").create_job(
            Name="etl",
            Role="r",
            Command={"Name": command, "ScriptLocation": "s3://b/etl.py"},
            GlueVersion="4.0",
            DefaultArguments=self.defaults,
        )

    def operator(self, **arguments: Any) -> Any:
        op = GlueJobOperator(
            **{
                "task_id": "nightly",
                "job_name": "etl",
                "iam_role_name": "r",
                "job_poll_interval": 0.01,
                "durable": False,
            }
            | arguments
        )
        self.aws.submitting(op.hook.conn, "start_job_run", lambda request: conf_of(dict(request), self.defaults))
        return tuned(op)


def run(op: Any, run_id: str) -> TaskInstance:
    ti: Any = TaskInstance(run_id=run_id)
    op.execute({"ti": ti, "task_instance": ti})
    return ti


def test_the_second_run_is_steered_and_the_third_has_it_proven(
    aws: AwsAccount, service: SparkService, stored: Stored
) -> None:
    glue = Glue(aws)
    for run_id in ("r1", "r2", "r3"):
        run(glue.operator(script_args={"--conf": "spark.executor.cores=2"}), run_id)
    assert [THRESHOLD in conf for conf in service.submitted] == [False, True, True]
    assert service.last["spark.executor.cores"] == "2"
    assert standings(stored()) == TRIED_THEN_PROVEN
    assert {r.state for r in stored()} == {RunState.SUCCEEDED}


def test_the_jobs_own_defaults_stay_in_force(aws: AwsAccount, service: SparkService) -> None:
    glue = Glue(aws, {"--conf": f"spark.executor.cores=2 --conf {THRESHOLD}=7", "--extra-jars": "s3://b/own.jar"})
    for run_id in ("r1", "r2"):
        run(glue.operator(), run_id)
    assert (service.last["spark.executor.cores"], service.last[THRESHOLD]) == ("2", "7")
    assert "spark.tuner.key" in service.last


LEGACY = "--enable-spark-ui-legacy-path"


def changed(arguments: dict[str, str]) -> dict[str, str]:
    request = {"default arguments": {}, "command": "glueetl", "runtime": "", "Arguments": arguments}
    added = Additions({"spark.eventLog.enabled": "true", "spark.eventLog.dir": "s3://logs/tuner/r1"})
    found: dict[str, str] = ENGINE.changed(None, request, [added])["Arguments"]
    return found


def test_a_log_below_the_base_is_laid_out_as_spark_does() -> None:
    found = changed({})
    assert (found["--enable-spark-ui"], found["--spark-event-logs-path"]) == ("true", "s3://logs/tuner/r1/")
    assert found[LEGACY] == "true" and changed({LEGACY: "false"})[LEGACY] == "false"


def test_a_log_of_that_layout_alone_is_on() -> None:
    own = {LEGACY: "true", "--spark-event-logs-path": "s3://logs/own/"}
    request = {"default arguments": own, "command": "glueetl", "runtime": "", "Arguments": {}}
    (job,) = ENGINE.read(None, request)
    assert job.conf == {"spark.eventLog.enabled": "true", "spark.eventLog.dir": "s3://logs/own/"}


def test_a_log_in_directories_of_glues_own_is_found(
    aws: AwsAccount, stored: Stored, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran, place = aws.run, "spark.eventLog.dir"
    monkeypatch.setattr(aws, "run", lambda conf: ran({**conf, place: f"{conf[place]}etl/jr_1/"}))
    run(Glue(aws).operator(), "r1")
    assert [r.state for r in stored()] == [RunState.SUCCEEDED]


def test_joins_of_a_job_that_has_its_spark_ui_on_are_steered(
    aws: AwsAccount, service: SparkService, stored: Stored, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a job made in the console has it: the log is its author's, the directives lie below event_log_base."""
    monkeypatch.setenv("AIRFLOW__SPARK_TUNER__AGENT_JAR", "s3://logs/agent-{spark_minor}.jar")
    service.tells_sizes = True
    glue = Glue(aws, {"--enable-spark-ui": "true", "--spark-event-logs-path": "s3://logs/own/"})
    for run_id in ("r1", "r2"):
        run(glue.operator(), run_id)
    directives = service.last["spark.files"]
    assert (
        directives.startswith("s3://logs/tuner/sales.nightly/")
        and service.last["spark.eventLog.dir"] == "s3://logs/own/"
    )
    assert service.last["spark.tuner.directives.file"] == directives.rpartition("/")[2]
    assert {r.event_log_dir for r in stored()} == {"s3://logs/own/"}
    assert standings(stored()) == TRIED_THEN_PROVEN[:2]


@pytest.mark.parametrize(("command", "is_spark"), [("gluestreaming", True), ("pythonshell", False), ("glueray", False)])
def test_jobs_of_a_python_shell_and_of_ray_are_none_of_sparks(
    aws: AwsAccount, command: str, is_spark: bool, service: SparkService, stored: Stored, told_by: Any
) -> None:
    op = Glue(aws, command=command).operator(script_args={"--day": "2026-01-02"})
    sent, told = list[Any](), told_by(op)
    aws.answering(op.hook.conn, "start_job_run", lambda request, send: (sent.append(request), send(request))[1])
    run(op, "r1")
    assert ("spark.tuner.key" in service.last) is bool(stored()) is bool(told) is is_spark
    assert (sent[0]["Arguments"] == {"--day": "2026-01-02"}) is not is_spark


def test_the_first_run_by_other_workers_is_observed(aws: AwsAccount, service: SparkService, stored: Stored) -> None:
    glue = Glue(aws)
    for number, workers in enumerate(["G.1X"] * 3 + ["G.2X"] * 2):
        run(glue.operator(run_job_kwargs={"WorkerType": workers, "NumberOfWorkers": 2}), f"r{number}")
    assert [r.decision.runtime for r in stored()] == ["Glue 4.0, G.1X"] * 3 + ["Glue 4.0, G.2X"] * 2
    assert [THRESHOLD in conf for conf in service.submitted] == [False, True, True, False, True]


def test_what_the_author_wrote_stays_as_it_was(aws: AwsAccount) -> None:
    arguments = {"--conf": "spark.executor.cores=2", "--day": "2026-01-02"}
    op = Glue(aws).operator(script_args=(given := copy.deepcopy(arguments)))
    run(op, "r1")
    assert op.script_args == arguments == given


def test_a_log_that_lands_late_is_harvested_at_the_next_decision(
    aws: AwsAccount, service: SparkService, stored: Stored, monkeypatch: pytest.MonkeyPatch
) -> None:
    glue, waiting = Glue(aws), list[Callable[[], bool]]()
    ran = aws.run
    monkeypatch.setattr(aws, "run", lambda conf: (waiting.append(lambda: ran(conf)), True)[1])
    run(glue.operator(), "r1")
    assert [r.state for r in stored()] == [RunState.RUNNING]
    waiting[0]()
    monkeypatch.setattr(aws, "run", ran)
    run(glue.operator(), "r2")
    assert [r.state for r in stored()] == [RunState.SUCCEEDED, RunState.SUCCEEDED]
    assert THRESHOLD in service.last


def test_a_job_that_is_refused_for_what_is_added_is_submitted_as_it_was(
    aws: AwsAccount, service: SparkService, stored: Stored
) -> None:
    service.refuses = lambda conf: "spark.tuner.key" in conf
    run(Glue(aws).operator(script_args={"--conf": "spark.executor.cores=2"}), "r1")
    assert service.submitted == [{"spark.executor.cores": "2"}]
    assert [r.state for r in stored()] == [RunState.LOST]


def test_one_that_does_not_wait_is_harvested_at_the_next_decision(aws: AwsAccount, stored: Stored) -> None:
    glue = Glue(aws)
    run(glue.operator(wait_for_completion=False), "r1")
    assert [r.state for r in stored()] == [RunState.RUNNING]


def looked_up(aws: AwsAccount, op: Any, answer: Callable[[], None]) -> list[Any]:
    """What the tuner asks of the job, before each of which `answer` is called: the operator asks whether it is there first."""
    asked = list[Any]()

    def answered(request: Any, send: Any) -> Any:
        asked.append(request)
        if len(asked) > 1:
            answer()
        return send(request)

    aws.answering(op.hook.conn, "get_job", answered)
    return asked


def test_a_glue_that_does_not_tell_of_its_job_keeps_the_task_no_longer_than_it_may(
    aws: AwsAccount, service: SparkService, stored: Stored, hanging: Hanging, warnings_of: Any
) -> None:
    op = Glue(aws).operator(script_args={"--conf": "spark.executor.cores=2"})
    asked, said = looked_up(aws, op, hanging.hang), warnings_of(op)
    run(op, "r1")
    assert (len(asked), hanging.asked, hanging.kept) == (2, 1, [])
    assert service.submitted == [{"spark.executor.cores": "2"}] and stored() == []
    (line,) = said
    assert "Glue did not answer in the 1 s that a task waits at most (most_seconds_before)" in line


def test_a_glue_that_may_not_be_asked_of_its_job_costs_it_nothing(
    aws: AwsAccount, service: SparkService, stored: Stored, warnings_of: Any
) -> None:
    def denied() -> None:
        raise ClientError({"Error": {"Code": "AccessDeniedException", "Message": "not allowed"}}, "GetJob")

    op = Glue(aws).operator(script_args={"--conf": "spark.executor.cores=2"})
    asked, said = looked_up(aws, op, denied), warnings_of(op)
    run(op, "r1")
    assert len(asked) == 2 and service.submitted == [{"spark.executor.cores": "2"}] and stored() == []
    assert ["AccessDeniedException" in line for line in said] == [True]


def test_a_job_is_asked_of_once_and_airflow_by_the_tasks_own_thread_alone(
    aws: AwsAccount, service: SparkService, stored: Stored, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Airflow 3.1 takes answers for another's where two threads ask."""
    threads, masked = list[Any](), list[Any]()
    get_connection = BaseHook.get_connection

    def connection(conn_id: str) -> Any:
        threads.append(current_thread())
        return get_connection(conn_id)

    def mask(secret: Any, name: Any = None) -> None:
        threads.append(current_thread())
        masked.append(secret)

    monkeypatch.setattr("airflow.sdk.bases.hook.BaseHook.get_connection", staticmethod(connection))
    monkeypatch.setattr("airflow.sdk.log.mask_secret", mask)
    monkeypatch.setattr("airflow.providers.amazon.aws.hooks.base_aws.mask_secret", mask)
    op = Glue(aws).operator()
    asked = looked_up(aws, op, lambda: None)
    run(op, "r1")
    assert len(asked) == 2 and [r.state for r in stored()] == [RunState.SUCCEEDED]
    assert set(threads) == {main_thread()} and "hunter2" in masked
