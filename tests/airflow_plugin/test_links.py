"""From a task instance to its page in the panel."""

from __future__ import annotations

import json
from typing import Any

import pytest
from airflow.sdk import DAG, BaseOperatorLink, task

from airflow_plugin.links import SparkTunerLink, panel_path, panel_url
from airflow_plugin.operator import SparkTunedOperator
from airflow_plugin.provider_info import get_provider_info


@pytest.fixture
def op() -> SparkTunedOperator:
    return SparkTunedOperator(task_id="nightly", application="/jobs/etl.py")


def test_leads_to_the_task_instances_page(op: SparkTunedOperator, ti: Any) -> None:
    (link,) = op.operator_extra_links
    assert isinstance(link, BaseOperatorLink)
    assert link.name == "Spark tuner"
    assert link.get_link(op, ti_key=ti) == (
        "/dags/sales/runs/manual__2026-01-02/tasks/nightly/plugin/spark-tuner-task-instance"
    )


def test_leads_to_that_of_a_mapped_instance(op: SparkTunedOperator, ti: Any) -> None:
    ti.map_index = 0
    assert panel_path(ti).endswith("/tasks/nightly/mapped/0/plugin/spark-tuner-task-instance")


def test_quotes_what_names_may_hold(ti: Any) -> None:
    ti.run_id, ti.dag_id = "scheduled__2026-01-02T00:00:00+00:00", "verkäufe/süd?x=<b>#1"
    assert panel_path(ti) == (
        "/dags/verk%C3%A4ufe%2Fs%C3%BCd%3Fx%3D%3Cb%3E%231/runs/scheduled__2026-01-02T00%3A00%3A00%2B00%3A00"
        "/tasks/nightly/plugin/spark-tuner-task-instance"
    )


@pytest.mark.parametrize(
    ("base_url", "link", "url"),
    [
        ("", "/dags/", "/dags/"),
        ("https://air.example.org", "/dags/", "https://air.example.org/dags/"),
        ("https://example.org/airflow/", "/airflow/dags/", "https://example.org/airflow/dags/"),
    ],
)
def test_stays_below_the_path_that_airflow_is_served_under(
    op: SparkTunedOperator, ti: Any, monkeypatch: pytest.MonkeyPatch, base_url: str, link: str, url: str
) -> None:
    monkeypatch.setenv("AIRFLOW__API__BASE_URL", base_url)
    assert SparkTunerLink().get_link(op, ti_key=ti).startswith(f"{link}sales/runs/")
    assert panel_url(ti).startswith(f"{url}sales/runs/")


def test_is_announced_by_the_provider() -> None:
    assert get_provider_info()["extra-links"] == [f"{SparkTunerLink.__module__}.{SparkTunerLink.__name__}"]


def test_survives_serialisation_for_plain_decorated_and_mapped_tasks() -> None:
    from airflow.serialization import serialized_objects

    serialization = getattr(serialized_objects, "DagSerialization", None) or serialized_objects.SerializedDAG  # 3.1
    with DAG("sales", schedule=None) as dag:
        SparkTunedOperator(task_id="plain", application="/jobs/etl.py")
        SparkTunedOperator.partial(task_id="mapped").expand(sql=["SELECT 1", "SELECT 2"])
        task.spark_tuned(task_id="decorated")(lambda: "SELECT 1")()
    stored = json.loads(json.dumps(serialization.to_dict(dag)))
    read = serialization.from_dict(stored)
    for task_id in ("plain", "mapped", "decorated"):
        (link,) = read.get_task(task_id).operator_extra_links
        assert (link.name, link.xcom_key) == ("Spark tuner", "_link_SparkTunerLink")
