"""SparkSubmitOperator tasks that are tuned because `[spark_tuner] enrol` names them."""

from __future__ import annotations

import copy
import json
import logging
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from importlib import import_module
from importlib.metadata import entry_points
from pathlib import Path
from pkgutil import iter_modules
from typing import Any

import pytest
from airflow.providers.apache.spark import operators
from airflow.providers.apache.spark.hooks.spark_submit import SparkSubmitHook
from airflow.providers.apache.spark.operators.spark_jdbc import SparkJDBCOperator
from airflow.providers.apache.spark.operators.spark_submit import SparkSubmitOperator
from airflow.sdk import DAG, BaseOperator

from airflow_plugin import enrol, steered_class
from airflow_plugin.compat import AirflowException
from airflow_plugin.engines.registry import engine_name
from airflow_plugin.enrol import is_enrolled, task_policy
from airflow_plugin.links import SparkTunerLink
from airflow_plugin.operator import SparkTunedOperator, SteeredSubmitOperator
from airflow_plugin.tuned import tuned
from tuner.history.store import Store

from .fake_spark_submit import install

try:
    from airflow.serialization.serialized_objects import DagSerialization
except ImportError:  # Airflow 3.1
    from airflow.serialization.serialized_objects import SerializedDAG as DagSerialization

DAG_FILE = """
from airflow.providers.apache.spark.operators.spark_jdbc import SparkJDBCOperator
from airflow.providers.apache.spark.operators.spark_submit import SparkSubmitOperator
from airflow.sdk import DAG


class House(SparkSubmitOperator):
    def execute(self, context):
        self._get_hook().submit(self.application)


with DAG("sales", schedule=None):
    load = SparkSubmitOperator(task_id="load", application="/jobs/load.py", conf={"spark.executor.cores": "2"})
    regions = SparkSubmitOperator.partial(task_id="regions").expand(application=["/jobs/eu.py", "/jobs/us.py"])
    load >> regions >> SparkSubmitOperator(task_id="archive", application="/jobs/archive.py")
    table = SparkJDBCOperator(task_id="table", spark_conn_id="spark_default", cmd_type="spark_to_jdbc", jdbc_table="t",
        metastore_table="m", jdbc_driver="org.example.Driver")
    table >> House(task_id="house", application="/jobs/house.py")
"""


