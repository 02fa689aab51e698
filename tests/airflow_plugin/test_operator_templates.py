"""What Airflow renders before SparkTunedOperator runs."""

from __future__ import annotations

from typing import Any

from airflow.providers.apache.spark.operators.spark_submit import SparkSubmitOperator
from airflow.sdk import DAG

from airflow_plugin.operator import SparkTunedOperator

CONTEXT: Any = {"ds": "2026-01-02", "params": {"partitions": 64}}


def test_new_fields_join_those_of_spark_submit_operator() -> None:
    fields = SparkTunedOperator.template_fields
    assert set(fields) - set(SparkSubmitOperator.template_fields) == {
        "sql",
        "cohort",
        "event_log_base",
        "store_conn_id",
    }
    assert set(SparkSubmitOperator.template_fields) <= set(fields)


def test_new_fields_are_rendered() -> None:
    op = SparkTunedOperator(
        task_id="nightly",
        sql="SELECT '{{ ds }}'",
        cohort="sales {{ params.partitions }}",
        event_log_base="s3a://logs/{{ ds }}",
        store_conn_id="tuner_{{ ds }}",
    )
    op.render_template_fields(CONTEXT)
    assert op.sql == "SELECT '2026-01-02'"
    assert op.cohort == "sales 64"
    assert op.event_log_base == "s3a://logs/2026-01-02"
    assert op.store_conn_id == "tuner_2026-01-02"


def test_rendered_conf_wins(submit: Any, loop: Any, ti: Any) -> None:
    op = SparkTunedOperator(
        task_id="nightly",
        application="/jobs/etl.py",
        conf={"spark.sql.shuffle.partitions": "{{ params.partitions }}"},
    )
    op.render_template_fields(CONTEXT)
    op.execute({"ti": ti})
    assert submit.conf == {"spark.sql.shuffle.partitions": "64"}


def test_sql_paths_of_an_application_are_left_to_it() -> None:
    op = SparkTunedOperator(
        task_id="nightly", application="/jobs/etl.py", application_args=["etl.sql"], files="/etc/etl.sql"
    )
    op.resolve_template_files()
    op.render_template_fields(CONTEXT)
    assert (op.application_args, op.files) == (["etl.sql"], "/etc/etl.sql")


def test_mapped_over_sql(submit: Any, loop: Any, ti: Any, tmp_path: Any) -> None:
    file = tmp_path / "day.sql"
    file.write_text("SELECT '{{ ds }}'")
    with DAG("sales"):
        mapped = SparkTunedOperator.partial(task_id="nightly", mode="observe").expand(sql=["SELECT 0", str(file)])
    op = mapped.unmap({"sql": str(file)})
    op._do_render_template_fields(op, op.template_fields, CONTEXT, op.get_template_env(), set())
    assert isinstance(op, SparkTunedOperator)
    assert op.sql == "SELECT '2026-01-02'"
    assert op.mode == "observe"
