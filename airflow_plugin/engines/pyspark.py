"""A Spark session in the task's own process: PySparkOperator, `@task.pyspark`."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from airflow_plugin.engines.command_environment import require_no_server
from airflow_plugin.engines.engine import Additions, Engine, LeftAloneError, Request, SparkJob
from airflow_plugin.submission import connection_of
from tuner.spark.properties import MASTER, REMOTE
from tuner.spark.properties_file import spark_defaults
from tuner.spark.property_text import spark_texts
from tuner.steering.agent.spark_home import SparkAtHand, spark_in
from tuner.steering.agent.submission import Submission

_CONNECT = "spark_connect"


class PySpark(Engine):
    """Its properties are those of the Spark connection's extra, and over them `config_kwargs`. It stops its session itself."""

    title = "@task.pyspark"
    fields = ("config_kwargs",)

    def read(self, operator: Any, request: Request) -> Sequence[SparkJob]:
        connection = connection_of(operator.conn_id) if operator.conn_id else None
        conf = {**_of_connection(connection), **spark_texts(request["config_kwargs"])}
        require_no_server(conf)
        if _has_jvm():
            raise LeftAloneError(
                "this process has started Spark already, and that would go on with the jars that it has"
            )
        return (SparkJob(conf),)

    def changed(self, operator: Any, request: Request, additions: Sequence[Additions]) -> Request:
        (added,) = additions
        return {"config_kwargs": {**request["config_kwargs"], **added.properties}}

    def submission(self, operator: Any, job: SparkJob, agent_jar: str) -> Submission:
        spark = _spark()
        defaults = spark_defaults(spark.home, os.environ) if spark else {}
        return Submission(spark, {**defaults, **job.conf}, agent_jar)


def _of_connection(connection: Any) -> dict[str, str]:
    """As PySparkOperator has it: without a connection, this machine."""
    if connection is None:
        return {MASTER: "local[*]"}
    if connection.conn_type == _CONNECT:
        return {REMOTE: connection.host or _CONNECT}
    where = f"{connection.host}:{connection.port}" if connection.port else connection.host
    return {MASTER: str(where or "local[*]"), **spark_texts(connection.extra_dejson)}


def _has_jvm() -> bool:
    """Whether pyspark has a gateway to a JVM, which no other task of Airflow's has started: each has a process of its own."""
    context = getattr(sys.modules.get("pyspark"), "SparkContext", None)
    return getattr(context, "_gateway", None) is not None


def _spark() -> SparkAtHand | None:
    """The Spark that pyspark starts (find_spark_home)."""
    if home := os.environ.get("SPARK_HOME"):
        return spark_in(Path(home))
    found = find_spec("pyspark")
    return spark_in(Path(found.origin).parent) if found and found.origin else None


ENGINE = PySpark()
