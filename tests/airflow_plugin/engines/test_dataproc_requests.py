"""What Dataproc's engines read of requests that are dicts, and what they make of them: without its provider."""

from __future__ import annotations

import copy
from types import SimpleNamespace
from typing import Any

import pytest

from airflow_plugin.engines import dataproc_batch, dataproc_job, dataproc_workflow
from airflow_plugin.engines.engine import Additions

ADDED = Additions({"spark.tuner.key": "k"}, {"spark.jars": "gs://b/own.jar,gs://b/agent.jar"})


def job(kind: str = "pyspark_job", **fields: Any) -> dict[str, Any]:
    return {"placement": {"cluster_name": "c"}, kind: fields}


def read(request: Any) -> list[dict[str, str]]:
    engine = next(
        module.ENGINE
        for module, name in ((dataproc_job, "job"), (dataproc_batch, "batch"), (dataproc_workflow, "template"))
        if name in request
    )
    as_written = copy.deepcopy(request)
    found = [dict(job.conf) for job in engine.read(None, request)]
    assert request == as_written
    return found


def test_a_jobs_lists_are_flags_that_beat_its_properties() -> None:
    properties = {"spark.jars": "gs://b/never.jar", "spark.executor.cores": 2, "spark.sql.adaptive.enabled": True}
    part = {"properties": properties, "jar_file_uris": ["gs://b/a.jar", "gs://b/b.jar"], "file_uris": ["gs://b/f"]}
    assert read({"job": job(**part)}) == [
        {
            "spark.jars": "gs://b/a.jar,gs://b/b.jar",
            "spark.files": "gs://b/f",
            "spark.executor.cores": "2",
            "spark.sql.adaptive.enabled": "true",
        }
    ]


@pytest.mark.parametrize("kind", ["hive_job", "pig_job", "hadoop_job", "presto_job", "trino_job", "flink_job"])
def test_other_jobs_are_none_of_spark(kind: str) -> None:
    assert read({"job": job(kind, properties={"a": "b"})}) == []
    assert read({"template": {"jobs": [{"step_id": "s", kind: {}}]}}) == []


def test_a_request_without_jobs_has_none() -> None:
    assert read({"template": {}}) == [] and read({"batch": {}}) == [] and read({"job": {"pyspark_job": None}}) == []


def test_a_job_without_properties_gets_some() -> None:
    request = {"job": job("spark_job", main_class="X")}
    as_written = copy.deepcopy(request)
    changed = dataproc_job.ENGINE.changed(None, request, [ADDED])["job"]
    assert changed["spark_job"] == {
        "main_class": "X",
        "properties": {"spark.tuner.key": "k"},
        "jar_file_uris": ["gs://b/own.jar", "gs://b/agent.jar"],
    }
    assert request == as_written and changed["placement"] == {"cluster_name": "c"}


def test_jars_stay_where_their_author_has_them() -> None:
    by_property = job(properties={"spark.jars": "gs://b/own.jar"})
    part = dataproc_job.ENGINE.changed(None, {"job": by_property}, [ADDED])["job"]["pyspark_job"]
    assert part == {"properties": {"spark.jars": "gs://b/own.jar,gs://b/agent.jar", "spark.tuner.key": "k"}}
    by_both = job(properties={"spark.jars": "gs://b/never.jar"}, jar_file_uris=["gs://b/own.jar"])
    part = dataproc_job.ENGINE.changed(None, {"job": by_both}, [ADDED])["job"]["pyspark_job"]
    assert part["jar_file_uris"] == ["gs://b/own.jar", "gs://b/agent.jar"]


def test_files_that_a_kind_has_no_field_for_are_a_property() -> None:
    added = Additions({"spark.files": "gs://b/.directives"})
    sql = dataproc_job.ENGINE.changed(None, {"job": job("spark_sql_job")}, [added])["job"]["spark_sql_job"]
    assert sql == {"properties": {"spark.files": "gs://b/.directives"}}
    python = dataproc_job.ENGINE.changed(None, {"job": job()}, [added])["job"]["pyspark_job"]
    assert python == {"properties": {}, "file_uris": ["gs://b/.directives"]}


