"""Where an application runs, by what spark.master says."""

from __future__ import annotations

# Its executors are processes of their own (SparkMasterRegex.LOCAL_CLUSTER_REGEX).
_LOCAL_CLUSTER = "local-cluster"
_KUBERNETES = "k8s://"


def is_local(master: str) -> bool:
    """Whether the driver is the only executor, and its heap the only one."""
    return master.startswith("local") and not master.startswith(_LOCAL_CLUSTER)


def gives_heap_alone(master: str) -> bool:
    """Whether workers give executors the heap that they ask for, and nothing beside it (StandaloneSchedulerBackend)."""
    return master.startswith(("spark://", _LOCAL_CLUSTER))


def is_kubernetes(master: str) -> bool:
    return master.startswith(_KUBERNETES)
