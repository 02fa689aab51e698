"""Spark pools of Azure Synapse: AzureSynapseRunSparkBatchOperator."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from typing import Any

from airflow_plugin.engines.engine import Additions, Ask, Call, Engine, Request, SparkJob, is_own
from airflow_plugin.engines.http_refusal import REFUSED
from tuner.eventlog.location import scheme_of
from tuner.spark import knobs
from tuner.spark.properties import FILES, JARS
from tuner.spark.property_text import spark_texts

# Names of the service, and those of the attributes that its client has them in: a dict may have either.
_ATTRIBUTES = {
    "conf": "configuration",
    "jars": "jars",
    "files": "files",
    "driverMemory": "driver_memory",
    "driverCores": "driver_cores",
    "executorMemory": "executor_memory",
    "executorCores": "executor_cores",
    "numExecutors": "executor_count",
}
# The service is a Livy: its own fields beat those of `conf`.
_FIELDS = {
    "driverMemory": knobs.DRIVER_MEMORY.property,
    "driverCores": knobs.DRIVER_CORES.property,
    "executorMemory": knobs.EXECUTOR_MEMORY.property,
    "executorCores": knobs.EXECUTOR_CORES.property,
    "numExecutors": knobs.EXECUTOR_INSTANCES.property,
}
_LISTS = {"jars": JARS, "files": FILES}


class Synapse(Engine):
    """A batch of a Spark pool; what the pool or the workspace sets for all its batches is not seen."""

    title = "Synapse"
    schemes = frozenset({"abfs", "abfss"})

    def calls(self, operator: Any) -> Sequence[Call]:
        from airflow.providers.microsoft.azure.hooks.synapse import AzureSynapseHook

        return (Call(AzureSynapseHook, "run_spark_job", is_own(operator, "hook")),)

    def read(self, operator: Any, request: Request) -> Sequence[SparkJob]:
        payload = request["payload"]
        fields = {name: str(value) for field, name in _FIELDS.items() if (value := _value(payload, field))}
        lists = {name: ",".join(value) for field, name in _LISTS.items() if (value := _value(payload, field))}
        return (SparkJob({**spark_texts(_value(payload, "conf") or {}), **fields, **lists}),)

    def changed(self, operator: Any, request: Request, additions: Sequence[Additions]) -> Request:
        (added,) = additions
        payload, properties = request["payload"], added.properties
        lists = {field: properties.pop(name).split(",") for field, name in _LISTS.items() if name in properties}
        conf = {**(_value(payload, "conf") or {}), **properties}
        return {"payload": _with(payload, {"conf": conf, **lists})}

    def is_refusal(self, error: Exception) -> bool:
        # Errors of azure.core have it of the answer: one that was taken but cannot be read is no refusal.
        return getattr(error, "status_code", None) in REFUSED

    def waits(self, operator: Any) -> bool:
        return bool(operator.wait_for_termination)

    def access(self, operator: Any, url: str) -> Ask | None:
        """Of a connection with a client's secret; what a managed identity may read, the worker reads by its own."""
        if scheme_of(url) not in self.schemes:
            return None
        hook = operator.hook
        connection = hook.get_connection(operator.azure_synapse_conn_id)
        client = {
            "tenant_id": hook._get_field(connection.extra_dejson, "tenantId"),
            "client_id": connection.login,
            "client_secret": connection.password,
        }
        return (lambda: client) if all(client.values()) else None


def _name(payload: Any, field: str) -> str:
    """What a payload calls a field."""
    attribute = _ATTRIBUTES[field]
    return field if isinstance(payload, Mapping) and attribute not in payload else attribute


def _value(payload: Any, field: str) -> Any:
    name = _name(payload, field)
    return payload.get(name) if isinstance(payload, Mapping) else getattr(payload, name)


def _with(payload: Any, fields: Mapping[str, Any]) -> Any:
    """A copy of a payload with other values of these fields."""
    named = {_name(payload, field): value for field, value in fields.items()}
    if isinstance(payload, Mapping):
        return {**payload, **named}
    changed = copy.copy(payload)
    for name, value in named.items():
        setattr(changed, name, value)
    return changed


ENGINE = Synapse()
