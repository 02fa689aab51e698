"""SparkJDBCOperator: a spark-submit of this machine, whose hook takes its properties from fields of its own."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

from airflow_plugin.engines.engine import Additions, Engine, Request, SparkJob
from airflow_plugin.submission import connection_of, submission_of
from airflow_plugin.user_conf import user_conf_of
from tuner.spark.properties import FILES, JARS
from tuner.steering.agent.submission import Submission

_LISTS = {JARS: "_spark_jars", FILES: "_spark_files"}


class SparkJdbc(Engine):
    """Its execute() never calls that of SparkSubmitOperator, which it is derived from."""

    title = "spark-submit"
    fields = ("_spark_conf", "_spark_jars", "_spark_files")

    def read(self, operator: Any, request: Request) -> Sequence[SparkJob]:
        connection = connection_of(operator._spark_conn_id)
        return (SparkJob(user_conf_of(_as_submitted(operator, request), connection)),)

    def changed(self, operator: Any, request: Request, additions: Sequence[Additions]) -> Request:
        (added,) = additions
        properties = added.properties
        # By their flags: these beat properties in spark-submit.
        lists = {field: properties.pop(name) for name, field in _LISTS.items() if name in properties}
        return {"_spark_conf": {**(request["_spark_conf"] or {}), **properties}, **lists}

    def submission(self, operator: Any, job: SparkJob, agent_jar: str) -> Submission:
        own = {name: getattr(operator, name) for name in self.fields}
        connection = connection_of(operator._spark_conn_id)
        return submission_of(_as_submitted(operator, own), connection, job.conf, agent_jar)


def _as_submitted(operator: Any, request: Request) -> Any:
    """The operator as a SparkSubmitOperator with the same properties."""
    flags = ("_driver_memory", "_executor_memory", "_executor_cores", "_num_executors", "principal", "_principal")
    return SimpleNamespace(
        conf=request["_spark_conf"],
        jars=request["_spark_jars"],
        files=request["_spark_files"],
        properties_file=None,
        env_vars=None,
        _conn_id=operator._spark_conn_id,
        _spark_binary=None,
        **{name: getattr(operator, name, None) for name in flags},
    )


ENGINE = SparkJdbc()
