"""EmrAddStepsOperator against moto, whose steps a spark-submit of ours runs."""

from __future__ import annotations

import copy
from collections.abc import Callable
from pathlib import Path
from threading import Event
from time import sleep
from typing import Any

import pytest

pytest.importorskip("s3fs", reason="s3fs is not installed: pip install airflow-spark-tuner[s3]")
pytest.importorskip("moto.server", reason="moto is not installed: it is of the dev group")
pytest.importorskip("airflow.providers.amazon", reason="it is of the dev group")

from airflow.providers.amazon.aws.operators.emr import EmrAddStepsOperator
from boto3.session import Session

from airflow_plugin.compat import AirflowTaskTimeout
from airflow_plugin.engines import emr_steps
from airflow_plugin.tuned import tuned
from tests.airflow_plugin.conftest import PATIENCE, TaskInstance
from tests.airflow_plugin.engines.aws_account import AwsAccount
from tests.airflow_plugin.engines.hanging import Hanging
from tests.airflow_plugin.engines.spark_service import SparkService
from tuner.history.store import Store
from tuner.loop import loop
from tuner.model.run import Run, RunState
from tuner.spark.submit_arguments import parse

pytestmark = pytest.mark.sockets

THRESHOLD = "spark.sql.autoBroadcastJoinThreshold"


def step(name: str, *options: str, program: str = "spark-submit", jar: str = "command-runner.jar") -> dict[str, Any]:
    arguments = [program, *options, "s3://b/etl.py", "--conf", "of=the application"]
    return {"Name": name, "ActionOnFailure": "CONTINUE", "HadoopJarStep": {"Jar": jar, "Args": arguments}}


class Emr:
    def __init__(self, aws: AwsAccount) -> None:
        self.aws = aws
        self.cluster = aws.client("emr").run_job_flow(
            Name="c",
            ReleaseLabel="emr-7.5.0",
            Instances={"KeepJobFlowAliveWhenNoSteps": True},
            JobFlowRole="r",
            ServiceRole="r",
        )["JobFlowId"]

    def operator(self, *steps: dict[str, Any], **arguments: Any) -> Any:
        op = EmrAddStepsOperator(task_id="nightly", job_flow_id=self.cluster, steps=list(steps), **arguments)
        self.aws.submitting(op.hook.conn, "add_job_flow_steps", self._jobs)
        return tuned(op)

    def _jobs(self, request: Any) -> list[dict[str, str]]:
        commands = [s["HadoopJarStep"]["Args"] for s in request["Steps"]]
        return [parse(command[1:]).properties for command in commands if command[0] == "spark-submit"]


def run(op: Any, run_id: str, try_number: int = 1) -> None:
    ti: Any = TaskInstance(run_id=run_id, try_number=try_number)
    op.execute({"ti": ti, "task_instance": ti})


def runs(tmp_path: Path, cohort: str) -> list[Run]:
    with Store.open(f"sqlite:///{tmp_path}/history.db") as store:
        return store.runs(cohort)


def test_steps_are_not_waited_for_and_harvested_at_the_next_decision(
    aws: AwsAccount, service: SparkService, tmp_path: Path
) -> None:
    emr = Emr(aws)
    for run_id in ("r1", "r2"):
        run(emr.operator(step("load", "--conf", "spark.executor.cores=2")), run_id)
    assert [THRESHOLD in conf for conf in service.submitted] == [False, True]
    assert service.last["spark.executor.cores"] == "2"
    assert [r.state for r in runs(tmp_path, "sales.nightly")] == [RunState.SUCCEEDED, RunState.RUNNING]


def test_each_of_several_steps_has_a_cohort_of_its_own(aws: AwsAccount, service: SparkService, tmp_path: Path) -> None:
    emr = Emr(aws)
    steps = [step("load"), step("copy", program="s3-dist-cp"), step("report", "--conf", f"{THRESHOLD}=7")]
    as_written = copy.deepcopy(steps)
    for run_id in ("r1", "r2"):
        op = emr.operator(*steps)
        run(op, run_id)
    assert steps == as_written and op.steps == as_written
    load, report = service.submitted[-2:]
    assert load["spark.tuner.cohort"] == "sales.nightly.load" and report["spark.tuner.cohort"] == "sales.nightly.report"
    assert load[THRESHOLD] != "7" and report[THRESHOLD] == "7"
    assert len({conf["spark.tuner.key"] for conf in service.submitted}) == 4
    assert [r.state for r in runs(tmp_path, "sales.nightly.report")] == [RunState.SUCCEEDED, RunState.RUNNING]


