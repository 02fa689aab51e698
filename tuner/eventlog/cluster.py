"""The shape of the cluster an application had."""

from __future__ import annotations

from dataclasses import dataclass

from tuner.eventlog.model import Application
from tuner.units import parse_bytes


@dataclass(frozen=True, slots=True)
class Cluster:
    """Cores that tasks could use at once, and heap in bytes (0 where the log does not say)."""

    cores: int = 0
    executors: int = 0
    cores_per_executor: int = 0
    executor_memory_bytes: int = 0
    driver_memory_bytes: int = 0
    local: bool = False


def cluster_of(application: Application) -> Cluster:
    """The cluster at its largest; driver memory by conf, Spark's default where unset."""
    executors, conf = application.executors, application.conf
    return Cluster(
        cores=executors.cores * executors.count,
        executors=executors.count,
        cores_per_executor=executors.cores,
        executor_memory_bytes=executors.memory_bytes,
        driver_memory_bytes=parse_bytes(conf.get("spark.driver.memory", "1g"), "m") or 0,
        local=conf.get("spark.master", "").startswith("local"),
    )