def test_a_batch_has_its_properties_beside_its_job() -> None:
    batch = {"spark_batch": {"jar_file_uris": ["gs://b/own.jar"]}, "runtime_config": {"properties": {"a": "b"}}}
    assert read({"batch": batch}) == [{"a": "b", "spark.jars": "gs://b/own.jar"}]
    changed = dataproc_batch.ENGINE.changed(None, {"batch": {"spark_sql_batch": {"query_file_uri": "q"}}}, [ADDED])
    assert changed["batch"] == {
        "spark_sql_batch": {"query_file_uri": "q", "jar_file_uris": ["gs://b/own.jar", "gs://b/agent.jar"]},
        "runtime_config": {"properties": {"spark.tuner.key": "k"}},
    }


def test_a_batch_and_the_cluster_of_a_workflow_tell_their_versions() -> None:
    (job,) = dataproc_batch.ENGINE.read(None, {"batch": {"pyspark_batch": {}, "runtime_config": {"version": "2.2"}}})
    assert job.runtime == "2.2"
    config = {"software_config": {"image_version": "2.2-debian12"}, "worker_config": {"machine_type_uri": "n2"}}
    placement = {"managed_cluster": {"config": config}}
    template = {"placement": placement, "jobs": [{"step_id": "load", "pyspark_job": {}}]}
    (job,) = dataproc_workflow.ENGINE.read(None, {"template": template})
    assert job.runtime == "2.2-debian12, n2"


def test_a_batch_of_a_history_server_is_read_where_its_author_says() -> None:
    server = {"spark_history_server_config": {"dataproc_cluster": "projects/p/regions/r/clusters/phs"}}
    batch: dict[str, Any] = {"pyspark_batch": {}, "environment_config": {"peripherals_config": server}}
    with pytest.raises(ValueError, match="history server"):
        read({"batch": batch})
    batch["runtime_config"] = {"properties": {"spark.eventLog.dir": "gs://b/phs/spark-job-history"}}
    assert read({"batch": batch}) == [{"spark.eventLog.dir": "gs://b/phs/spark-job-history"}]


def test_what_a_workflow_sets_for_its_own_cluster_is_its_authors() -> None:
    software = {
        "properties": {"spark:spark.executor.memory": "4g", "spark:spark.jars": "gs://b/own.jar", "hdfs:x": "1"}
    }
    steps = [
        {"step_id": "load", "pyspark_job": {"properties": {"spark.executor.memory": "8g"}}},
        {"step_id": "copy", "hadoop_job": {}},
        {"step_id": "sum", "spark_r_job": {"main_r_file_uri": "gs://b/sum.R"}},
    ]
    template = {"placement": {"managed_cluster": {"config": {"software_config": software}}}, "jobs": steps}
    jobs = dataproc_workflow.ENGINE.read(None, {"template": template})
    assert [(j.name, j.conf["spark.executor.memory"]) for j in jobs] == [("load", "8g"), ("sum", "4g")]
    assert {j.conf["spark.jars"] for j in jobs} == {"gs://b/own.jar"}
    as_written = copy.deepcopy(template)
    changed = dataproc_workflow.ENGINE.changed(None, {"template": template}, [ADDED, Additions({"spark.x": "y"})])
    load, untouched, total = changed["template"]["jobs"]
    assert template == as_written and untouched == steps[1]
    assert load["pyspark_job"]["properties"] == {"spark.executor.memory": "8g", "spark.tuner.key": "k"}
    assert load["pyspark_job"]["jar_file_uris"] == ["gs://b/own.jar", "gs://b/agent.jar"]
    assert total["spark_r_job"] == {"main_r_file_uri": "gs://b/sum.R", "properties": {"spark.x": "y"}}


def test_what_waits_and_what_does_not() -> None:
    def waits(engine: Any, *, asynchronous: bool, deferrable: bool = False) -> bool:
        return bool(engine.waits(SimpleNamespace(asynchronous=asynchronous, deferrable=deferrable)))

    assert waits(dataproc_job.ENGINE, asynchronous=False) and not waits(dataproc_job.ENGINE, asynchronous=True)
    # It defers before it looks at the other one.
    assert waits(dataproc_job.ENGINE, asynchronous=True, deferrable=True)
    assert waits(dataproc_batch.ENGINE, asynchronous=False) and not waits(dataproc_batch.ENGINE, asynchronous=True)
    assert dataproc_workflow.ENGINE.waits(None)


def test_other_storages_are_read_with_the_workers_own_access() -> None:
    operator = SimpleNamespace(gcp_conn_id="google_cloud_default", impersonation_chain=None)
    assert dataproc_job.ENGINE.access(operator, "hdfs://c/logs") is None
    assert dataproc_job.ENGINE.access(SimpleNamespace(gcp_conn_id=""), "gs://logs") is None