def test_steps_of_one_name_are_told_apart(aws: AwsAccount, service: SparkService) -> None:
    run(Emr(aws).operator(step("load"), step("load")), "r1")
    assert [conf["spark.tuner.cohort"] for conf in service.submitted] == ["sales.nightly.load", "sales.nightly.load 2"]


def test_steps_that_are_called_by_a_day_are_the_same_each_night(
    aws: AwsAccount, service: SparkService, tmp_path: Path
) -> None:
    emr = Emr(aws)
    for ds, before in (("2024-01-31", "2024-01-30"), ("2024-02-01", "2024-01-31")):
        names = (
            f"load {ds}",
            f"load {before}",
            f"report_{ds.replace('-', '')}",
            f"copy scheduled__{ds}T00:00:00+00:00",
        )
        run(emr.operator(*map(step, names)), f"r{ds}")
    for cohort in ("load *", "load * 2", "report_*", "copy *"):
        states = [one.state for one in runs(tmp_path, f"sales.nightly.{cohort}")]
        assert states == [RunState.SUCCEEDED, RunState.RUNNING]
    assert [THRESHOLD in conf for conf in service.submitted] == [False] * 4 + [True] * 4


def test_steps_that_start_no_spark_are_left_alone(aws: AwsAccount, service: SparkService) -> None:
    run(Emr(aws).operator(step("copy", program="s3-dist-cp"), step("own", jar="s3://b/own.jar")), "r1")
    assert all("spark.tuner.key" not in conf for conf in service.submitted)


def test_steps_that_are_refused_for_what_is_added_are_submitted_as_they_were(
    aws: AwsAccount, service: SparkService, tmp_path: Path
) -> None:
    service.refuses = lambda conf: "spark.tuner.key" in conf
    run(Emr(aws).operator(step("load"), step("report")), "r1")
    assert service.submitted == [{}, {}]
    assert [r.state for r in runs(tmp_path, "sales.nightly.load")] == [RunState.LOST]


