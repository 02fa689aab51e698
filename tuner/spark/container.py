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
    KUBERNETES_MEMORY_OVERHEAD_FACTOR,
    OFF_HEAP,
    OFF_HEAP_SIZE,
    PYSPARK_MEMORY,
)
from tuner.spark.master import gives_heap_alone, in_cluster_mode, is_kubernetes, is_local, master_of
from tuner.spark.settings import Settings

# What Kubernetes gives jobs that are not of the JVM (BasicDriverFeatureStep, NON_JVM_MEMORY_OVERHEAD_FACTOR).
_NOT_OF_JVM = 0.4
_LARGEST_FACTOR = 100.0
KUBERNETES_OVERHEAD_FACTOR = KUBERNETES_MEMORY_OVERHEAD_FACTOR.property
# Names of overheads that logs do not tell of: of YARN before Spark 2.3.
UNTOLD_OVERHEADS = frozenset({"spark.yarn.executor.memoryOverhead"})
_MOST = (1 << 62) - 1


def executor_container_bytes(conf: Mapping[str, str]) -> int:
    """Heap, overhead, memory off the heap and Python's, as YARN and Kubernetes are asked for them
    (ResourceProfile.getResourcesForClusterManager, ResourceProfile.calculateOverHeadMemory).

    A local master and standalone workers give the heap alone. On Kubernetes in cluster mode it may be less, where neither the
    job nor a log of it tells of an overhead.
    """
    settings, master = Settings(conf), master_of(conf)
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
    if gives_heap_alone(master_of(conf)):
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
    """Of the heap, what an overhead is that is not set (BasicExecutorFeatureStep). Kubernetes gives jobs that are not of the JVM
    more by itself: a driver in its cluster is told so (BasicDriverFeatureStep), and its log tells it. Before any log of such a
    job it is what it may be at most. Other drivers' executors have Spark's default, of whatever language."""
    settings = Settings(conf)
    factor = EXECUTOR_MEMORY_OVERHEAD_FACTOR
    if factor not in settings and is_kubernetes(master_of(conf)):
        factor = KUBERNETES_MEMORY_OVERHEAD_FACTOR
        if factor not in settings and in_cluster_mode(conf):
            return _NOT_OF_JVM
    given = settings[factor]
    return given if 0 <= given <= _LARGEST_FACTOR else factor.default


def _besides(settings: Settings) -> int:
    off_heap = settings[OFF_HEAP_SIZE] if settings[OFF_HEAP] else 0
    return off_heap + (settings[PYSPARK_MEMORY] or 0)
