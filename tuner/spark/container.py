"""What executors and a driver ask their cluster for: more than a heap."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tuner.spark.knob import Knob
from tuner.spark.knobs import (
    DRIVER_MEMORY,
    DRIVER_MEMORY_OVERHEAD,
    DRIVER_MEMORY_OVERHEAD_FACTOR,
    DRIVER_MIN_MEMORY_OVERHEAD,
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
# Names of overheads that logs do not tell of, by what they are since Spark 2.3: those of YARN.
UNTOLD_OVERHEADS: Mapping[str, str] = {
    EXECUTOR_MEMORY_OVERHEAD.property: "spark.yarn.executor.memoryOverhead",
    DRIVER_MEMORY_OVERHEAD.property: "spark.yarn.driver.memoryOverhead",
}
_MOST = (1 << 62) - 1


@dataclass(frozen=True, slots=True)
class _Overhead:
    """What tells the overhead of executors, or of the driver."""

    heap: Knob[int]
    size: Knob[int | None]
    factor: Knob[float]
    least: Knob[int]


_OF_EXECUTOR = _Overhead(
    EXECUTOR_MEMORY, EXECUTOR_MEMORY_OVERHEAD, EXECUTOR_MEMORY_OVERHEAD_FACTOR, EXECUTOR_MIN_MEMORY_OVERHEAD
)
_OF_DRIVER = _Overhead(DRIVER_MEMORY, DRIVER_MEMORY_OVERHEAD, DRIVER_MEMORY_OVERHEAD_FACTOR, DRIVER_MIN_MEMORY_OVERHEAD)


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


def driver_container_bytes(conf: Mapping[str, str]) -> int:
    """Heap and overhead, as YARN and Kubernetes are asked for them where the driver is theirs."""
    return min(_MOST, Settings(conf)[DRIVER_MEMORY] + driver_overhead_bytes(conf))


def overhead_bytes(conf: Mapping[str, str]) -> int:
    """What an executor asks for beside its heap, for what the JVM and others hold outside of it."""
    return _overhead_bytes(conf, _OF_EXECUTOR)


def driver_overhead_bytes(conf: Mapping[str, str]) -> int:
    """What a driver in a container asks for beside its heap."""
    return _overhead_bytes(conf, _OF_DRIVER)


def largest_heap(conf: Mapping[str, str], container_bytes: int) -> int:
    """The most bytes of heap with which an executor's container is no larger than this; less than 0 where the rest of it is."""
    if gives_heap_alone(master_of(conf)):
        return container_bytes
    return _heap_within(container_bytes - _besides(Settings(conf)), conf, _OF_EXECUTOR)


def largest_driver_heap(conf: Mapping[str, str], container_bytes: int) -> int:
    """The most bytes of heap with which a driver's container is no larger than this; less than 0 where its overhead is."""
    return _heap_within(container_bytes, conf, _OF_DRIVER)


def _overhead_bytes(conf: Mapping[str, str], of: _Overhead) -> int:
    settings = Settings(conf)
    share = int(min(settings[of.heap], _MOST) * _factor(conf, of))
    return settings[of.size] or max(share, settings[of.least])


def _heap_within(left: int, conf: Mapping[str, str], of: _Overhead) -> int:
    """The most bytes of heap that have their place there with their overhead."""
    settings = Settings(conf)
    if overhead := settings[of.size]:
        return left - overhead
    return min(left - settings[of.least], int(left / (1 + _factor(conf, of))))


def _factor(conf: Mapping[str, str], of: _Overhead) -> float:
    """Of the heap, what an overhead is that is not set (BasicExecutorFeatureStep, BasicDriverFeatureStep). Kubernetes gives jobs
    that are not of the JVM more by itself: a driver in its cluster is told so, and its log tells it. Before any log of such a
    job it is what it may be at most. Other drivers' executors have Spark's default, of whatever language."""
    settings = Settings(conf)
    factor = of.factor
    if factor not in settings and is_kubernetes(master_of(conf)):
        factor = KUBERNETES_MEMORY_OVERHEAD_FACTOR
        if factor not in settings and in_cluster_mode(conf):
            return _NOT_OF_JVM
    given = settings[factor]
    return given if 0 <= given <= _LARGEST_FACTOR else factor.default


def _besides(settings: Settings) -> int:
    off_heap = settings[OFF_HEAP_SIZE] if settings[OFF_HEAP] else 0
    return off_heap + (settings[PYSPARK_MEMORY] or 0)
