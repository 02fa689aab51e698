"""SparkTunedOperator with the loop itself: a store, event logs, runs that learn from each other. Only Spark is missing."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from airflow.providers.apache.spark.operators.spark_submit import SparkSubmitOperator

from airflow_plugin.compat import AirflowException, AirflowTaskTimeout
from airflow_plugin.operator import SparkTunedOperator
from airflow_plugin.tuned import tuned
from tuner.history.store import Store
from tuner.model.decision import Standing
from tuner.model.failure import FailureKind
from tuner.model.run import Origin, Run, RunState

from . import logging_spark
from .conftest import Submit, TaskInstance

THRESHOLD = "spark.sql.autoBroadcastJoinThreshold"
RESULTS = "spark.driver.maxResultSize"
spark_main = logging_spark.main


@pytest.fixture
def spark(monkeypatch: pytest.MonkeyPatch, submit: Submit) -> Submit:
    """A spark-submit that leaves an event log, in as many threads as ask for it."""

    def popen(command: list[str], **kwargs: Any) -> SimpleNamespace:
        submit.command = command
        submit.while_running()
        code = logging_spark.main(command[1:]) and (submit.returncode or 1)
        return SimpleNamespace(stdout=[], wait=lambda: code, poll=lambda: code)

    own = SimpleNamespace(Popen=popen, PIPE=-1, STDOUT=-2)
    monkeypatch.setattr("airflow.providers.apache.spark.hooks.spark_submit.subprocess", own)
    return submit


@pytest.fixture
def stored(tmp_path: Path) -> Callable[[], list[Run]]:
    def read() -> list[Run]:
        with Store.open(f"sqlite:///{tmp_path}/history.db") as store:
            return store.runs("sales.nightly")

    return read


def instance(run_id: str, map_index: int = -1, try_number: int = 1) -> TaskInstance:
    return TaskInstance(run_id=run_id, map_index=map_index, try_number=try_number)


def run(ti: TaskInstance, **arguments: Any) -> TaskInstance:
    op = SparkTunedOperator(
        **{"task_id": "nightly", "application": "/jobs/etl.py", "steering": "conf"} | arguments  # type: ignore[arg-type]
    )
    op.execute({"ti": ti})  # type: ignore[typeddict-item]
    return ti


def standings(run: Run) -> set[Standing]:
    return {d.standing for d in run.decision.changes}


def test_the_second_run_is_steered_and_the_third_has_it_proven(spark: Submit, stored: Callable[[], list[Run]]) -> None:
    first, second = run(instance("r1")), run(instance("r2"))
    assert THRESHOLD in spark.conf
    run(instance("r3"))
    assert [standings(r) for r in stored()] == [set(), {Standing.TRIAL}, {Standing.PROMOTED}]
    assert [r.origin for r in stored()] == [Origin("sales", f"r{n}", "nightly") for n in (1, 2, 3)]
    assert first.xcoms["spark_tuner"]["gained_seconds"] is None
    assert second.xcoms["spark_tuner"]["gained_seconds"] == pytest.approx(3.0, rel=0.01)


def test_the_retry_of_a_failed_trial_runs_without_it(spark: Submit, stored: Callable[[], list[Run]]) -> None:
    run(instance("r1"))
    with pytest.raises(Exception, match="Error code is: 1"):
        run(instance("r2"), application_args=["fail"])
    assert THRESHOLD in spark.conf
    run(instance("r2", try_number=2))
    assert THRESHOLD not in spark.conf
    assert [r.state for r in stored()] == [RunState.SUCCEEDED, RunState.FAILED, RunState.SUCCEEDED]


def test_a_try_that_is_killed_while_it_is_decided_is_no_failure_of_its_job(
    spark: Submit, stored: Callable[[], list[Run]], monkeypatch: pytest.MonkeyPatch
) -> None:
    op = SparkTunedOperator(task_id="nightly", application="/jobs/etl.py")
    monkeypatch.setattr("airflow_plugin.turn._tell", lambda *_: op.on_kill())
    with pytest.raises(AirflowException, match="killed before its Spark job was submitted"):
        op.execute({"ti": instance("r1")})  # type: ignore[typeddict-item]
    assert stored() == []


def test_a_try_that_times_out_before_it_submits_is_no_failure_of_its_job(
    spark: Submit, stored: Callable[[], list[Run]], monkeypatch: pytest.MonkeyPatch
) -> None:
    def timed_out(*_: object) -> None:
        raise AirflowTaskTimeout("Timeout")

    monkeypatch.setattr("airflow_plugin.turn._tell", timed_out)
    with pytest.raises(AirflowTaskTimeout):
        run(instance("r1"))
    assert (spark.command, stored()) == ([], [])


@pytest.mark.parametrize("of_its_own", [False, True], ids=["the operator", "a subclass that ends its job"])
def test_a_job_that_outlasts_its_task_has_failed_and_the_next_run_is_without_what_it_had(
    spark: Submit, stored: Callable[[], list[Run]], of_its_own: bool
) -> None:
    """Its driver gets SIGKILL: nothing ever ends the log, and an hourly job would have gone on with the change for two days."""

    class OwnWay(SparkSubmitOperator):
        def on_kill(self) -> None:
            SparkSubmitOperator.on_kill(self)

    def times_out() -> None:
        logging_spark.main([*spark.command[1:], "die"])
        raise AirflowTaskTimeout("Timeout")

    for number in (1, 2, 3):
        run(instance(f"r{number}"))
    cls: Any = OwnWay if of_its_own else SparkSubmitOperator
    op = tuned(cls(task_id="nightly", application="/jobs/etl.py"), steering="conf")
    spark.while_running = times_out
    with pytest.raises(AirflowTaskTimeout):
        op.execute({"ti": instance("r4")})
    assert THRESHOLD in spark.conf
    op.on_kill()
    *_, last = stored()
    assert (last.state, last.failure and last.failure.kind) == (RunState.FAILED, FailureKind.DRIVER_LOST)
    spark.while_running = lambda: None
    run(instance("r5"))
    assert THRESHOLD not in spark.conf


class TestHealed:
    """A job that dies for want of memory where Airflow has no try left for it."""

    @pytest.fixture(autouse=True)
    def allowed(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("AIRFLOW__SPARK_TUNER__HEAL_RETRIES", "True")

    def test_its_job_is_submitted_once_more_with_what_it_lacked(
        self, spark: Submit, stored: Callable[[], list[Run]]
    ) -> None:
        ti = run(instance("r1"), application_args=["results"], conf={"spark.driver.memory": "4g"})
        assert spark.conf[RESULTS] == "2048m"
        first, second = stored()
        assert [first.key, second.key] == ["sales/r1/nightly/-1/1", "sales/r1/nightly/-1/1-healed"]
        assert [first.state, second.state] == [RunState.FAILED, RunState.SUCCEEDED]
        assert ti.xcoms["spark_tuner"]["raised"][0]["value"] == "2048m"
        # The next night starts from what worked, in one submission.
        run(instance("r2"), application_args=["results"], conf={"spark.driver.memory": "4g"})
        assert [r.state for r in stored()[2:]] == [RunState.SUCCEEDED]

    def test_a_sql_job_is_submitted_as_its_author_wrote_it(
        self, spark: Submit, stored: Callable[[], list[Run]]
    ) -> None:
        op = SparkTunedOperator(task_id="nightly", sql="SELECT 1", conf={"spark.driver.memory": "4g"}, files="/own.ini")
        commands = []
        spark.while_running = lambda: commands.append(list(spark.command))
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(logging_spark, "main", lambda arguments: spark_main([*arguments, "results"]))
            op.execute({"ti": instance("r1")})  # type: ignore[typeddict-item]
        assert [r.state for r in stored()] == [RunState.FAILED, RunState.SUCCEEDED]
        first, second = commands
        assert [c[c.index("--files") + 1] for c in commands] == ["/own.ini"] * 2
        assert [word for word in second if word.endswith("run_sql.py")] == [
            w for w in first if w.endswith("run_sql.py")
        ]

    def test_a_job_that_has_all_it_may_have_fails_as_it_did(
        self, spark: Submit, stored: Callable[[], list[Run]]
    ) -> None:
        with pytest.raises(Exception, match="Error code is: 1"):
            # Its driver's heap of 1 GB is not raised beside others.
            run(instance("r1"), application_args=["results"], conf={"spark.driver.memory": "1g"})
        assert [r.state for r in stored()] == [RunState.FAILED]

    @pytest.mark.parametrize("how", ["fail", "results"])
    def test_nothing_is_submitted_for_other_failures_or_where_airflow_tries_again(
        self, spark: Submit, stored: Callable[[], list[Run]], how: str
    ) -> None:
        ti = instance("r1")
        ti.max_tries = int(how == "results")
        with pytest.raises(Exception, match="Error code is: 1"):
            run(ti, application_args=[how], conf={"spark.driver.memory": "4g"})
        assert [r.state for r in stored()] == [RunState.FAILED]

    def test_a_job_whose_driver_may_go_on_elsewhere_is_not_submitted_once_more(
        self,
        spark: Submit,
        stored: Callable[[], list[Run]],
        monkeypatch: pytest.MonkeyPatch,
        capfd: pytest.CaptureFixture[str],
    ) -> None:
        # Neither the task nor its connection says so.
        monkeypatch.setenv("DEPLOY_MODE", "cluster")
        whole = logging_spark._events
        monkeypatch.setattr(logging_spark, "_events", lambda *args, **kwargs: whole(*args, **kwargs)[:-1])
        with pytest.raises(Exception, match="Error code is: 1"):
            run(instance("r1"), application_args=["results"], conf={"spark.driver.memory": "4g"})
        assert [r.state for r in stored()] == [RunState.FAILED]
        assert "not submitted once more" in capfd.readouterr().out

    def test_it_is_off_by_default(
        self, spark: Submit, stored: Callable[[], list[Run]], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.delenv("AIRFLOW__SPARK_TUNER__HEAL_RETRIES")
        with pytest.raises(Exception, match="Error code is: 1"):
            run(instance("r1"), application_args=["results"], conf={"spark.driver.memory": "4g"})
        assert [r.state for r in stored()] == [RunState.FAILED]


class TestMapped:
    def test_instances_are_runs_of_one_cohort_with_keys_of_their_own(
        self, spark: Submit, stored: Callable[[], list[Run]]
    ) -> None:
        for index in (0, 1):
            run(instance("r1", index))
        assert [r.key for r in stored()] == ["sales/r1/nightly/0/1", "sales/r1/nightly/1/1"]
        assert len({r.event_log_dir for r in stored()}) == 2
        assert [standings(r) for r in stored()] == [set(), {Standing.TRIAL}]

    def test_instances_that_run_at_once_share_a_store(self, spark: Submit, stored: Callable[[], list[Run]]) -> None:
        together = threading.Barrier(4)
        spark.while_running = lambda: together.wait(60)
        for run_id in ("r1", "r2"):
            instances = [instance(run_id, index) for index in range(4)]
            threads = [threading.Thread(target=run, args=(ti,)) for ti in instances]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join(120)
            assert [ti.xcoms["spark_tuner"]["problems"] for ti in instances] == [[]] * 4
        found = stored()
        assert {r.key for r in found} == {f"sales/{r}/nightly/{n}/1" for r in ("r1", "r2") for n in range(4)}
        assert {r.state for r in found} == {RunState.SUCCEEDED}
        trials = [r for r in found if Standing.TRIAL in standings(r)]
        assert trials and {r.key.split("/")[1] for r in trials} == {"r2"}


class TestKilled:
    def test_a_run_that_was_killed_is_harvested_at_the_next_decision(
        self, spark: Submit, stored: Callable[[], list[Run]], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("airflow.providers.apache.spark.hooks.spark_submit.SparkSubmitHook.on_kill", lambda _: None)
        op = SparkTunedOperator(task_id="nightly", application="/jobs/etl.py", steering="conf")
        spark.while_running = op.on_kill
        op.execute({"ti": instance("r1")})  # type: ignore[typeddict-item]
        assert [(r.state, r.outcome) for r in stored()] == [(RunState.RUNNING, None)]
        spark.while_running = lambda: None
        run(instance("r2"))
        first, second = stored()
        assert first.state is RunState.SUCCEEDED and first.outcome is not None
        assert standings(second) == {Standing.TRIAL}

    def test_a_try_that_was_killed_is_negative_evidence_to_its_retry(
        self, spark: Submit, stored: Callable[[], list[Run]], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        run(instance("r1"))
        monkeypatch.setattr("airflow.providers.apache.spark.hooks.spark_submit.SparkSubmitHook.on_kill", lambda _: None)
        op = SparkTunedOperator(
            task_id="nightly", application="/jobs/etl.py", application_args=["die"], steering="conf"
        )
        spark.while_running = op.on_kill
        with pytest.raises(Exception, match="Error code is: 1"):
            op.execute({"ti": instance("r2")})  # type: ignore[typeddict-item]
        assert THRESHOLD in spark.conf
        spark.while_running = lambda: None
        run(instance("r2", try_number=2))
        assert THRESHOLD not in spark.conf
        assert [r.state for r in stored()] == [RunState.SUCCEEDED, RunState.FAILED, RunState.SUCCEEDED]

    @pytest.mark.parametrize("log", ["none", "unfinished", "whole"])
    def test_an_operator_that_was_killed_with_sigkill_is_followed_by_a_try_without_changes(
        self, spark: Submit, stored: Callable[[], list[Run]], log: str
    ) -> None:
        """Whatever its job came to meanwhile: Airflow counts the try as failed."""
        run(instance("r1"))
        assert _killed(spark, instance("r2"), log) == -signal.SIGKILL
        (killed,) = stored()[1:]
        assert (killed.state, standings(killed)) == (RunState.RUNNING, {Standing.TRIAL})
        retry = run(instance("r2", try_number=2))
        assert THRESHOLD not in spark.conf
        assert retry.xcoms["spark_tuner"]["problems"] == []
        _, killed, last = stored()
        assert (killed.state, killed.outcome is not None) == (RunState.FAILED, log != "none")
        assert last.state is RunState.SUCCEEDED

    def test_a_trial_whose_operator_was_killed_twice_is_out(
        self, spark: Submit, stored: Callable[[], list[Run]]
    ) -> None:
        """Once says nothing: workers are killed for many reasons."""
        run(instance("r1"))
        for name in ("r2", "r3"):
            _killed(spark, instance(name), "whole")
            assert standings(stored()[-1]) == {Standing.TRIAL}
            retry = run(instance(name, try_number=2))
            assert THRESHOLD not in spark.conf
            assert retry.xcoms["spark_tuner"]["judged"] == []
        after = run(instance("r4"))
        assert standings(stored()[-1]) == {Standing.ROLLED_BACK}
        assert THRESHOLD not in spark.conf
        assert after.xcoms["spark_tuner"]["judged"] == []


def _killed(spark: Submit, ti: TaskInstance, log: str) -> int:
    """The exit code of a process in which the operator runs until SIGKILL ends it while its job runs."""

    def while_running() -> None:
        if log != "none":
            logging_spark.main([*spark.command[1:], *(["die"] if log == "unfinished" else [])])
        os.kill(os.getpid(), signal.SIGKILL)

    child = os.fork()
    if child == 0:
        try:
            spark.while_running = while_running
            run(ti)
        finally:
            os._exit(1)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def test_the_exit_code_of_spark_submit_tells_why_a_run_failed(spark: Submit, stored: Callable[[], list[Run]]) -> None:
    run(instance("r1"))
    spark.returncode = 143
    with pytest.raises(Exception, match="Error code is: 143"):
        run(instance("r2"), application_args=["die"])
    failure = stored()[-1].failure
    assert failure is not None
    assert failure.words == "killed by SIGTERM"
