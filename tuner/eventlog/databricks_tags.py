"""What Databricks tells of a cluster in its properties: nothing else of them leaves the reader, for tags name people."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from tuner.eventlog.events import UNREADABLE
from tuner.eventlog.properties import redact
from tuner.model.platform_run import PlatformRun
from tuner.printable import printable

_CLUSTER_ID = "spark.databricks.clusterUsageTags.clusterId"
_CLUSTER_NAME = "spark.databricks.clusterUsageTags.clusterName"
_ALL_TAGS = "spark.databricks.clusterUsageTags.clusterAllTags"
# The tag with the name of the job that a cluster was made for.
_RUN_NAME = "RunName"
_LONGEST_ID = 100
# What Spark writes in place of what it takes for a secret ends so.
_REDACTED = "(redacted)"


class _Tag(msgspec.Struct):
    key: str = ""
    value: object = None


_tags = msgspec.json.Decoder(list[_Tag])


def platform_run(properties: Mapping[str, object]) -> PlatformRun:
    """By the properties of an application; nothing where it is of no cluster of Databricks."""
    job = redact(_run_name(_told(properties, _ALL_TAGS)) or _told(properties, _CLUSTER_NAME))
    return PlatformRun(job, printable(_told(properties, _CLUSTER_ID), _LONGEST_ID))


def _told(properties: Mapping[str, object], name: str) -> str:
    value = properties.get(name)
    return value if isinstance(value, str) and not value.endswith(_REDACTED) else ""


def _run_name(tags: str) -> str:
    try:
        found = _tags.decode(tags) if tags else []
    except UNREADABLE:
        return ""
    return next((tag.value for tag in found if tag.key == _RUN_NAME and isinstance(tag.value, str)), "")
