"""What an application held of cores and memory, and what its tasks took of it."""

from __future__ import annotations

from dataclasses import dataclass

from tuner.model.failure import FailureKind


@dataclass(frozen=True, slots=True)
class MemoryPeaks:
    """The most bytes that one process held at once of each kind, as Spark sampled it with every heartbeat (10 s) and between
    tasks: what came and went in less may have been more.

    `heap_bytes` holds garbage, too. `execution_bytes` and `storage_bytes` are what Spark counts of its memory, on the heap and
    off it; `native_bytes` what the JVM has beside its heap (classes, direct and mapped buffers), `process_bytes` what it and its
    Python workers hold in all, `beside_jvm_bytes` what these and other processes of its do: 0 where Spark did not ask the system
    (spark.executor.processTreeMetrics.enabled). `on_heap_execution_bytes` and `on_heap_storage_bytes` are what of these two was
    on the heap; None of runs that an earlier version stored.
    """

    heap_bytes: int = 0
    execution_bytes: int = 0
    storage_bytes: int = 0
    native_bytes: int = 0
    process_bytes: int = 0
    beside_jvm_bytes: int = 0
    on_heap_execution_bytes: int | None = None
    on_heap_storage_bytes: int | None = None

    @property
    def execution_on_heap(self) -> int:
        """All of it, where nobody knows."""
        return self.execution_bytes if self.on_heap_execution_bytes is None else self.on_heap_execution_bytes

    @property
    def storage_on_heap(self) -> int:
        """All of it, where nobody knows."""
        return self.storage_bytes if self.on_heap_storage_bytes is None else self.on_heap_storage_bytes


@dataclass(frozen=True, slots=True)
class ResourceUse:
    """What an application's executors held, and what its tasks took of it.

    `executor_ms` sums how long each executor was there (None: its log does not tell), `container_bytes` is what one of them asks
    its cluster for. `task_ms` and `gc_ms` sum the run time and the garbage collection of all attempts at tasks, `busy_core_ms`
    their run time by the cores that each takes, `spilled_bytes` what they spilled to disks. The peaks are the largest of any
    executor, and the driver's; None where nothing was sampled. In local mode the driver is the only executor. `firm_bytes` is the
    most of an executor's heap that was neither garbage nor storage, which Spark gives up where it must (`eventlog/firm_heap.py`
    says how it is known); 0 where not all was sampled. `tasks_at_once` are numbers of tasks that ran at once,
    ascending, each with the milliseconds in which so many did; () where the log does not tell. `caches` says that the job keeps
    rows or RDDs in its executors' memory (cache(), persist()), `has_barriers` that tasks of a stage of its run all at once or not
    at all (RDD.barrier). `lost_executors` are why executors are gone, each reason once, where the log tells one; the run may have
    gone on. `has_profiles` says that stages asked for executors of their own (ResourceProfile), whose sizes no property tells,
    `failed_in_profile` that these failed the application. `keeps_state` says that a stream keeps state from batch to batch, in
    its executors' memory.
    """

    executor_ms: int | None = None
    container_bytes: int = 0
    task_ms: int = 0
    busy_core_ms: int = 0
    gc_ms: int = 0
    spilled_bytes: int = 0
    executors: MemoryPeaks | None = None
    driver: MemoryPeaks | None = None
    firm_bytes: int = 0
    tasks_at_once: tuple[tuple[int, int], ...] = ()
    caches: bool = False
    has_barriers: bool = False
    lost_executors: tuple[FailureKind, ...] = ()
    has_profiles: bool = False
    failed_in_profile: bool = False
    keeps_state: bool = False

    @property
    def needs_its_executors(self) -> bool:
        """Whether fewer executors may be too few, however idle they are."""
        return self.caches or self.has_barriers or self.has_profiles or self.keeps_state

    @property
    def gc_share(self) -> float:
        """Of the time that tasks ran, what they waited for the collector; 0 where no task ran."""
        return self.gc_ms / self.task_ms if self.task_ms else 0.0

    @property
    def allocated_byte_ms(self) -> int | None:
        """Bytes that executors held times how long they held them; None where the log does not tell."""
        return None if self.executor_ms is None else self.executor_ms * self.container_bytes


UNKNOWN_USE = ResourceUse()