def test_a_job_is_not_blamed_for_another_step(
    aws: AwsAccount, service: SparkService, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failed(**_: object) -> None:
        raise RuntimeError("the step copy failed")

    monkeypatch.setattr("airflow.providers.amazon.aws.hooks.emr.wait", failed)
    op = Emr(aws).operator(step("load"), step("copy", program="s3-dist-cp"), wait_for_completion=True)
    with pytest.raises(RuntimeError, match="copy failed"):
        run(op, "r1")
    assert [r.state for r in runs(tmp_path, "sales.nightly")] == [RunState.SUCCEEDED]


def failing(**_: object) -> None:
    raise RuntimeError("the step load failed")


@pytest.mark.parametrize(("run_id", "try_number"), [("r2", 1), ("r1", 2)])
def test_a_step_that_runs_once_another_had_failed_is_harvested_at_the_next_decision(
    run_id: str,
    try_number: int,
    aws: AwsAccount,
    service: SparkService,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """ActionOnFailure=CONTINUE: the task ends with the step that fails, the cluster goes on. In the next run, or a retry."""
    monkeypatch.setattr("airflow.providers.amazon.aws.hooks.emr.wait", failing)
    emr, ran, waiting = Emr(aws), aws.run, list[Callable[[], bool]]()

    def load_fails(conf: Any) -> bool:
        service.how = "fail" if conf["spark.tuner.cohort"].endswith("load") else "ok"
        return ran(conf) if service.how == "fail" else not waiting.append(lambda: ran(conf))

    monkeypatch.setattr(aws, "run", load_fails)
    with pytest.raises(RuntimeError, match="load failed"):
        run(emr.operator(step("load"), step("report"), wait_for_completion=True), "r1")
    states = {name: [r.state for r in runs(tmp_path, f"sales.nightly.{name}")] for name in ("load", "report")}
    assert states == {"load": [RunState.FAILED], "report": [RunState.RUNNING]}
    waiting[0]()
    monkeypatch.setattr(aws, "run", ran)
    monkeypatch.setattr("airflow.providers.amazon.aws.hooks.emr.wait", lambda **_: None)
    run(emr.operator(step("load"), step("report"), wait_for_completion=True), run_id, try_number)
    assert [r.state for r in runs(tmp_path, "sales.nightly.report")] == [RunState.SUCCEEDED, RunState.SUCCEEDED]


def test_a_step_that_never_started_for_another_is_lost(
    aws: AwsAccount, service: SparkService, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("airflow.providers.amazon.aws.hooks.emr.wait", failing)
    emr, ran = Emr(aws), aws.run
    monkeypatch.setattr(aws, "run", lambda conf: conf["spark.tuner.cohort"].endswith("load") and ran(conf))
    service.how = "fail"
    for try_number in (1, 2):
        with pytest.raises(RuntimeError, match="load failed"):
            run(emr.operator(step("load"), step("report"), wait_for_completion=True), "r1", try_number)
    assert [r.state for r in runs(tmp_path, "sales.nightly.report")] == [RunState.LOST, RunState.RUNNING]


def test_steps_none_of_which_starts_are_tried_without_what_may_keep_them(
    aws: AwsAccount, service: SparkService, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("airflow.providers.amazon.aws.hooks.emr.wait", failing)
    ran = aws.run
    monkeypatch.setattr(aws, "run", lambda conf: "spark.eventLog.dir" not in conf and ran(conf))
    emr = Emr(aws)
    for try_number in (1, 2):
        with pytest.raises(RuntimeError, match="load failed"):
            run(emr.operator(step("load"), step("report"), wait_for_completion=True), "r1", try_number)
    assert len(service.submitted) == 2 and all("spark.eventLog.dir" not in conf for conf in service.submitted)


@pytest.mark.parametrize("options", [("--deploy-mode", "cluster"), ("--master", "yarn", "--deploy-mode", "cluster")])
def test_a_step_that_ends_before_its_application_is_harvested_at_the_next_decision(
    options: tuple[str, ...],
    aws: AwsAccount,
    service: SparkService,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A step's master is YARN, where nothing says another."""
    monkeypatch.setattr("airflow.providers.amazon.aws.hooks.emr.wait", lambda **_: None)
    emr, ran, waiting = Emr(aws), aws.run, list[Callable[[], bool]]()
    monkeypatch.setattr(aws, "run", lambda conf: not waiting.append(lambda: ran(conf)))
    one = step("load", *options, "--conf", "spark.yarn.submit.waitAppCompletion=false")
    run(emr.operator(one, wait_for_completion=True), "r1")
    assert [r.state for r in runs(tmp_path, "sales.nightly")] == [RunState.RUNNING]
    waiting.pop()()
    run(emr.operator(one, wait_for_completion=True), "r2")
    assert [r.state for r in runs(tmp_path, "sales.nightly")] == [RunState.SUCCEEDED, RunState.RUNNING]


def test_a_store_that_hangs_keeps_a_task_no_longer_than_one_of_its_jobs(
    aws: AwsAccount,
    service: SparkService,
    monkeypatch: pytest.MonkeyPatch,
    warnings_of: Callable[[Any], list[str]],
) -> None:
    goes_on, opened = Event(), list[str]()
    monkeypatch.setattr(Store, "open", lambda url: (opened.append(url), goes_on.wait(30))[1])
    for option in PATIENCE:
        monkeypatch.setenv(option, "0.5")
    op = Emr(aws).operator(*(step(f"step {number}") for number in range(20)), wait_for_completion=True)
    monkeypatch.setattr("airflow.providers.amazon.aws.hooks.emr.wait", lambda **_: None)
    said = warnings_of(op)
    run(op, "r1")
    goes_on.set()
    assert ["spark.tuner.key" in conf for conf in service.submitted] == [True] + [False] * 19
    assert any("19 of its 20 Spark jobs run as their author wrote them" in line for line in said)
    # To decide, to record that it was not decided, and to store one outcome.
    assert len(opened) <= 4


def test_what_is_not_decided_in_the_time_of_a_task_runs_as_it_was_written(
    aws: AwsAccount, service: SparkService, monkeypatch: pytest.MonkeyPatch
) -> None:
    prepare, begun = loop.prepare, list[Any]()

    def slow(*given: Any) -> Any:
        begun.append(given)
        # The first is decided at once; the next takes all the time that there is.
        sleep(3.1 if len(begun) > 1 else 0)
        return prepare(*given)

    monkeypatch.setattr(loop, "prepare", slow)
    monkeypatch.setattr("airflow_plugin.settings.MostSeconds.before_all", lambda _: 3.0)
    run(Emr(aws).operator(*map(step, ("load", "report", "copy"))), "r1")
    assert ["spark.tuner.key" in conf for conf in service.submitted] == [True, True, False]


def test_a_task_that_times_out_while_it_is_decided_leaves_no_run_of_its_steps(
    aws: AwsAccount, service: SparkService, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    prepare, prepared = loop.prepare, list[str]()

    def second_times_out(job: Any, url: str) -> Any:
        if prepared:
            raise AirflowTaskTimeout("Timeout")
        prepared.append(job.key)
        return prepare(job, url)

    monkeypatch.setattr(loop, "prepare", second_times_out)
    with pytest.raises(AirflowTaskTimeout):
        run(Emr(aws).operator(step("load"), step("report")), "r1")
    assert (service.submitted, runs(tmp_path, "sales.nightly.load")) == ([], [])


def test_a_log_is_read_with_what_the_tasks_connection_has_by_then(
    aws: AwsAccount, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A job may outlive credentials that were good when it was submitted."""
    access, asked = emr_steps.s3_access, list[str]()

    def short_lived(operator: Any, url: str) -> Any:
        ask = access(operator, url)
        assert ask is not None

        def ask_again() -> Any:
            asked.append(url)
            return {**ask(), "config_kwargs": {"user_agent_extra": f"login-{len(asked)}"}}

        return ask_again

    completed, complete = list[Any](), loop.complete
    monkeypatch.setattr(emr_steps, "s3_access", short_lived)
    monkeypatch.setattr(
        loop, "complete", lambda turn, *given, **named: (completed.append(turn), complete(turn, *given, **named))[1]
    )
    monkeypatch.setattr("airflow.providers.amazon.aws.hooks.emr.wait", lambda **_: None)
    run(Emr(aws).operator(step("load"), wait_for_completion=True), "r1")
    assert [turn.job.access["config_kwargs"]["user_agent_extra"] for turn in completed] == ["login-2"]
    assert [r.state for r in runs(tmp_path, "sales.nightly")] == [RunState.SUCCEEDED]


@pytest.mark.parametrize("answered", [0, 1])
def test_credentials_that_do_not_come_keep_the_task_no_longer_than_it_may(
    answered: int,
    aws: AwsAccount,
    service: SparkService,
    tmp_path: Path,
    hanging: Hanging,
    monkeypatch: pytest.MonkeyPatch,
    told_by: Any,
) -> None:
    """Before the job, or after it: a machine's metadata service may hang, and whoever gives out roles."""
    op = Emr(aws).operator(step("load", "--conf", "spark.executor.cores=2"), wait_for_completion=True)
    own, asked = Session.get_credentials, list[Any]()

    def slow(session: Any) -> Any:
        asked.append(session)
        if len(asked) > answered:
            hanging.hang()
        return own(session)

    monkeypatch.setattr("airflow.providers.amazon.aws.hooks.emr.wait", lambda **_: None)
    monkeypatch.setattr(Session, "get_credentials", slow)
    said = told_by(op)
    run(op, "r1")
    # On a slow machine the time may be over before they are asked for.
    while not hanging.asked:
        sleep(0.01)
    assert not hanging.kept
    assert service.last["spark.executor.cores"] == "2" and len(service.submitted) == 1
    assert ("spark.eventLog.dir" in service.last) is bool(answered)
    limit = "most_seconds_after" if answered else "most_seconds_before"
    assert any("within 1 s" in text and limit in text for _, text in said)


def test_credentials_that_are_not_given_leave_the_log_to_the_workers_own_access(
    aws: AwsAccount, service: SparkService, monkeypatch: pytest.MonkeyPatch, warnings_of: Any
) -> None:
    def denied(_: Any) -> Any:
        raise PermissionError("no role for you")

    op = Emr(aws).operator(step("load", "--conf", "spark.executor.cores=2"))
    said = warnings_of(op)
    monkeypatch.setattr(Session, "get_credentials", denied)
    run(op, "r1")
    assert service.last["spark.executor.cores"] == "2"
    assert any("could not read event logs with the task's own connection (PermissionError" in line for line in said)
