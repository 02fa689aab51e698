"""The shape of the cluster an application had."""

from __future__ import annotations

from tuner.model.application import Application
from tuner.model.cluster import Cluster
from tuner.spark.knobs import DRIVER_MEMORY
from tuner.spark.master import is_local, master_of
from tuner.spark.settings import Settings


def cluster_of(application: Application) -> Cluster:
    """The cluster at its largest; driver memory by conf, Spark's default where unset."""
    executors, conf = application.executors, application.conf
    return Cluster(
        cores=executors.cores * executors.count,
        executors=executors.count,
        cores_per_executor=executors.cores,
        executor_memory_bytes=executors.memory_bytes,
        driver_memory_bytes=Settings(conf)[DRIVER_MEMORY],
        local=is_local(master_of(conf)),
    )
