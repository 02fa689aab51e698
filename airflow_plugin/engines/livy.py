"""Livy's batches: LivyOperator.

What the server's `livy.server.spark-conf.blacklist`, or its `conf/spark-blacklist.conf`, does not allow is answered with 400
(livy#441).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from airflow_plugin.engines.engine import Additions, Call, Engine, Request, SparkJob, is_own
from airflow_plugin.engines.http_refusal import is_http_refusal
from tuner.spark import knobs
from tuner.spark.properties import FILES, JARS
from tuner.spark.property_text import spark_texts

# Livy puts its own fields into the properties of spark-submit, where they beat those of `conf` (BatchSession.create).
_FIELDS = {
    "driver_memory": knobs.DRIVER_MEMORY.property,
    "driver_cores": knobs.DRIVER_CORES.property,
    "executor_memory": knobs.EXECUTOR_MEMORY.property,
    "executor_cores": knobs.EXECUTOR_CORES.property,
    "num_executors": knobs.EXECUTOR_INSTANCES.property,
}
_LISTS = {"jars": JARS, "files": FILES}


class Livy(Engine):
    """A batch is one POST of LivyHook.post_batch."""

    title = "Livy"

    def calls(self, operator: Any) -> Sequence[Call]:
        from airflow.providers.apache.livy.hooks.livy import LivyHook

        return (Call(LivyHook, "post_batch", is_own(operator, "hook")),)

    def read(self, operator: Any, request: Request) -> Sequence[SparkJob]:
        fields = {name: str(request[field]) for field, name in _FIELDS.items() if request.get(field)}
        lists = {name: ",".join(map(str, request[field])) for field, name in _LISTS.items() if request.get(field)}
        conf = {**spark_texts(request.get("conf") or {}), **fields, **lists}
        return (SparkJob(conf, runs_as=str(request.get("proxy_user") or "")),)

    def changed(self, operator: Any, request: Request, additions: Sequence[Additions]) -> Request:
        (added,) = additions
        properties = added.properties
        lists = {field: properties.pop(name).split(",") for field, name in _LISTS.items() if name in properties}
        return {"conf": {**(request.get("conf") or {}), **properties}, **lists}

    def is_refusal(self, error: Exception) -> bool:
        return is_http_refusal(error)

    def waits(self, operator: Any) -> bool:
        return bool(operator.deferrable or operator._polling_interval > 0)


ENGINE = Livy()
