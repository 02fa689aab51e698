"""How a task submits: by which spark-submit, to which cluster, with which properties."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from airflow.providers.apache.spark.hooks.spark_submit import SparkSubmitHook

from airflow_plugin.compat import AirflowException
from tuner.spark.master import is_kubernetes
from tuner.spark.properties import MASTER
from tuner.steering.agent.submission import Submission, submission

if TYPE_CHECKING:
    from airflow.providers.apache.spark.operators.spark_submit import SparkSubmitOperator


def submission_of(
    operator: SparkSubmitOperator, connection: Any, conf: Mapping[str, str], agent_jar: str
) -> Submission:
    """The submission of an operator, by its connection; `conf` is what its author set. Master and program are those of
    SparkSubmitHook."""
    extra = connection.extra_dejson if connection is not None else {}
    master = _master(connection)
    # On Kubernetes these are the driver's alone.
    own = {} if is_kubernetes(master) else operator.env_vars or {}
    return submission(
        operator._spark_binary or extra.get("spark-binary") or "spark-submit",
        {**conf, MASTER: master},
        environ={**os.environ, **{name: str(value) for name, value in own.items()}},
        with_defaults=not operator.properties_file,
        agent_jar=agent_jar,
    )


def connection_of(conn_id: str) -> Any:
    """The Airflow connection; None where there is none of that name: then SparkSubmitHook goes on without its options."""
    try:
        return SparkSubmitHook.get_connection(conn_id)
    except AirflowException:
        return None


def _master(connection: Any) -> str:
    """SparkSubmitHook._resolve_connection: YARN without a connection; a host may hold all of a master's URL."""
    if connection is None:
        return "yarn"
    host, port = connection.host or "", connection.port
    whole = connection.conn_type == "spark" and host and ("://" in host or not port)
    master = host if whole else f"{connection.conn_type}://{host}"
    return f"{master}:{port}" if port else master
