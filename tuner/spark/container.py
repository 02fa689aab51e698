"""What an executor asks its cluster for: more than its heap."""

from __future__ import annotations

from collections.abc import Mapping

from tuner.spark.knobs import (
    DRIVER_MEMORY,
    DRIVER_MEMORY_OVERHEAD,
    EXECUTOR_MEMORY,
    EXECUTOR_MEMORY_OVERHEAD,
    EXECUTOR_MEMORY_OVERHEAD_FACTOR,
    EXECUTOR_MIN_MEMORY_OVERHEAD,
    OFF_HEAP,
    OFF_HEAP_SIZE,
    PYSPARK_MEMORY,
)
from tuner.spark.master import gives_heap_alone, is_kubernetes, is_local
from tuner.spark.settings import Settings

# spark.kubernetes.memoryOverheadFactor of jobs that are not of the JVM (BasicDriverFeatureStep).
_ON_KUBERNETES = 0.4
_LARGEST_FACTOR = 100.0
KUBERNETES_OVERHEAD_FACTOR = "spark.kubernetes.memoryOverheadFactor"
# Names of overheads that logs do not tell of: of YARN before Spark 2.3, and of Kubernetes.
UNTOLD_OVERHEADS = frozenset({"spark.yarn.executor.memoryOverhead", KUBERNETES_OVERHEAD_FACTOR})
_MOST = (1 << 62) - 1


def executor_container_bytes(conf: Mapping[str, str]) -> int:
    """Heap, overhead, memory off the heap and Python's, as YARN and Kubernetes are asked for them
    (ResourceProfile.getResourcesForClusterManager, ResourceProfile.calculateOverHeadMemory).

    A local master and standalone workers give the heap alone. On Kubernetes it may be less, where no overhead is set.
    """
    settings, master = Settings(conf), conf.get("spark.master", "")
    heap = settings[DRIVER_MEMORY if is_local(master) else EXECUTOR_MEMORY]
    if is_local(master) or gives_heap_alone(master):
        return heap
    return min(_MOST, heap + overhead_bytes(conf) + _besides(settings))


def overhead_bytes(conf: Mapping[str, str]) -> int:
    """What an executor asks for beside its heap, for what the JVM and others hold outside of it."""
    settings = Settings(conf)
    share = int(min(settings[EXECUTOR_MEMORY], _MOST) * _factor(conf))
    return settings[EXECUTOR_MEMORY_OVERHEAD] or max(share, settings[EXECUTOR_MIN_MEMORY_OVERHEAD])


def largest_heap(conf: Mapping[str, str], container_bytes: int) -> int:
    """The most bytes of heap with which an executor's container is no larger than this; less than 0 where the rest of it is."""
    settings = Settings(conf)
    if gives_heap_alone(conf.get("spark.master", "")):
        return container_bytes
    left = container_bytes - _besides(settings)
    if overhead := settings[EXECUTOR_MEMORY_OVERHEAD]:
        return left - overhead
    return min(left - settings[EXECUTOR_MIN_MEMORY_OVERHEAD], int(left / (1 + _factor(conf))))


def largest_driver_heap(conf: Mapping[str, str], container_bytes: int) -> int:
    """The most bytes of heap with which a driver's container is no larger than this; less than 0 where its overhead is."""
    if overhead := Settings(conf)[DRIVER_MEMORY_OVERHEAD]:
        return container_bytes - overhead
    share = int(container_bytes / (1 + EXECUTOR_MEMORY_OVERHEAD_FACTOR.default))
    return min(container_bytes - EXECUTOR_MIN_MEMORY_OVERHEAD.default, share)


def _factor(conf: Mapping[str, str]) -> float:
    """Of the heap, what an overhead is that is not set. Kubernetes gives jobs that are not of the JVM more by itself, and their
    logs do not tell of it: there it is what it may be at most."""
    settings = Settings(conf)
    unset = EXECUTOR_MEMORY_OVERHEAD_FACTOR not in settings and is_kubernetes(conf.get("spark.master", ""))
    given = _ON_KUBERNETES if unset else settings[EXECUTOR_MEMORY_OVERHEAD_FACTOR]
    return given if 0 <= given <= _LARGEST_FACTOR else EXECUTOR_MEMORY_OVERHEAD_FACTOR.default


def _besides(settings: Settings) -> int:
    off_heap = settings[OFF_HEAP_SIZE] if settings[OFF_HEAP] else 0
    return off_heap + (settings[PYSPARK_MEMORY] or 0)
