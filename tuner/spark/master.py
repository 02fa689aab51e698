"""Where an application runs, by its master and its deploy mode."""

from __future__ import annotations

from collections.abc import Mapping

from tuner.spark.properties import DEPLOY_MODE, MASTER, WAITS_FOR_COMPLETION

# Its executors are processes of their own (SparkMasterRegex.LOCAL_CLUSTER_REGEX).
_LOCAL_CLUSTER = "local-cluster"
_KUBERNETES = "k8s://"


def master_of(conf: Mapping[str, str]) -> str:
    """The master that a conf names; "" where it names none."""
    return conf.get(MASTER, "")


def in_cluster_mode(conf: Mapping[str, str]) -> bool:
    """Whether the driver runs where the cluster puts it, and not beside spark-submit."""
    return conf.get(DEPLOY_MODE) == "cluster"


def waits_for_completion(conf: Mapping[str, str]) -> bool:
    """Whether spark-submit ends with its application, not as soon as the cluster has that."""
    if not in_cluster_mode(conf):
        return True
    for scheme, (name, by_default) in WAITS_FOR_COMPLETION.items():
        if master_of(conf).startswith(scheme):
            return conf[name].strip().lower() != "false" if name in conf else by_default
    return True


def is_local(master: str) -> bool:
    """Whether the driver is the only executor, and its heap the only one."""
    return master.startswith("local") and not master.startswith(_LOCAL_CLUSTER)


def gives_heap_alone(master: str) -> bool:
    """Whether workers give executors the heap that they ask for, and nothing beside it (StandaloneSchedulerBackend)."""
    return master.startswith(("spark://", _LOCAL_CLUSTER))


def is_kubernetes(master: str) -> bool:
    return master.startswith(_KUBERNETES)
