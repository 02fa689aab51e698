"""What the author of a task set for Spark, wherever they set it."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tuner.spark import knobs
from tuner.spark import properties_file as spark_properties
from tuner.spark.properties import DEPLOY_MODE, FILES, JARS, PACKAGES, PRINCIPALS
from tuner.spark.property_text import spark_texts

if TYPE_CHECKING:
    from airflow.providers.apache.spark.operators.spark_submit import SparkSubmitOperator

# Flags of spark-submit beat --conf, which beats the properties file (SparkSubmitArguments).
FLAGS = {
    "_driver_memory": knobs.DRIVER_MEMORY.property,
    "_executor_memory": knobs.EXECUTOR_MEMORY.property,
    "_executor_cores": knobs.EXECUTOR_CORES.property,
    "_num_executors": knobs.EXECUTOR_INSTANCES.property,
    "_total_executor_cores": knobs.CORES_MAX.property,
    "_deploy_mode": DEPLOY_MODE,
    "jars": JARS,
    "files": FILES,
    "packages": PACKAGES,
    "principal": PRINCIPALS[0],
    "_principal": PRINCIPALS[0],  # of older providers
}


def user_conf_of(operator: SparkSubmitOperator, connection: Any) -> dict[str, str]:
    """Properties that a task's arguments and Spark connection (None: it has none) amount to, as Spark will read them."""
    from_file = _file(operator.properties_file or "")
    from_conf = spark_texts(operator.conf or {})
    return from_file | from_conf | _connection(connection) | _flags(operator)


def _file(name: str) -> dict[str, str]:
    """Nothing of a pipe: what is read of it here would be gone for spark-submit."""
    with suppress(OSError):
        if Path(name).is_file():
            return spark_properties.read(Path(name))
    return {}


def _connection(connection: Any) -> dict[str, str]:
    extra = connection.extra_dejson if connection is not None else {}
    named = {DEPLOY_MODE: extra.get("deploy-mode"), PRINCIPALS[0]: extra.get("principal")}
    return {name: str(value) for name, value in named.items() if value}


def _flags(operator: SparkSubmitOperator) -> dict[str, str]:
    return {name: str(value) for attribute, name in FLAGS.items() if (value := getattr(operator, attribute, None))}
