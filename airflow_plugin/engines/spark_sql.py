"""SparkSqlOperator: a spark-sql of this machine."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

from airflow_plugin.engines.engine import Additions, Engine, Request, SparkJob
from airflow_plugin.submission import connection_of
from tuner.spark import knobs
from tuner.spark.properties import MASTER, PRINCIPALS
from tuner.spark.property_text import spark_texts
from tuner.steering.agent.submission import Submission, submission

_PROGRAM = "spark-sql"
_FLAGS = {
    "_executor_memory": knobs.EXECUTOR_MEMORY.property,
    "_executor_cores": knobs.EXECUTOR_CORES.property,
    "_num_executors": knobs.EXECUTOR_INSTANCES.property,
    "_principal": PRINCIPALS[0],
    "_total_executor_cores": knobs.CORES_MAX.property,
}


class SparkSql(Engine):
    """Its properties are a dict, or text such as `a=b,c=d`, which takes no commas in values."""

    title = _PROGRAM
    fields = ("_conf",)

    def read(self, operator: Any, request: Request) -> Sequence[SparkJob]:
        flags = {name: str(value) for field, name in _FLAGS.items() if (value := getattr(operator, field))}
        return (SparkJob({**_properties(request["_conf"]), **flags}),)

    def changed(self, operator: Any, request: Request, additions: Sequence[Additions]) -> Request:
        (added,) = additions
        return {"_conf": {**_properties(request["_conf"]), **added.properties}}

    def submission(self, operator: Any, job: SparkJob, agent_jar: str) -> Submission:
        given = {**job.conf, MASTER: operator._master or _master(connection_of(operator._conn_id))}
        return submission(_PROGRAM, given, environ=os.environ, agent_jar=agent_jar)


def _properties(conf: Mapping[str, Any] | str | None) -> dict[str, str]:
    """Raises ValueError for text that is none of properties."""
    if not isinstance(conf, str):
        return spark_texts(conf or {})
    pairs = [part.partition("=") for part in conf.split(",") if part]
    if not all(equals for _, equals, _ in pairs):
        raise ValueError("conf= holds a part that is no property; give a dict where values have commas")
    return {name: value for name, _, value in pairs}


def _master(connection: Any) -> str:
    """As SparkSqlHook has it: YARN without a connection."""
    if connection is None or not connection.host:
        return "yarn"
    return f"{connection.host}:{connection.port}" if connection.port else str(connection.host)


ENGINE = SparkSql()
