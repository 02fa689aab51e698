"""A retry that takes up the job an earlier try submitted (Airflow 3.3's ResumableJobMixin)."""

from __future__ import annotations

from collections.abc import Callable
from threading import Event, current_thread, main_thread
from time import sleep
from typing import Any

import pytest
from airflow.providers.apache.spark.hooks.spark_submit import SparkSubmitHook
from pydantic import JsonValue, TypeAdapter

from airflow_plugin import resume
from airflow_plugin.compat import AirflowException
from airflow_plugin.operator import SparkTunedOperator
from tuner.words.decisions import decision_summary

from .generations import RESUMES

pytestmark = [
    pytest.mark.usefixtures("cluster_mode"),
    pytest.mark.skipif(not RESUMES, reason="Airflow resumes jobs from 3.3 on"),
]


class TaskStateStore(dict[str, Any]):
    """Airflow's store of one task instance across its tries, as strict about JSON as Airflow's messages are."""

    def set(self, key: str, value: Any) -> None:
        self[key] = TypeAdapter(JsonValue).validate_python(value)

    def delete(self, key: str) -> None:
        self.pop(key, None)


class Yarn:
    """A resource manager that knows one application."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.state = "RUNNING"
        self.tracked: list[str] = []
        self.dies_while_tracked = False
        monkeypatch.setattr(SparkSubmitHook, "_validate_yarn_track_via_rm_api_config", lambda hook: None)
        monkeypatch.setattr(SparkSubmitHook, "query_yarn_application_status", lambda hook, app_id: self.state)
        monkeypatch.setattr(SparkSubmitHook, "_start_yarn_application_status_tracking", self.track)
        monkeypatch.setattr(
            SparkSubmitHook,
            "_process_spark_submit_log",
            lambda hook, lines: setattr(hook, "_yarn_application_id", "application_1"),
        )

    def track(self, app_id: str) -> None:
        self.tracked.append(app_id)
        if self.dies_while_tracked:
            raise KeyboardInterrupt("the worker is gone")


@pytest.fixture
def yarn(monkeypatch: pytest.MonkeyPatch) -> Yarn:
    return Yarn(monkeypatch)


def try_once(
    ti: Any, store: TaskStateStore, try_number: int, listen: Callable[[Any], list[Any]] = lambda _: [], **arguments: Any
) -> list[Any]:
    """Runs a try; what the tuner said in its log, if `listen` is given."""
    op = SparkTunedOperator(task_id="nightly", application="/jobs/etl.py", yarn_track_via_rm_api=True, **arguments)
    told = listen(op)
    ti.try_number = try_number
    op.execute({"ti": ti, "task_state_store": store})  # type: ignore[typeddict-item]
    return told


@pytest.fixture
def lost(yarn: Yarn, submit: Any, loop: Any, ti: Any) -> TaskStateStore:
    """What the first try left when its worker died while the job ran."""
    store = TaskStateStore()
    yarn.dies_while_tracked = True
    with pytest.raises(KeyboardInterrupt):
        try_once(ti, store, 1)
    assert submit.conf["spark.sql.shuffle.partitions"] == "8"
    assert loop.completed == []
    yarn.dies_while_tracked = False
    submit.command = []
    loop.prepared.clear()
    return store


def test_running_job_is_completed_as_the_try_that_submitted_it(
    lost: TaskStateStore, submit: Any, loop: Any, ti: Any, yarn: Yarn, told_by: Callable[[Any], list[tuple[str, str]]]
) -> None:
    told = try_once(ti, lost, 2, told_by)
    assert (submit.command, loop.prepared) == ([], [])
    assert told[0] == ("info", "spark-tuner: continues the job that try 1 submitted: 8 partitions on trial")
    ((turn, _, failed),) = loop.completed
    assert (turn.job.key, failed) == ("sales/manual__2026-01-02/nightly/-1/1", False)
    assert turn.conf == {"spark.sql.shuffle.partitions": "8"}
    assert turn.job.user_conf == {}  # it may hold secrets, and Airflow keeps the turn
    assert decision_summary(turn.decision) == "8 partitions on trial"
    assert "spark_tuner" in ti.xcoms


@pytest.mark.parametrize(
    ("base", "kept"), [("s3a://logs/tuner", "s3a://logs/tuner"), ("webhdfs://ann:hunter2@nn/tuner", "")]
)
def test_airflow_keeps_no_credentials_of_where_event_logs_go(
    submit: Any, loop: Any, ti: Any, yarn: Yarn, base: str, kept: str
) -> None:
    store = TaskStateStore()
    yarn.dies_while_tracked = True
    with pytest.raises(KeyboardInterrupt):
        try_once(ti, store, 1, event_log_base=base)
    assert store["spark_tuner_turn"]["job"]["event_log_base"] == kept
    assert "hunter2" not in str(store)


def test_finished_job_is_completed_too(lost: TaskStateStore, submit: Any, loop: Any, ti: Any, yarn: Yarn) -> None:
    yarn.state = "SUCCEEDED"
    try_once(ti, lost, 2)
    assert submit.command == []
    assert [turn.job.try_number for turn, _, _ in loop.completed] == [1]


def test_a_task_that_is_cleared_while_its_job_is_known_tells_nothing_again(
    lost: TaskStateStore, submit: Any, loop: Any, ti: Any, yarn: Yarn
) -> None:
    yarn.state = "SUCCEEDED"
    try_once(ti, lost, 2)
    ti.xcoms.clear()
    try_once(ti, lost, 3)
    assert submit.command == []
    assert (len(loop.completed), ti.xcoms) == (1, {})


def test_failed_job_is_submitted_anew(lost: TaskStateStore, submit: Any, loop: Any, ti: Any, yarn: Yarn) -> None:
    yarn.state = "FAILED"
    loop.conf = {"spark.sql.shuffle.partitions": "16"}
    try_once(ti, lost, 2)
    assert loop.job.try_number == 2
    assert submit.conf["spark.sql.shuffle.partitions"] == "16"
    assert [turn.job.try_number for turn, _, _ in loop.completed] == [2]
    assert "spark_tuner_turn" not in lost, "it was told of"


def test_job_of_a_try_without_the_tuner_runs_on(
    lost: TaskStateStore, submit: Any, loop: Any, ti: Any, yarn: Yarn
) -> None:
    del lost["spark_tuner_turn"]
    try_once(ti, lost, 2)
    assert (submit.command, loop.prepared, loop.completed) == ([], [], [])
    assert yarn.tracked == ["application_1", "application_1"]


def test_store_that_cannot_be_written_does_not_stop_the_job(yarn: Yarn, submit: Any, loop: Any, ti: Any) -> None:
    class Full(TaskStateStore):
        def set(self, key: str, value: Any) -> None:
            if key == "spark_tuner_turn":
                raise AirflowException("no room")

    try_once(ti, Full(), 1)
    assert submit.conf["spark.sql.shuffle.partitions"] == "8"
    assert [failed for _, _, failed in loop.completed] == [False]


def test_not_durable_every_try_is_its_own(yarn: Yarn, submit: Any, loop: Any, ti: Any) -> None:
    store = TaskStateStore(spark_job_id="application_0")
    try_once(ti, store, 2, durable=False)
    assert loop.job.try_number == 2
    assert "spark_tuner_turn" not in store


def test_a_cluster_that_does_not_answer_keeps_the_job_no_longer_than_it_may(
    lost: TaskStateStore,
    submit: Any,
    loop: Any,
    ti: Any,
    monkeypatch: pytest.MonkeyPatch,
    warnings_of: Callable[[Any], list[str]],
) -> None:
    answers, asked = Event(), list[str]()

    def hangs_once(hook: Any, app_id: str) -> str:
        asked.append(app_id)
        if len(asked) == 1:
            answers.wait(30)
        return "RUNNING"

    monkeypatch.setenv("AIRFLOW__SPARK_TUNER__MOST_SECONDS_BEFORE", "0.3")
    monkeypatch.setattr(SparkSubmitHook, "query_yarn_application_status", hangs_once)
    warned = try_once(ti, lost, 2, warnings_of)
    answers.set()
    assert warned == [
        "Spark tuner: could not steer this run (TimeoutError: no answer in 0.3 s). The job is not affected."
    ]
    assert (submit.command, len(asked)) == ([], 2), "the operator asks by itself, and goes on with the job"


def test_a_cluster_and_the_decision_are_waited_for_within_one_limit(
    lost: TaskStateStore, loop: Any, ti: Any, yarn: Yarn, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AIRFLOW__SPARK_TUNER__MOST_SECONDS_BEFORE", "2")
    monkeypatch.setattr(
        SparkSubmitHook, "query_yarn_application_status", lambda hook, app_id: (sleep(0.3), "FAILED")[1]
    )
    try_once(ti, lost, 2)
    assert 0 < loop.job.most_seconds.before_run() <= 2 - 0.3
    assert loop.job.most_seconds.after_run() == 60, "what is waited for after the job is another limit"


def test_airflow_is_asked_by_the_main_thread_alone() -> None:
    class Store(TaskStateStore):
        def get(self, key: str, default: Any = None) -> Any:
            assert current_thread() is main_thread()
            return super().get(key, default)

    class OnKubernetes:
        durable, external_id_key, _K8S_DRIVER_STATUS_KEY, _hook = True, "pod", "status", None

        def _get_hook(self) -> object:
            return object()

        def get_job_status(self, external_id: str, context: Any) -> str:
            assert current_thread() is not main_thread()
            return str(context["task_state_store"].get("status"))

        def is_job_active(self, status: str) -> bool:
            return False

        def is_job_succeeded(self, status: str) -> bool:
            return status == "Succeeded"

    context: Any = {"task_state_store": Store(pod="etl-driver", status="Succeeded")}
    assert resume.will_reconnect(OnKubernetes(), context, 60)


def test_a_job_that_goes_on_is_not_forgotten_with_a_try_that_is_killed(
    lost: TaskStateStore, submit: Any, loop: Any, ti: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    forgotten: list[Any] = []
    monkeypatch.setattr("airflow_plugin.turn.loop.forget", lambda *given: forgotten.append(given))
    recall = resume.recall
    op = SparkTunedOperator(task_id="nightly", application="/jobs/etl.py", yarn_track_via_rm_api=True)
    monkeypatch.setattr(resume, "recall", lambda *given: (setattr(op, "_tuner_killed", True), recall(*given))[1])
    ti.try_number = 2
    with pytest.raises(AirflowException, match="killed before"):
        op.execute({"ti": ti, "task_state_store": lost})  # type: ignore[typeddict-item]
    assert forgotten == []
