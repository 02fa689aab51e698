"""Requests of Dataproc: dicts, or messages of its client with the same fields, each nested in the other."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from functools import partial
from typing import Any

from airflow_plugin.engines.engine import Additions
from tuner.spark.properties import FILES, JARS
from tuner.spark.property_text import spark_texts

PROPERTIES = "properties"
_JARS, _FILES = {JARS: "jar_file_uris"}, {FILES: "file_uris"}
# What a job or batch of Spark is called, before `_job` or `_batch`, and the lists that it has fields for: these go to flags of
# spark-submit, which beat properties.
_KINDS = {"pyspark": _JARS | _FILES, "spark": _JARS | _FILES, "spark_sql": _JARS, "spark_r": _FILES}


def field(message: Any, *path: str) -> Any:
    """What stands at a path of fields; None where nothing does."""
    for name in path:
        if message is None:
            return None
        value = message.get if isinstance(message, Mapping) else partial(getattr, message)
        message = value(name) if name in message else None
    return message


def with_fields(message: Any, fields: Mapping[str, Any]) -> Any:
    """A copy of a message with other values of these fields."""
    if isinstance(message, Mapping):
        return {**message, **fields}
    changed = copy.deepcopy(message)
    for name, value in fields.items():
        setattr(changed, name, value)
    return changed


def spark_kind(message: Any, suffix: str) -> str:
    """The field in which a message has its job of Spark, the name of which ends so; "" where it is none of Spark."""
    return next((name for kind in _KINDS if field(message, name := f"{kind}_{suffix}") is not None), "")


def spark_conf(message: Any, kind: str, properties: Any) -> dict[str, str]:
    """The properties that a job of Spark amounts to, with those that it is given."""
    lists = {
        name: ",".join(uris) for name, uri_field in _lists(kind).items() if (uris := field(message, kind, uri_field))
    }
    return {**spark_texts(properties or {}), **lists}


def with_additions(message: Any, kind: str, properties: Any, added: Additions) -> tuple[Any, dict[str, Any]]:
    """A copy of a job of Spark with the jars and files that are added to it, and the properties it then has."""
    all_properties, part = added.properties, field(message, kind)
    lists = {
        uri_field: all_properties.pop(name).split(",")
        for name, uri_field in _lists(kind).items()
        # Where its author has the list among the properties, and there alone, it stays there.
        if name in all_properties and (field(part, uri_field) or name not in (properties or {}))
    }
    return with_fields(part, lists), {**(properties or {}), **all_properties}


def _lists(kind: str) -> Mapping[str, str]:
    return _KINDS[kind.rpartition("_")[0]]
