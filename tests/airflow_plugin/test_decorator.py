"""`@task.spark_tuned`: what a function returns is what Spark runs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from airflow.sdk import DAG, task

from airflow_plugin.decorator import _ARGUMENTS, SparkTunedDecoratedOperator, spark_tuned_task
from airflow_plugin.operator import SparkTunedOperator
from airflow_plugin.provider_info import get_provider_info


def decorated(function: Any, *op_args: Any, op_kwargs: Any = None, **arguments: Any) -> SparkTunedDecoratedOperator:
    """The operator of `@task.spark_tuned(**arguments)` over a function that is called with the others."""
    with DAG("sales", schedule=None):
        xcom = task.spark_tuned(**{"task_id": "nightly", **arguments})(function)(*op_args, **(op_kwargs or {}))
    found: SparkTunedDecoratedOperator = xcom.operator
    return found


def run(op: SparkTunedDecoratedOperator, ti: Any, **context: Any) -> SparkTunedDecoratedOperator:
    op.execute({"ti": ti, **context})  # type: ignore[typeddict-item]
    return op


class TestSql:
    def test_text_is_run_as_its_statements(self, submit: Any, loop: Any, ti: Any) -> None:
        op = run(decorated(lambda: "INSERT INTO a SELECT 1; INSERT INTO b SELECT 2"), ti)
        assert submit.statements == ["INSERT INTO a SELECT 1", "INSERT INTO b SELECT 2"]
        assert loop.job.statements == ("INSERT INTO a SELECT 1", "INSERT INTO b SELECT 2")
        assert op.sql == "INSERT INTO a SELECT 1; INSERT INTO b SELECT 2"

    def test_statements_may_come_one_by_one(self, submit: Any, loop: Any, ti: Any) -> None:
        run(decorated(lambda: ["SELECT 1 -- the first", "SELECT 2;"]), ti)
        assert [s.split()[1] for s in submit.statements] == ["1", "2"]

    def test_a_file_is_read_from_the_template_search_path(
        self, submit: Any, loop: Any, ti: Any, tmp_path: Path
    ) -> None:
        file = tmp_path / "sales.sql"
        file.write_text("SELECT '{{ ds }}'")
        run(decorated(lambda: str(file)), ti, ds="2026-01-02")
        assert submit.statements == ["SELECT '2026-01-02'"]

    def test_what_is_returned_is_templated(self, submit: Any, loop: Any, ti: Any) -> None:
        run(decorated(lambda: "SELECT '{{ ds }}'"), ti, ds="2026-01-02")
        assert submit.statements == ["SELECT '2026-01-02'"]


class TestArguments:
    def test_of_the_operator_may_be_returned(self, submit: Any, loop: Any, ti: Any) -> None:
        def nightly() -> dict[str, Any]:
            return {
                "application": "/jobs/etl.jar",
                "java_class": "org.example.Etl",
                "application_args": ["--day", "{{ ds }}"],
                "driver_memory": "3g",
                "conf": {"spark.executor.cores": 4},
            }

        run(decorated(nightly, conf={"spark.executor.cores": 2, "spark.ui.enabled": "false"}), ti, ds="2026-01-02")
        assert submit.command[-3:] == ["/jobs/etl.jar", "--day", "2026-01-02"]
        assert (submit.flag("--class"), submit.flag("--driver-memory")) == ("org.example.Etl", "3g")
        assert submit.conf == {
            "spark.executor.cores": "4",
            "spark.ui.enabled": "false",
            "spark.sql.shuffle.partitions": "8",
        }
        assert loop.job.user_conf["spark.driver.memory"] == "3g"

    def test_an_application_of_the_decorators_gets_its_arguments_from_the_function(
        self, submit: Any, loop: Any, ti: Any
    ) -> None:
        run(decorated(lambda: {"application_args": ["1"]}, application="/jobs/etl.py"), ti)
        assert submit.command[-2:] == ["/jobs/etl.py", "1"]

    def test_of_the_decorator_are_the_operators(self, submit: Any, loop: Any, ti: Any) -> None:
        run(decorated(lambda: "SELECT 1", cohort="fleet", mode="observe", conn_id="spark_default", name="sales"), ti)
        assert (loop.job.cohort, loop.job.mode) == ("fleet", "observe")
        assert submit.flag("--name") == "sales"

    @pytest.mark.parametrize(
        ("name", "value"), [("mode", "observe"), ("cohort", "fleet"), ("event_log_base", "s3a://logs")]
    )
    def test_of_the_tuner_may_be_returned(self, submit: Any, loop: Any, ti: Any, name: str, value: str) -> None:
        run(decorated(lambda: {"sql": "SELECT 1", name: value}), ti)
        assert getattr(loop.job, name) == value

    def test_every_one_of_them_is_a_field_of_the_operator(self) -> None:
        op = SparkTunedOperator(task_id="nightly", application="/jobs/etl.py")
        assert {"application", "sql", "conf", "java_class", "driver_memory", "cohort"} <= _ARGUMENTS
        assert [name for name in _ARGUMENTS if not hasattr(op, name) and not hasattr(op, f"_{name}")] == []


class TestFunction:
    def test_gets_what_it_is_called_with_and_the_context_it_asks_for(self, submit: Any, loop: Any, ti: Any) -> None:
        def nightly(region: str, table: str, ds: str | None = None) -> str:
            return f"SELECT '{region}', '{ds}' FROM {table}"

        run(decorated(nightly, "north", op_kwargs={"table": "sales"}), ti, ds="2026-01-02", run_id="r")
        assert submit.statements == ["SELECT 'north', '2026-01-02' FROM sales"]

    def test_may_take_the_whole_context(self, submit: Any, loop: Any, ti: Any) -> None:
        def nightly(**context: Any) -> str:
            return f"SELECT '{context['run_id']}'"

        run(decorated(nightly), ti, run_id="manual__1")
        assert submit.statements == ["SELECT 'manual__1'"]

    def test_errors_of_it_are_the_tasks_own(self, submit: Any, loop: Any, ti: Any) -> None:
        def nightly() -> str:
            raise LookupError("no such region")

        with pytest.raises(LookupError, match="no such region"):
            run(decorated(nightly), ti)
        assert (loop.prepared, submit.command) == ([], [])

    @pytest.mark.parametrize(
        ("returned", "said"),
        [
            (None, "the function returned None; return SQL text, a list of SQL statements, or a dict"),
            ("  ", "the function returned empty text; return SQL text"),
            ([], "a list that is empty or holds more than SQL statements"),
            (["SELECT 1", 2], "a list that is empty or holds more than SQL statements"),
            (7, "a value of type int"),
            ({}, "returned an empty dict; arguments that it can give are application,"),
            ({"sql": "SELECT 1", "durable": True, 3: 4}, "a dict with durable, 3; arguments that it can give are"),
        ],
    )
    def test_what_cannot_be_run_is_refused(self, submit: Any, loop: Any, ti: Any, returned: Any, said: str) -> None:
        with pytest.raises(TypeError, match=f"@task.spark_tuned nightly: .*{said}"):
            run(decorated(lambda: returned), ti)
        assert (loop.prepared, submit.command) == ([], [])

    @pytest.mark.parametrize(
        ("returned", "said"),
        [
            ({"conf": {"a": "b"}}, "exactly one of application= and sql=, not neither"),
            ({"application": "/a.py", "sql": "SELECT 1"}, "exactly one of application= and sql=, not both"),
            ({"sql": "SELECT 1", "mode": "automatic"}, "mode='automatic' is unknown"),
            ({"sql": "-- nothing today"}, "sql= holds no statement"),
        ],
    )
    def test_arguments_that_do_not_fit_are_refused(
        self, submit: Any, loop: Any, ti: Any, returned: Any, said: str
    ) -> None:
        with pytest.raises(ValueError, match=said):
            run(decorated(lambda: returned), ti)
        assert (loop.prepared, submit.command) == ([], [])

    def test_may_not_be_a_coroutine(self) -> None:
        async def nightly() -> str:
            return "SELECT 1"

        with pytest.raises(TypeError, match="@task.spark_tuned nightly: make it a plain function, without async"):
            decorated(nightly)


class TestDag:
    def test_the_provider_announces_the_decorator(self) -> None:
        where = f"{spark_tuned_task.__module__}.{spark_tuned_task.__name__}"
        assert get_provider_info()["task-decorators"] == [{"name": "spark_tuned", "class-name": where}]

    def test_shows_that_the_sql_comes_later(self) -> None:
        op = decorated(lambda: "SELECT 1")
        assert type(op.sql).__name__ == "SetDuringExecution"
        assert op.custom_operator_name == "@task.spark_tuned"
        assert not op.multiple_outputs

    def test_returns_no_dict_whatever_its_annotation(self) -> None:
        def nightly() -> dict[str, Any]:
            return {"sql": "SELECT 1"}

        assert not decorated(nightly).multiple_outputs

    def test_is_mapped_over_values(self, submit: Any, loop: Any, ti: Any) -> None:
        def nightly(region: str) -> str:
            return f"SELECT '{region}'"

        with DAG("sales", schedule=None):
            mapped = task.spark_tuned(cohort="regions")(nightly).expand(region=["north", "south"])
        ti.map_index = 1
        op = mapped.operator.unmap({"op_kwargs": {"region": "south"}})
        run(op, ti)
        assert submit.statements == ["SELECT 'south'"]
        assert (loop.job.cohort, loop.job.key) == ("regions", "sales/manual__2026-01-02/nightly/1/1")
