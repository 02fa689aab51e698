"""What the author of a task set for Spark, wherever they set it."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tuner.spark import knobs
from tuner.spark import properties_file as spark_properties
from tuner.spark.properties import DEPLOY_MODE, FILES, JARS, PACKAGES
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
    mode = connection.extra_dejson.get("deploy-mode") if connection is not None else None
    return {DEPLOY_MODE: str(mode)} if mode else {}


def _flags(operator: SparkSubmitOperator) -> dict[str, str]:
    values = {name: getattr(operator, attribute, None) for attribute, name in FLAGS.items()}
    return {name: str(value) for name, value in values.items() if value}