class Regions(SparkSubmitOperator):
    """A subclass as users write them: its own attributes and submissions, and names that the tuner has too."""

    def __init__(self, *, mode: str, regions: tuple[str, ...] = ("eu",), **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.mode = mode
        self.regions = regions
        self.sql = "INSERT OVERWRITE sales"
        self.after: list[dict[str, Any] | None] = []

    def execute(self, context: Any) -> None:
        for region in self.regions:
            self._hook = None
            self.conf = {"spark.house.region": region}
            super().execute(context)
            self.after.append(self.conf)


class OwnWay(SparkSubmitOperator):
    """A subclass that submits past SparkSubmitOperator.execute."""

    def execute(self, context: Any) -> None:
        self._get_hook().submit(self.application)


class Idle(SparkSubmitOperator):
    """A subclass that has nothing to do on some nights."""

    def execute(self, context: Any) -> None:
        if self.application == "/jobs/etl.py":
            return
        super().execute(context)


class OwnHook(SparkSubmitOperator):
    """A subclass that makes its hook itself, before it submits."""

    def execute(self, context: Any) -> None:
        self._hook = SparkSubmitHook(conn_id="spark_default", conf={"spark.house.hook": "own"})
        super().execute(context)


class OwnKill(SparkSubmitOperator):
    """A subclass that stops its job in its own way."""

    def on_kill(self) -> None:
        pass


class SubmitsAgain(SparkSubmitOperator):
    """A subclass that stops what is left of its job, and submits it once more."""

    def execute(self, context: Any) -> None:
        super().execute(context)
        self.on_kill()
        super().execute(context)


class Named(SparkSubmitOperator):
    """A subclass that changes what is submitted and nothing else."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**{"application": "/jobs/house.py", **kwargs})


@pytest.fixture
def enrolled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AIRFLOW__SPARK_TUNER__ENROL", "sales.*")


def a_task(cls: type[SparkSubmitOperator] = SparkSubmitOperator, dag_id: str = "sales", **arguments: Any) -> Any:
    with DAG(dag_id, schedule=None):
        task = cls(**{"task_id": "nightly", "application": "/jobs/etl.py"} | arguments)
    task_policy(task)
    return task


class TestPatterns:
    @pytest.mark.parametrize(
        ("enrol", "expected"),
        [
            ("sales.nightly", True),
            ("sales.night*", True),
            ("sales", True),
            ("sal*", True),
            ("*.nightly", True),
            ("*", True),
            ("billing, sales.nightly", True),
            ("billing.*\n  sales.nightly\n", True),
            ("", False),
            (" ,", False),
            ("nightly", False),
            ("sale", False),
            ("Sales", False),
            ("sales.hourly", False),
        ],
    )
    def test_of_dag_and_task(self, enrol: str, expected: bool) -> None:
        assert is_enrolled("sales", "nightly", enrol) is expected

    def test_of_a_task_in_a_group(self) -> None:
        assert is_enrolled("sales", "eu.nightly", "sales.eu.*")

    @pytest.mark.parametrize("but", ["sales", "sales.nightly", "*.night*"])
    def test_exceptions_win(self, but: str) -> None:
        assert not is_enrolled("sales", "nightly", "*", but)
        assert is_enrolled("billing", "hourly", "*", but)


class TestOff:
    def test_by_default(self) -> None:
        assert type(a_task()) is SparkSubmitOperator

    def test_for_tasks_that_no_pattern_names(self, enrolled: None) -> None:
        assert type(a_task(dag_id="billing")) is SparkSubmitOperator

    def test_for_exceptions(self, enrolled: None, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("AIRFLOW__SPARK_TUNER__ENROL_EXCEPT", "*.nightly")
        assert type(a_task()) is SparkSubmitOperator

    def test_for_operators_that_are_no_spark_submit(self, enrolled: None) -> None:
        with DAG("sales", schedule=None):
            task = BaseOperator(task_id="nightly")
        task_policy(task)
        assert type(task) is BaseOperator

    def test_for_operators_that_are_tuned_already(self, enrolled: None) -> None:
        task = a_task(SparkTunedOperator, mode="observe")
        assert type(task) is SparkTunedOperator


@pytest.mark.usefixtures("enrolled")
class TestOn:
    def test_job_is_steered_as_sparktunedoperator_does(self, submit: Any, loop: Any, ti: Any) -> None:
        task = a_task(conf={"spark.executor.cores": "2"})
        task.execute({"ti": ti})
        assert submit.conf == {"spark.executor.cores": "2", "spark.sql.shuffle.partitions": "8"}
        assert loop.job.cohort == "sales.nightly"
        assert loop.outcomes == [False]
        assert ti.xcoms["spark_tuner"]["decision"] == "trial"

    def test_rendered_template_shows_the_tuned_conf(self, submit: Any, loop: Any, ti: Any) -> None:
        for task in (a_task(), a_task(Named)):
            task.execute({"ti": ti})
            assert task.overwrite_rtif_after_execution
            assert task.conf == {"spark.sql.shuffle.partitions": "8"}

    def test_turned_off_it_is_the_plain_job(
        self, submit: Any, loop: Any, ti: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("AIRFLOW__SPARK_TUNER__ENABLED", "False")
        a_task().execute({"ti": ti})
        assert (submit.conf, loop.prepared) == ({}, [])

    @pytest.mark.parametrize("cls", [SparkSubmitOperator, Named])
    def test_airflow_sees_the_same_type(self, cls: type[SparkSubmitOperator]) -> None:
        task = a_task(cls)
        assert isinstance(task, cls) and isinstance(task, SteeredSubmitOperator)
        assert (task.task_type, task.operator_name) == (cls.__name__, cls.__name__)
        assert (type(task).__module__, type(task).__doc__) == (cls.__module__, cls.__doc__)
        assert tuple(task.template_fields) == tuple(cls.template_fields)

    def test_serialized_as_without_the_tuner(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def serialized() -> dict[str, Any]:
            (task,) = DagSerialization.to_dict(a_task().dag)["dag"]["tasks"]
            return {name: value for name, value in task["__var"].items() if name != "_operator_extra_links"}

        enrolled = serialized()
        monkeypatch.delenv("AIRFLOW__SPARK_TUNER__ENROL")
        assert enrolled == serialized()

    def test_copies_stay_enrolled(self) -> None:
        task = a_task()
        for other in (copy.deepcopy(task), copy.copy(task), task.prepare_for_execution()):
            assert isinstance(other, SteeredSubmitOperator)
            assert other.application == "/jobs/etl.py"

    def test_kill_reaches_spark_and_leaves_the_harvest_for_later(
        self, submit: Any, loop: Any, ti: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        killed: list[Any] = []
        monkeypatch.setattr(SparkSubmitHook, "on_kill", lambda hook: killed.append(hook))
        task = a_task()
        submit.while_running = task.on_kill
        task.execute({"ti": ti})
        assert (len(killed), loop.completed) == (1, [])

    def test_mapped_task_makes_enrolled_ones(self, submit: Any, loop: Any, ti: Any) -> None:
        with DAG("sales", schedule=None):
            mapped = SparkSubmitOperator.partial(task_id="nightly").expand(application=["/1.py", "/2.py"])
        task_policy(mapped)
        assert (mapped.task_type, mapped.operator_name) == ("SparkSubmitOperator", "SparkSubmitOperator")
        task = mapped.unmap({"application": "/2.py"})
        task.execute({"ti": ti})
        assert submit.command[-1] == "/2.py"
        assert submit.conf == {"spark.sql.shuffle.partitions": "8"}

    def test_what_is_still_to_be_expanded_can_be_tuned(self, submit: Any, loop: Any, ti: Any) -> None:
        with DAG("inventory", schedule=None):
            mapped = tuned(SparkSubmitOperator.partial(task_id="nightly"), cohort="x").expand(application=["/1.py"])
        assert any(isinstance(link, SparkTunerLink) for link in mapped.operator_extra_links)
        mapped.unmap({"application": "/1.py"}).execute({"ti": ti})
        assert loop.job.cohort == "x"

    def test_task_seen_twice_is_enrolled_once(self) -> None:
        task = a_task()
        cls = type(task)
        task_policy(task)
        assert type(task) is cls


@pytest.mark.usefixtures("enrolled")
class TestSubclassWithAnExecuteOfItsOwn:
    def test_runs_first_and_its_submission_is_steered(self, submit: Any, loop: Any, ti: Any) -> None:
        a_task(Regions, mode="overwrite").execute({"ti": ti})
        assert submit.conf == {"spark.house.region": "eu", "spark.sql.shuffle.partitions": "8"}
        assert submit.command[-1] == "/jobs/etl.py"
        assert loop.job.user_conf["spark.house.region"] == "eu"

    def test_its_attributes_are_not_taken_for_the_tuners(self, submit: Any, loop: Any, ti: Any) -> None:
        a_task(Regions, mode="overwrite").execute({"ti": ti})
        assert (loop.job.mode, loop.job.statements) == ("auto", ())

    def test_killed_in_its_own_way_while_it_is_decided_it_submits_nothing(
        self, submit: Any, loop: Any, ti: Any
    ) -> None:
        task = a_task(OwnKill)
        loop.while_preparing = task.on_kill
        with pytest.raises(AirflowException, match="killed before its Spark job was submitted"):
            task.execute({"ti": ti})
        assert submit.command == []

    def test_may_stop_what_is_left_of_a_job_and_submit_once_more(self, submit: Any, loop: Any, ti: Any) -> None:
        task = a_task(SubmitsAgain)
        task.execute({"ti": ti})
        assert submit.command[-1] == "/jobs/etl.py"
        assert len(loop.prepared) == 1

    def test_finds_its_fields_as_it_left_them(self, submit: Any, loop: Any, ti: Any) -> None:
        task = a_task(Regions, mode="overwrite")
        task.execute({"ti": ti})
        assert task.after == [{"spark.house.region": "eu"}]
        assert not task.overwrite_rtif_after_execution

    def test_only_its_first_submission_of_a_try_is_steered(self, submit: Any, loop: Any, ti: Any) -> None:
        task = a_task(Regions, mode="overwrite", regions=("eu", "us"))
        task.execute({"ti": ti})
        assert submit.conf == {"spark.house.region": "us"}
        assert len(loop.prepared) == len(loop.completed) == 1
        ti.try_number = 2
        task.execute({"ti": ti})
        assert [job.try_number for job, _ in loop.prepared] == [1, 2]


@pytest.mark.usefixtures("enrolled")
class TestWhatCannotBeTuned:
    def test_nothing_of_the_provider_that_passes_by_submit(self) -> None:
        """A later provider may bring more of them."""
        own = {
            cls
            for module in iter_modules(operators.__path__, operators.__name__ + ".")
            for cls in vars(import_module(module.name)).values()
            if isinstance(cls, type) and issubclass(cls, SparkSubmitOperator) and cls is not SparkSubmitOperator
        }
        assert {cls: engine_name(cls) for cls in own} == {SparkJDBCOperator: "spark_jdbc"}

    def test_of_the_users_is_said_in_the_tasks_log_when_it_has_run(
        self, submit: Any, loop: Any, ti: Any, warnings_of: Callable[[Any], list[str]]
    ) -> None:
        task = a_task(OwnWay)
        warnings = warnings_of(task)
        task.execute({"ti": ti})
        assert (submit.conf, loop.prepared) == ({}, [])
        (line,) = warnings
        assert line.startswith("Spark tuner: this run was not tuned: OwnWay.execute() ended without a call of super()")

    def test_one_that_had_nothing_to_submit_is_told_nothing(
        self, submit: Any, loop: Any, ti: Any, warnings_of: Callable[[Any], list[str]]
    ) -> None:
        task = a_task(Idle)
        warnings = warnings_of(task)
        task.execute({"ti": ti})
        assert (submit.command, loop.prepared, warnings) == ([], [], [])

    def test_a_hook_that_was_made_before_is_left_as_it_is(
        self, submit: Any, loop: Any, ti: Any, told_by: Callable[[Any], list[tuple[str, str]]]
    ) -> None:
        task = a_task(OwnHook)
        told = told_by(task)
        task.execute({"ti": ti, "task_state_store": {"spark_job_id": "driver-1"}})
        assert (submit.conf, loop.prepared) == ({"spark.house.hook": "own"}, [])
        assert told == [
            (
                "info",
                "spark-tuner: this task is left as it is: its hook was made before, and has properties of its own",
            )
        ]

    def test_nothing_is_said_of_what_was_tuned_or_turned_off(
        self,
        submit: Any,
        loop: Any,
        ti: Any,
        warnings_of: Callable[[Any], list[str]],
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        tuned = a_task(Regions, mode="overwrite")
        warnings = warnings_of(tuned)
        tuned.execute({"ti": ti})
        monkeypatch.setenv("AIRFLOW__SPARK_TUNER__ENABLED", "False")
        off = a_task(OwnWay)
        warnings += warnings_of(off)
        off.execute({"ti": ti})
        assert warnings == []


@pytest.mark.usefixtures("enrolled")
class TestFailsOpen:
    def test_task_that_cannot_be_enrolled_is_left_as_it_is(
        self, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
    ) -> None:
        def broken(cls: Any, arguments: Any) -> Any:
            raise TypeError("no such base")

        monkeypatch.setattr(steered_class, "steered_class", broken)
        with caplog.at_level(logging.WARNING, "airflow_plugin.enrol"):
            assert type(a_task()) is SparkSubmitOperator
        (line,) = (record.getMessage() for record in caplog.records if record.name == "airflow_plugin.enrol")
        assert line == (
            "Spark tuner: could not enrol task nightly (DAG sales) (TypeError: no such base). The job is not affected."
        )

    def test_thing_that_is_no_task(self) -> None:
        task_policy(object())


def test_airflow_finds_the_policy() -> None:
    from airflow import settings

    (entry_point,) = (
        entry for entry in entry_points(group="airflow.policy") if entry.value.startswith("airflow_plugin.")
    )
    assert entry_point.load() is enrol
    generation_3_2 = hasattr(settings, "get_policy_plugin_manager")
    manager = settings.get_policy_plugin_manager() if generation_3_2 else settings.POLICY_PLUGIN_MANAGER
    assert manager.has_plugin(entry_point.name)


@pytest.mark.airflow
def test_runs_of_a_dag_that_knows_nothing_of_it(tmp_path: Path) -> None:
    dags = tmp_path / "dags"
    dags.mkdir()
    (dags / "sales.py").write_text(DAG_FILE)
    notes = install(tmp_path)
    store_url = f"sqlite:///{tmp_path}/history.db"
    environ = {name: value for name, value in os.environ.items() if name != "SPARK_HOME"} | {
        "PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}",
        "FAKE_SPARK_SUBMIT_NOTES": str(notes),
        "AIRFLOW_HOME": str(tmp_path / "airflow"),
        "AIRFLOW__CORE__DAGS_FOLDER": str(dags),
        "AIRFLOW__CORE__LOAD_EXAMPLES": "False",
        "AIRFLOW__SPARK_TUNER__ENROL": "sales",
        "AIRFLOW__SPARK_TUNER__ENROL_EXCEPT": "sales.archive",
        "SPARK_TUNER_DB": store_url,
    }
    done = subprocess.run(
        [sys.executable, "-m", "airflow_plugin.dag_runs", "sales"],
        input="2026-01-01\n2026-01-02\n",
        capture_output=True,
        text=True,
        timeout=300,
        env=environ,
    )
    assert done.stdout.split() == ["ready", "success", "success"], done.stderr[-3000:]
    submitted = [json.loads(line) for line in notes.read_text().splitlines()]
    assert Counter((Path(job["command"][-1]).stem, "spark.tuner.key" in job["conf"]) for job in submitted) == {
        ("org.example", True): 2,
        ("house", False): 2,
        ("load", True): 2,
        ("eu", True): 2,
        ("us", True): 2,
        ("archive", False): 2,
    }
    assert done.stderr.count("this run was not tuned: House.execute()") == 2
    with Store.open(store_url) as store:
        assert {cohort.cohort: cohort.runs for cohort in store.cohorts()} == {
            "sales.load": 2,
            "sales.table": 2,
            "sales.regions": 4,
        }
