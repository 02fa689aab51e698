"""What tasks took of cores and memory so far, and the most that was sampled of the processes' memory."""

from __future__ import annotations

import msgspec

from tuner.eventlog import events as ev
from tuner.eventlog.firm_heap import FirmHeap
from tuner.model.resource_use import MemoryPeaks

# What a store's reader takes: sums of a damaged log end there.
_MOST = (1 << 63) - 1
# Spark's name for the driver's block manager (SparkContext.DRIVER_IDENTIFIER).
_DRIVER = "driver"
# So many executors are removed after one until its heap is let go: ends of its tasks may follow its end closely.
_LINGERING = 1000


class OpenResources(msgspec.Struct):
    """Sums over attempts at tasks, and peaks in the order of MemoryPeaks; these are empty where nothing was sampled.

    `heaps` are by executor; `removed` are the last that were, `removed_firm` is the most of what was firm in heaps let go.
    """

    task_ms: int = 0
    gc_ms: int = 0
    spilled_bytes: int = 0
    driver: list[int] = []
    executors: list[int] = []
    heaps: dict[str, FirmHeap] = {}
    removed: list[str] = []
    removed_firm: int = 0
    caches: bool = False
    has_barriers: bool = False
    has_profiles: bool = False
    keeps_state: bool = False

    def take_task(self, event: ev.TaskEnd) -> None:
        metrics = event.metrics
        if metrics is not None:
            if metrics.run_time_ms > 0:
                self.task_ms += metrics.run_time_ms
            if metrics.gc_time_ms > 0:
                self.gc_ms += metrics.gc_time_ms
            if metrics.disk_spilled > 0:
                self.spilled_bytes += metrics.disk_spilled
            if self.task_ms > _MOST or self.gc_ms > _MOST or self.spilled_bytes > _MOST:
                self._add(0, 0, 0)
        if event.peaks is not None:
            self.take_peaks(event.info.executor_id, event.peaks)
            self._take_firm(event.info, event.peaks)

    def take_peaks(self, executor: str, sampled: ev.ExecutorMetrics) -> None:
        """Take in what was sampled of one process. Spark writes zeros where no sample fell into a task or a stage."""
        if sampled.heap <= 0:
            return
        peaks = (
            sampled.heap,
            sampled.on_heap_execution + sampled.off_heap_execution,
            sampled.on_heap_storage + sampled.off_heap_storage,
            sampled.off_heap + sampled.direct_pool + sampled.mapped_pool,
            sampled.jvm_resident + sampled.python_resident + sampled.other_resident,
            sampled.python_resident + sampled.other_resident,
            sampled.on_heap_execution,
            sampled.on_heap_storage,
        )
        mine = self.driver if executor == _DRIVER else self.executors
        mine[:] = _larger(mine, peaks)

    def _take_firm(self, task: ev.TaskInfo, sampled: ev.ExecutorMetrics) -> None:
        if sampled.heap <= 0 or task.executor_id == _DRIVER:
            return
        heap = self.heaps.get(task.executor_id)
        if heap is None:
            heap = self.heaps[task.executor_id] = FirmHeap()
        storage = max(0, sampled.on_heap_storage)
        heap.take(task.launched_ms, task.finished_ms, min(_MOST, sampled.heap), min(_MOST, storage))

    def remove(self, executor: str) -> None:
        """Take in that an executor is gone, of a log that is read from its beginning."""
        self.removed.append(executor)
        if len(self.removed) > _LINGERING and (heap := self.heaps.pop(self.removed.pop(0), None)):
            self.removed_firm = max(self.removed_firm, heap.so_far)

    @property
    def firm_bytes(self) -> int:
        return max(self.removed_firm, *(heap.so_far for heap in self.heaps.values()), 0)

    def absorb(self, later: OpenResources) -> None:
        for executor, heap in later.heaps.items():
            self.heaps.setdefault(executor, FirmHeap()).absorb(heap)
        self.caches |= later.caches
        self.has_barriers |= later.has_barriers
        self.has_profiles |= later.has_profiles
        self.keeps_state |= later.keeps_state
        self._add(later.task_ms, later.gc_ms, later.spilled_bytes)
        self.driver = _larger(self.driver, later.driver)
        self.executors = _larger(self.executors, later.executors)

    def _add(self, task_ms: int, gc_ms: int, spilled_bytes: int) -> None:
        self.task_ms = min(_MOST, self.task_ms + task_ms)
        self.gc_ms = min(_MOST, self.gc_ms + gc_ms)
        self.spilled_bytes = min(_MOST, self.spilled_bytes + spilled_bytes)


def peaks_of(peaks: list[int]) -> MemoryPeaks | None:
    return MemoryPeaks(*peaks) if peaks else None


def _larger(peaks: list[int], others: list[int] | tuple[int, ...]) -> list[int]:
    if not peaks or not others:
        return [min(_MOST, max(0, peak)) for peak in others or peaks]
    return [min(_MOST, max(a, b)) for a, b in zip(peaks, others, strict=True)]
