"""SparkTunedOperator around an application."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from threading import Event
from time import monotonic
from typing import Any

import pytest
from airflow.providers.apache.spark.operators.spark_submit import SparkSubmitOperator
from airflow.sdk import DAG

from airflow_plugin import settings
from airflow_plugin.compat import AirflowException, AirflowTaskTimeout
from airflow_plugin.operator import SparkTunedOperator
from airflow_plugin.tuned import tuned
from tests.policy.histories import decided
from tuner.model.action import Action, ActionKind
from tuner.model.decision import Mode, Standing
from tuner.model.objective import Objective

from .generations import NOT_DURABLE


def operator(**arguments: Any) -> SparkTunedOperator:
    return SparkTunedOperator(**{"task_id": "nightly", "application": "/jobs/etl.py"} | arguments)


def run(op: SparkTunedOperator, ti: Any) -> Any:
    return op.execute({"ti": ti})


class TestSubmit:
    def test_decision_is_on_the_command_line_with_the_users_conf(self, submit: Any, loop: Any, ti: Any) -> None:
        run(operator(conf={"spark.executor.cores": 2}), ti)
        assert submit.conf == {"spark.executor.cores": "2", "spark.sql.shuffle.partitions": "8"}
        assert submit.command[-1] == "/jobs/etl.py"

    def test_without_conf_of_the_users(self, submit: Any, loop: Any, ti: Any) -> None:
        run(operator(), ti)
        assert submit.conf == {"spark.sql.shuffle.partitions": "8"}

    def test_users_own_setting_wins_and_keeps_its_type(self, submit: Any, loop: Any, ti: Any) -> None:
        op = operator(conf={"spark.sql.shuffle.partitions": 64, "spark.sql.adaptive.enabled": False})
        run(op, ti)
        assert submit.conf["spark.sql.shuffle.partitions"] == "64"
        assert op.conf == {"spark.sql.shuffle.partitions": 64, "spark.sql.adaptive.enabled": False}
        assert loop.job.user_conf["spark.sql.adaptive.enabled"] == "false"

    def test_users_properties_file_wins(self, submit: Any, loop: Any, ti: Any, tmp_path: Path) -> None:
        file = tmp_path / "job.properties"
        file.write_text("spark.sql.shuffle.partitions   64\n")
        run(operator(properties_file=str(file)), ti)
        assert submit.conf == {}
        assert loop.job.user_conf["spark.sql.shuffle.partitions"] == "64"

    def test_conf_shared_by_tasks_is_left_alone(self, submit: Any, loop: Any, ti: Any) -> None:
        shared = {"spark.executor.cores": "2"}
        run(operator(conf=shared), ti)
        assert shared == {"spark.executor.cores": "2"}

    def test_rendered_template_shows_the_tuned_conf(self, submit: Any, loop: Any, ti: Any) -> None:
        op = operator()
        run(op, ti)
        assert op.overwrite_rtif_after_execution
        assert op.conf == {"spark.sql.shuffle.partitions": "8"}

    def test_a_subclass_that_submits_once_more_does_so_as_it_was_written(self, submit: Any, loop: Any, ti: Any) -> None:
        """What may have failed the first job is in none of the others; nor is its key."""

        class MoreMemory(SparkTunedOperator):
            def execute(self, context: Any) -> Any:
                try:
                    return super().execute(context)
                except AirflowException:
                    self._hook = None
                    self.conf = {**(self.conf or {}), "spark.executor.memory": "8g"}
                    submit.returncode = 0
                    return super().execute(context)

        submit.returncode = 1
        run(MoreMemory(task_id="nightly", application="/jobs/etl.py", conf={"spark.own": "1"}), ti)
        assert submit.conf == {"spark.own": "1", "spark.executor.memory": "8g"}
        assert len(loop.prepared) == 1

    def test_arguments_of_spark_submit_operator_go_through(self, submit: Any, loop: Any, ti: Any) -> None:
        run(operator(driver_memory="3g", name="nightly sales", application_args=["--day", "1"]), ti)
        assert submit.flag("--driver-memory") == "3g"
        assert submit.flag("--name") == "nightly sales"
        assert submit.command[-3:] == ["/jobs/etl.py", "--day", "1"]

    def test_returns_what_spark_submit_operator_returns(
        self, submit: Any, loop: Any, ti: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(SparkSubmitOperator, "execute", lambda self, context: "driver-7")
        assert run(operator(), ti) == "driver-7"


class TestJob:
    def test_names_the_try(self, submit: Any, loop: Any, ti: Any) -> None:
        ti.try_number = 3
        run(operator(), ti)
        assert loop.job.key == "sales/manual__2026-01-02/nightly/-1/3"
        assert loop.job.try_number == 3
        assert loop.job.cohort == "sales.nightly"

    @pytest.mark.parametrize(("try_number", "left"), [(1, 2), (2, 1), (3, 0), (4, 0)])
    def test_tells_how_many_tries_are_left(self, submit: Any, loop: Any, ti: Any, try_number: int, left: int) -> None:
        ti.try_number, ti.max_tries = try_number, 2
        run(operator(), ti)
        assert loop.job.tries_left == left

    def test_names_the_mapped_instance(self, submit: Any, loop: Any, ti: Any) -> None:
        ti.map_index = 4
        run(operator(), ti)
        assert loop.job.key == "sales/manual__2026-01-02/nightly/4/1"
        assert loop.job.cohort == "sales.nightly"

    def test_takes_cohort_mode_and_log_base_from_the_task(self, submit: Any, loop: Any, ti: Any) -> None:
        run(operator(cohort="sales by region", mode="suggest", event_log_base="s3a://logs"), ti)
        job = loop.job
        assert (job.cohort, job.mode, job.event_log_base) == ("sales by region", "suggest", "s3a://logs")

    def test_takes_mode_and_log_base_from_the_settings(
        self, submit: Any, loop: Any, ti: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("AIRFLOW__SPARK_TUNER__MODE", "observe")
        monkeypatch.setenv("AIRFLOW__SPARK_TUNER__EVENT_LOG_BASE", "hdfs:///logs")
        run(operator(), ti)
        assert (loop.job.mode, loop.job.event_log_base) == ("observe", "hdfs:///logs")

    def test_tells_as_whom_it_runs(self, submit: Any, loop: Any, ti: Any) -> None:
        run(operator(proxy_user="etl"), ti)
        assert loop.job.runs_as == "etl"

    def test_tells_as_whom_it_says_it_runs(self, submit: Any, loop: Any, ti: Any) -> None:
        run(operator(env_vars={"HADOOP_USER_NAME": "etl"}), ti)
        assert loop.job.runs_as == "etl"

    def test_log_base_defaults_to_airflow_home(
        self, submit: Any, loop: Any, ti: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.delenv("AIRFLOW__SPARK_TUNER__EVENT_LOG_BASE")
        monkeypatch.setenv("AIRFLOW_HOME", "/opt/airflow")
        run(operator(), ti)
        assert loop.job.event_log_base == "/opt/airflow/spark-tuner-events"

    def test_store_is_the_connections(self, submit: Any, loop: Any, ti: Any, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("AIRFLOW_CONN_TUNER", "postgres://me:secret@db:5433/history")
        run(operator(store_conn_id="tuner"), ti)
        ((_, url),) = loop.prepared
        assert url == "postgres://me:secret@db:5433/history"
        assert loop.completed[0][1] == url


class TestOutcome:
    def test_success_is_completed_and_told_of(self, submit: Any, loop: Any, ti: Any) -> None:
        run(operator(), ti)
        assert loop.outcomes == [False]
        assert ti.xcoms == {"spark_tuner": {"decision": "trial", "seconds": 1.5}}
        assert json.loads(json.dumps(ti.xcoms["spark_tuner"])) == ti.xcoms["spark_tuner"]

    def test_failure_is_completed_told_of_and_raised(self, submit: Any, loop: Any, ti: Any) -> None:
        submit.returncode = 1
        with pytest.raises(AirflowException, match="Error code is: 1"):
            run(operator(), ti)
        assert loop.outcomes == [True]
        assert "spark_tuner" in ti.xcoms

    def test_exception_of_the_job_is_the_very_one(
        self, submit: Any, loop: Any, ti: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        original = RuntimeError("lost the cluster")
        monkeypatch.setattr(SparkSubmitOperator, "execute", lambda self, context: _raise(original))
        loop.complete_error = ValueError("a bug of the tuner's")
        with pytest.raises(RuntimeError) as raised:
            run(operator(), ti)
        assert raised.value is original

    def test_no_xcom_where_the_task_wants_none(self, submit: Any, loop: Any, ti: Any) -> None:
        run(operator(do_xcom_push=False), ti)
        assert ti.xcoms == {}
        assert loop.outcomes == [False]


class TestLog:
    def test_says_what_was_decided_before_and_what_came_of_it_after(
        self, submit: Any, loop: Any, ti: Any, told_by: Callable[[Any], list[tuple[str, str]]]
    ) -> None:
        action = Action(ActionKind.SET_CONF, "spark.sql.shuffle.partitions", "8")
        loop.changes = (decided(action, Standing.TRIAL, reason="8 MB in 200 partitions"),) * 100
        op = operator()
        told = told_by(op)
        before: list[tuple[str, str]] = []
        submit.while_running = lambda: before.extend(told)
        run(op, ti)
        assert [text for level, text in before if level == "info"] == [
            "spark-tuner: sales.nightly: 8 partitions on trial",
            "spark-tuner: on trial: spark.sql.shuffle.partitions=8: 8 MB in 200 partitions (and 99 more)",
        ]
        assert [text for level, text in told[len(before) :] if level == "info"] == [
            "spark-tuner: measured",
            "spark-tuner: every change, with its evidence: "
            "/dags/sales/runs/manual__2026-01-02/tasks/nightly/plugin/spark-tuner-task-instance",
        ]
        assert sum(level == "debug" for level, _ in told) == 101

    def test_leads_nobody_to_an_empty_panel(
        self, submit: Any, loop: Any, ti: Any, told_by: Callable[[Any], list[tuple[str, str]]]
    ) -> None:
        op = operator()
        told = told_by(op)
        run(op, ti)
        assert [text for level, text in told if level == "info"] == [
            "spark-tuner: sales.nightly: 8 partitions on trial",
            "spark-tuner: measured",
        ]


class TestFailsOpen:
    def test_prepare_raises(self, submit: Any, loop: Any, ti: Any, warnings_of: Callable[[Any], list[str]]) -> None:
        loop.prepare_error = RuntimeError("no\nstore")
        op = operator(conf={"spark.executor.cores": "2"})
        warnings = warnings_of(op)
        run(op, ti)
        assert submit.conf == {"spark.executor.cores": "2"}
        assert loop.completed == []
        assert warnings == ["Spark tuner: could not steer this run (RuntimeError: no store). The job is not affected."]

    def test_complete_raises(self, submit: Any, loop: Any, ti: Any, warnings_of: Callable[[Any], list[str]]) -> None:
        loop.complete_error = RuntimeError("log is gone")
        op = operator()
        warnings = warnings_of(op)
        run(op, ti)
        assert len(warnings) == 1
        assert "could not harvest this run's event log (RuntimeError: log is gone)" in warnings[0]

    def test_what_cannot_be_told_is_carried_out_all_the_same(
        self,
        submit: Any,
        loop: Any,
        ti: Any,
        monkeypatch: pytest.MonkeyPatch,
        warnings_of: Callable[[Any], list[str]],
    ) -> None:
        monkeypatch.setattr("airflow_plugin.turn.turn_lines", lambda turn: _raise(ValueError("a bug")))
        op = operator()
        warnings = warnings_of(op)
        run(op, ti)
        assert submit.conf == {"spark.sql.shuffle.partitions": "8"}  # as it was recorded
        assert warnings == ["Spark tuner: could not tell of the decision (ValueError: a bug). The job is not affected."]
        assert loop.outcomes == [False]

    def test_timeout_while_harvesting_leaves_the_task_succeeded(self, submit: Any, loop: Any, ti: Any) -> None:
        loop.complete_error = AirflowTaskTimeout("Timeout")
        run(operator(), ti)
        assert loop.outcomes == [False]

    def test_timeout_while_deciding_is_the_tasks_own(self, submit: Any, loop: Any, ti: Any) -> None:
        loop.prepare_error = AirflowTaskTimeout("Timeout")
        with pytest.raises(AirflowTaskTimeout):
            run(operator(), ti)

    def test_core_cannot_be_imported(self, submit: Any, ti: Any, monkeypatch: pytest.MonkeyPatch) -> None:
        for module in ("airflow_plugin.turn", "tuner.loop.loop"):
            monkeypatch.setattr(module, None, raising=False)  # so that the next line can take it away
            monkeypatch.delattr(module)
        monkeypatch.delitem(sys.modules, "airflow_plugin.turn", raising=False)
        monkeypatch.setitem(sys.modules, "tuner.loop.loop", None)
        run(operator(conf={"spark.executor.cores": "2"}), ti)
        assert submit.conf == {"spark.executor.cores": "2"}

    def test_xcom_cannot_be_pushed(self, submit: Any, loop: Any, ti: Any, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(type(ti), "xcom_push", lambda *_, **__: _raise(OSError("API server is away")))
        run(operator(), ti)
        assert loop.outcomes == [False]

    def test_warning_holds_no_secret_that_an_error_quotes(
        self, submit: Any, loop: Any, ti: Any, warnings_of: Callable[[Any], list[str]]
    ) -> None:
        loop.prepare_error = ValueError("cannot read s3a://key:hunter2@bucket where token = 'hunter2'")
        op = operator()
        warnings = warnings_of(op)
        run(op, ti)
        assert "hunter2" not in warnings[0]
        assert "ValueError: cannot read s3a://bucket" in warnings[0]

    def test_nor_does_what_is_said_for_debugging(
        self, submit: Any, loop: Any, ti: Any, told_by: Callable[[Any], list[tuple[str, str]]]
    ) -> None:
        loop.prepare_error = ValueError("cannot read s3a://key:hunter2@bucket")
        op = operator()
        told = told_by(op)
        run(op, ti)
        (where,) = (text for level, text in told if level == "debug")
        assert "in prepare" in where and "hunter2" not in where

    def test_settings_are_wrong(
        self,
        submit: Any,
        loop: Any,
        ti: Any,
        monkeypatch: pytest.MonkeyPatch,
        warnings_of: Callable[[Any], list[str]],
    ) -> None:
        monkeypatch.setenv("AIRFLOW__SPARK_TUNER__MODE", "automatic")
        op = operator()
        warnings = warnings_of(op)
        run(op, ti)
        assert submit.conf == {}
        assert "'automatic' is not one; set it to one of observe, suggest, auto" in warnings[0]

    def test_store_connection_is_missing(
        self, submit: Any, loop: Any, ti: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def get_connection(cls: Any, conn_id: str) -> Any:
            raise AirflowException(f"The conn_id `{conn_id}` isn't defined")

        monkeypatch.setattr(
            "airflow.providers.apache.spark.hooks.spark_submit.SparkSubmitHook.get_connection",
            classmethod(get_connection),
        )
        run(operator(store_conn_id="nowhere"), ti)
        assert submit.conf == {}
        assert submit.command[-1] == "/jobs/etl.py"

    def test_a_command_for_the_stores_url_that_hangs_keeps_the_job_no_longer_than_it_may(
        self,
        submit: Any,
        loop: Any,
        ti: Any,
        monkeypatch: pytest.MonkeyPatch,
        warnings_of: Callable[[Any], list[str]],
    ) -> None:
        answers, text = Event(), settings._text

        def hangs(option: str) -> str:
            if option == "sql_alchemy_conn":
                answers.wait(30)
            return text(option)

        monkeypatch.delenv("SPARK_TUNER_DB")
        monkeypatch.setenv("AIRFLOW__SPARK_TUNER__MOST_SECONDS_BEFORE", "0.3")
        monkeypatch.setattr(settings, "_text", hangs)
        op = operator()
        warnings = warnings_of(op)
        began = monotonic()
        run(op, ti)
        answers.set()
        assert monotonic() - began < 10
        assert (submit.command[-1], loop.prepared) == ("/jobs/etl.py", [])
        (line,) = warnings
        assert (
            "what tells [spark_tuner] sql_alchemy_conn, a command or a secrets backend, did not answer in 0.3 s" in line
        )

    def test_disabled_it_is_spark_submit_operator(
        self, submit: Any, loop: Any, ti: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("AIRFLOW__SPARK_TUNER__ENABLED", "False")
        run(operator(), ti)
        tuned = submit.command
        SparkSubmitOperator(task_id="nightly", application="/jobs/etl.py").execute({"ti": ti})
        assert tuned == submit.command
        assert (loop.prepared, loop.completed, ti.xcoms) == ([], [], {})


class TestKill:
    def test_kill_reaches_spark_and_leaves_the_harvest_for_later(
        self, submit: Any, loop: Any, ti: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        killed: list[str] = []
        monkeypatch.setattr(
            "airflow.providers.apache.spark.hooks.spark_submit.SparkSubmitHook.on_kill",
            lambda hook: killed.append(hook._conf["spark.sql.shuffle.partitions"]),
        )
        op = operator()
        submit.while_running = op.on_kill
        submit.returncode = 143
        with pytest.raises(AirflowException, match="143"):
            run(op, ti)
        assert killed == ["8"]
        assert loop.completed == []

    def test_kill_while_deciding_submits_nothing(self, submit: Any, loop: Any, ti: Any) -> None:
        op = operator()
        loop.while_preparing = op.on_kill
        with pytest.raises(AirflowException, match="killed before its Spark job was submitted"):
            run(op, ti)
        assert submit.command == []

    def test_timeout_of_the_job_is_not_delayed_by_a_harvest(self, submit: Any, loop: Any, ti: Any) -> None:
        submit.while_running = lambda: _raise(AirflowTaskTimeout("Timeout"))
        with pytest.raises(AirflowTaskTimeout):
            run(operator(), ti)
        assert loop.completed == []


class TestClusterMode:
    @pytest.mark.usefixtures("cluster_mode")
    def test_only_an_event_log_base_that_was_given_counts_as_shared(
        self, submit: Any, loop: Any, ti: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        run(operator(**NOT_DURABLE), ti)
        monkeypatch.delenv("AIRFLOW__SPARK_TUNER__EVENT_LOG_BASE")
        run(operator(**NOT_DURABLE), ti)
        assert [job.base_is_shared for job, _ in loop.prepared] == [True, False]


class TestArguments:
    def test_what_tuned_says_of_it_holds(self, submit: Any, loop: Any, ti: Any) -> None:
        op = tuned(operator(mode="auto", objective="cost"), mode="observe", cohort="fleet")
        run(op, ti)
        assert (loop.job.mode, loop.job.cohort, loop.job.objective) == (Mode.OBSERVE, "fleet", Objective.COST)
        assert op.conf == {"spark.sql.shuffle.partitions": "8"}  # rendered, for people to see

    def test_neither_application_nor_sql(self) -> None:
        with pytest.raises(ValueError, match=r"nightly: give exactly one of application= and sql=, not neither"):
            SparkTunedOperator(task_id="nightly")

    def test_both_application_and_sql(self) -> None:
        with pytest.raises(ValueError, match=r"give exactly one of application= and sql=, not both"):
            operator(sql="SELECT 1")

    def test_arguments_of_an_application_with_sql(self) -> None:
        with pytest.raises(ValueError, match="application_args= and java_class= belong to application="):
            operator(application="", sql="SELECT 1", application_args=["1"])

    def test_unknown_mode(self) -> None:
        with pytest.raises(ValueError, match="mode='automatic' is unknown; give one of observe, suggest, auto"):
            operator(mode="automatic")

    def test_default_args_reach_the_new_arguments(self) -> None:
        op = SparkTunedOperator(task_id="nightly", default_args={"application": "/jobs/etl.py", "cohort": "fleet"})
        assert (op.application, op.cohort) == ("/jobs/etl.py", "fleet")

    @pytest.mark.parametrize("mode", ["poke", "reschedule"])
    def test_the_mode_of_sensors_in_default_args_is_not_meant(self, mode: str) -> None:
        with DAG("sales", default_args={"mode": mode, "poke_interval": 60}):
            assert SparkTunedOperator(task_id="nightly", application="/jobs/etl.py").mode is None


def _raise(error: BaseException) -> Any:
    raise error


@pytest.mark.parametrize(
    ("cohort", "taken"),
    [("  ", "{task}"), ("a\nb", "a b"), ("n\0\ud800", "n\ufffd\ufffd"), ("x" * 300, "x" * 237), ("etl", "etl")],
)
def test_what_is_no_cohorts_name_is_made_one(submit: Any, loop: Any, ti: Any, cohort: str, taken: str) -> None:
    op = SparkTunedOperator(task_id="nightly", application="/jobs/etl.py", cohort=cohort)
    op.execute({"ti": ti})  # type: ignore[typeddict-item]
    found = loop.job.cohort
    assert found.startswith(taken.format(task=f"{ti.dag_id}.{ti.task_id}"))
    assert len(found) <= 250
    assert submit.command, "the job ran"
