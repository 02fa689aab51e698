"""The shape of the cluster an application had."""

from __future__ import annotations

from tuner.model.application import Application
from tuner.model.cluster import Cluster
from tuner.units import parse_bytes


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
