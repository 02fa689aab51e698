"""The shape of the cluster an application had."""

from __future__ import annotations

from tuner.model.application import Application
from tuner.model.cluster import Cluster
from tuner.spark.master import is_local, master_of


def cluster_of(application: Application) -> Cluster:
    """The cluster at its largest."""
    executors = application.executors
    return Cluster(
        cores=executors.cores * executors.count,
        executors=executors.count,
        cores_per_executor=executors.cores,
        executor_memory_bytes=executors.memory_bytes,
        driver_memory_bytes=application.driver_memory_bytes,
        local=is_local(master_of(application.conf)),
    )
