"""How much less memory executors get than their job asks for: what none of its runs came near to, in steps that a run proves."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from tuner.model.failure import NOT_OF_SIZES, OF_EXECUTOR_MEMORY, FailureKind
from tuner.model.query import total_data_bytes
from tuner.model.reason import Reason, ReasonCode
from tuner.model.run import Outcome, Run, RunState
from tuner.model.size_change import SizeChange, as_asked
from tuner.policy.broadcasts_at_once import broadcasts_at_once
from tuner.policy.changes_in_effect import changes_in_effect
from tuner.policy.cut_steps import (
    AS_MUCH,
    LEAST_RUNS,
    LEAST_TAKEN,
    MOST_SLOWER,
    MOST_TAKEN,
    MOST_UNEXPLAINED,
    least_share,
)
from tuner.policy.idle_runs import found_nothing, without_idle
from tuner.policy.input_growth import input_growth
from tuner.spark.container import UNTOLD_OVERHEADS, executor_container_bytes, overhead_bytes
from tuner.spark.knobs import (
    EXECUTOR_CORES,
    EXECUTOR_MEMORY,
    EXECUTOR_MEMORY_OVERHEAD,
    EXECUTOR_MEMORY_OVERHEAD_FACTOR,
    EXECUTOR_METRICS_POLLING,
    MEMORY_FRACTION,
    OFF_HEAP,
    OFF_HEAP_SIZE,
    TASK_CPUS,
)
from tuner.spark.master import gives_heap_alone, is_kubernetes, is_local, master_of
from tuner.spark.memory import RESERVED_BYTES, SHARE_OF_ONE
from tuner.spark.properties import EXECUTOR_JAVA_OPTIONS
from tuner.spark.settings import Settings
from tuner.units import MIB, parse_bytes

# A run may hold more than any before it, by this share; a death for memory doubles it.
HEAD_ROOM = 0.25
# Peaks are those of samples: what is sampled more seldom than every so many milliseconds, misses too much.
MOST_SELDOM_MS = 1000
# Spark starts no executor with less than 1.5 times 300 MiB (UnifiedMemoryManager.getMaxMemory).
LEAST_HEAP = 512 * MIB
_ROUND = 64 * MIB
_LEAST_FRACTION = 0.01
# A step goes that makes tasks wait for the collector for more than this share of their time, and so much longer than before.
MOST_GC, MORE_GC = 0.1, 2.0
_HEAP, _OVERHEAD = EXECUTOR_MEMORY.property, EXECUTOR_MEMORY_OVERHEAD.property
# A JVM does not start whose heap is to begin larger than it may become, to stay larger, or to grow beyond that only at need.
_LEAST_HEAPS = re.compile(r"-(?:Xms|XX:(?:InitialHeapSize|MinHeapSize|SoftMaxHeapSize)=)(\d{1,15}[kKmMgGtT]?)(?![\w.])")


def size_cuts(runs: Sequence[Run], own_conf: Mapping[str, str], *, may_step: bool) -> tuple[SizeChange, ...]:
    """What the next run's executors get less of than `own_conf`, what its author set, asks for. `runs` are its cohort's, oldest
    first.

    The heap: what any run held at once that was neither garbage nor storage, and its broadcasts (`broadcasts_at_once`), in
    all and of Spark's share of it, and a quarter more; by half at most in a step, once three runs were sampled in the
    author's size, and one in that of each step; less than half of the author's size only after a month of runs
    (`least_share`). Garbage fills any heap, and broadcasts of earlier queries any storage: neither is a need. A death for
    want of memory takes its step back for good and doubles the room; a step that tasks are slower with is taken back, too. A
    retry takes no step (`may_step`), and a run that found nothing to read tells nothing. Where an overhead follows from the
    heap, it stays what it was. Nothing is taken in local mode, after a raise, where the program sets the heap itself, where
    more is held outside of the heap than a container has for that, or nobody knows how much is: it may live off the heap; nor
    from streams that keep state; nor, for caution, on Kubernetes where neither an overhead nor its share is set: there Spark
    sets the share by the language of the job.
    """
    known = _Known(own_conf)
    for run in without_idle(runs):
        known.take(run)
    return tuple(known.cuts(may_step=may_step))


@dataclass(frozen=True, slots=True)
class _Sampled:
    """A run that succeeded: when it started; bytes of its heap, of what was neither garbage nor storage there, of execution there
    at most, of broadcasts at once (all that was stored, where not all joins are known; `has_joins`: where some are, it was not
    read in brief), of the largest in a query that is changed, of what was outside of the heap (None: not known); and what it read
    (0: not known)."""

    run: str
    at: datetime
    heap: int
    firm: int
    execution: int
    broadcasts: int
    has_joins: bool
    hinted: int
    outside: int | None
    input_bytes: int
    task_ms: int
    gc_share: float
    in_force: frozenset[str]


@dataclass(slots=True)
class _Known:
    """What a cohort's runs say of the heap that it asks for: the sizes that worked since, largest first; the least that it may
    have; how much room is left above what was needed; whether its latest run is under way with less than any before."""

    own_conf: Mapping[str, str]
    conf: dict[str, str] = field(default_factory=dict)
    shape: tuple[int | float, ...] = ()
    version: str = ""
    sampled: list[_Sampled] = field(default_factory=list)
    sizes: list[int] = field(default_factory=list)
    least: int = LEAST_HEAP
    room: float = HEAD_ROOM
    unexplained: int = 0
    # Of each shape that it had, the least that it may have, and the room.
    lessons: dict[tuple[int | float, ...], tuple[int, float]] = field(default_factory=dict)
    is_tried_now: bool = False
    # Whether what was submitted was not what the run had: its program says another size.
    is_overruled: bool = False

    @property
    def own(self) -> int:
        return int(self.shape[0]) if self.shape else 0

    def take(self, run: Run) -> None:
        had = {one.property: one for one in run.decision.sizes}
        outcome = run.outcome
        if run.state is RunState.RUNNING:
            size = _heap({_HEAP: had[_HEAP].value}) if _HEAP in had else 0
            self.is_tried_now |= 0 < size < min(self.sizes, default=0)
            return
        self.is_tried_now = False
        if outcome is None:
            if run.state is RunState.FAILED and _HEAP in had:
                self._lost(_heap({_HEAP: had[_HEAP].value}), FailureKind.UNKNOWN)
            return
        self.conf = as_asked(outcome.conf, run.decision.sizes)
        if _OVERHEAD in had:
            self.conf.pop(_OVERHEAD, None)
        heap, shape = _heap(outcome.conf), _shape(self.conf)
        is_raised = any(one.property in (_HEAP, _OVERHEAD) for one in run.decision.raises)
        if shape != self.shape or outcome.spark_version != self.version or is_raised:
            self.lessons[self.shape] = (self.least, self.room)
            self.shape, self.version = shape, outcome.spark_version
            self.sampled, self.sizes, self.unexplained, self.is_overruled = [], [], 0, False
            self.least, self.room = self.lessons.get(shape, (LEAST_HEAP, HEAD_ROOM))
        self.is_overruled |= _HEAP in had and heap != _heap({_HEAP: had[_HEAP].value})
        if not 0 < heap <= self.own:
            return
        failed = outcome.failure.kind if outcome.failure else FailureKind.UNKNOWN
        # Spark may have made up for executors that died.
        kinds = (failed, *outcome.resources.lost_executors)
        of_memory = next((kind for kind in kinds if kind in OF_EXECUTOR_MEMORY), None)
        lost_some = run.state is RunState.SUCCEEDED and FailureKind.EXECUTOR_LOST in kinds and heap < self.own
        if of_memory is not None:
            self._lost(heap, of_memory)
        elif run.state is RunState.FAILED or lost_some:
            self._lost(heap, failed if run.state is RunState.FAILED else FailureKind.EXECUTOR_LOST)
        elif run.state is RunState.SUCCEEDED:
            self._succeeded(run, outcome, heap)

    def _succeeded(self, run: Run, outcome: Outcome, heap: int) -> None:
        use = outcome.resources
        if use.keeps_state:
            # It grows with each batch, in a later run too.
            self.sampled, self.sizes = [], []
            return
        polled_ms = Settings(outcome.conf)[EXECUTOR_METRICS_POLLING]
        if use.executors is None or not use.firm_bytes or not 0 < polled_ms <= MOST_SELDOM_MS:
            return
        if found_nothing(outcome.queries):
            return
        in_force = frozenset(d.id for d in changes_in_effect(run))
        input_bytes = total_data_bytes(outcome.queries)
        found = _Sampled(
            run.key,
            run.started_at,
            heap,
            use.firm_bytes,
            use.executors.execution_on_heap,
            _broadcasts(outcome),
            any(query.joins for query in outcome.queries),
            _hinted_bytes(run, outcome),
            use.executors.native_bytes + use.executors.beside_jvm_bytes if use.executors.process_bytes else None,
            input_bytes,
            use.task_ms,
            use.gc_share,
            in_force,
        )
        before = [s for s in self.sampled if s.heap == self.own]
        alike = [s for s in self.sampled if s.heap == heap and s.in_force == in_force]
        self.sampled.append(found)
        if heap < self.own:
            self.unexplained = 0
        if heap not in self.sizes and heap >= self.least:
            self.sizes = sorted({*self.sizes, heap}, reverse=True)
        if heap < self.own and before and _is_slower([*alike, found], before):
            self._take_back(heap)

    def _lost(self, heap: int, kind: FailureKind) -> None:
        if kind in NOT_OF_SIZES or (heap >= self.own and kind not in OF_EXECUTOR_MEMORY):
            return
        if kind in OF_EXECUTOR_MEMORY:
            self.room *= 2
        else:
            self.unexplained += 1
            if heap in self.sizes and self.unexplained < MOST_UNEXPLAINED:
                return  # It was enough before; nothing says that it was not now.
        self._take_back(heap)

    def _take_back(self, heap: int) -> None:
        """For good: the next larger one that worked is the least."""
        self.least = min((size for size in self.sizes if size > heap), default=self.own)
        self.sizes = [size for size in self.sizes if size >= self.least]

    @property
    def _asked(self) -> dict[str, str]:
        return {**self.conf, **self.own_conf}

    def cuts(self, *, may_step: bool) -> list[SizeChange]:
        asked = self._asked
        master, settings = master_of(asked), Settings(asked)
        is_known = self.sizes and not self.is_overruled and _shape(asked) == self.shape
        if (
            is_local(master)
            or UNTOLD_OVERHEADS[_OVERHEAD] in self.own_conf
            or not is_known
            or not self._fits_beside(asked)
        ):
            return []
        size = now = min(self.sizes)
        telling = self._telling(now)
        needed = max(_heap_for(s, 1 + self.room, settings[MEMORY_FRACTION]) for s in telling)
        if may_step and not self.is_tried_now and sum(s.heap == self.own for s in self.sampled) >= LEAST_RUNS:
            share = max(now * MOST_TAKEN, self.own * least_share([s.at for s in self.sampled]))
            grown = _rounded(needed * input_growth(s.input_bytes for s in self.sampled))
            wanted = max(grown, math.ceil(share / MIB) * MIB, self.least, _least_heap(asked))
            if wanted <= now * (1 - LEAST_TAKEN):
                size = wanted
        # What a run in a larger one needed since, the next may need.
        size = max(size, _rounded(needed), self.least, _least_heap(asked))
        if size >= self.own:
            return []
        most = max(telling, key=lambda s: _heap_for(s, 1.0, settings[MEMORY_FRACTION]))
        at_once = round(_heap_for(most, 1.0, settings[MEMORY_FRACTION]))
        why = Reason(ReasonCode.SIZE_CUT, {"needed_bytes": at_once, "run": most.run, "runs": len(telling)})
        cut = SizeChange(_HEAP, _text(size), _text(self.own), why)
        if gives_heap_alone(master) or EXECUTOR_MEMORY_OVERHEAD in settings:
            return [cut]
        less = overhead_bytes({**asked, _HEAP: cut.value})
        overhead = overhead_bytes(asked)
        kept = SizeChange(_OVERHEAD, _text(overhead), _text(less), Reason(ReasonCode.OVERHEAD_KEPT))
        return [cut, kept] if overhead > less else [cut]

    def _fits_beside(self, asked: Mapping[str, str]) -> bool:
        """Whether what was outside of the heap has its place there: in a container it may live off a heap that is never full."""
        master, settings = master_of(asked), Settings(asked)
        if gives_heap_alone(master):
            return True
        is_told = EXECUTOR_MEMORY_OVERHEAD in settings or EXECUTOR_MEMORY_OVERHEAD_FACTOR in settings
        if is_kubernetes(master) and not is_told:
            return False
        # What Spark itself takes off the heap is told by no pool of the JVM's, and is in its place.
        off_heap = settings[OFF_HEAP_SIZE] if settings[OFF_HEAP] else 0
        beside = executor_container_bytes(asked) - self.own - off_heap
        return all(s.outside is not None and s.outside <= beside for s in self.sampled)

    def _telling(self, now: int) -> list[_Sampled]:
        """The runs that tell what is needed. Larger heaps hold more garbage: they count only where no run in this one read as
        much."""
        told = max((s.input_bytes for s in self.sampled if s.heap == now), default=0)
        telling = [s for s in self.sampled if s.heap == now or not 0 < s.input_bytes * AS_MUCH <= told]
        # Of broadcasts in this heap later runs tell more than one that is read in brief: it did with them.
        return [s for s in telling if s.has_joins or s.heap > now] or telling


def _heap_for(sampled: _Sampled, room: float, fraction: float) -> float:
    """The heap in which so many times what a run needed has its place; Spark's own is a fraction of it (UnifiedMemoryManager)."""
    fraction = max(fraction, _LEAST_FRACTION)
    sparks = (sampled.execution + sampled.broadcasts) * room / fraction + RESERVED_BYTES
    # With less, the agent would hold the hint that makes it (`broadcast_cap`).
    hinted = sampled.hinted * room / SHARE_OF_ONE / fraction + RESERVED_BYTES if sampled.hinted else 0
    return max((sampled.firm + sampled.broadcasts) * room, sparks, hinted)


def _broadcasts(outcome: Outcome) -> int:
    """Of runs that are read in brief, which hold no joins, of those of so many queries that only some have theirs, and of those
    that keep rows in memory, all that storage held of the heap."""
    queries = outcome.queries
    stored = outcome.resources.executors.storage_on_heap if outcome.resources.executors else 0
    is_whole = any(query.joins for query in queries) and not any(query.work_in_brief for query in queries)
    return broadcasts_at_once(queries, stored) if is_whole and not outcome.resources.caches else stored


def _hinted_bytes(run: Run, outcome: Outcome) -> int:
    """The largest relation that was broadcast in a query whose joins are changed."""
    changed = {query for d in run.decision.in_force if d.change.is_on_joins for query in d.queries}
    joins = (join for query in outcome.queries if query.fingerprint in changed for join in query.joins)
    return max((side.broadcast_bytes or 0 for join in joins for side in (join.left, join.right)), default=0)


def _is_slower(found: Sequence[_Sampled], before: Sequence[_Sampled]) -> bool:
    """Whether the last one's tasks waited for the collector, or those of all took longer than those of any run in the author's
    heap under the same changes that read as much."""
    if found[-1].gc_share > max(MOST_GC, MORE_GC * max(s.gc_share for s in before)):
        return True
    shortest = min(found, key=lambda s: s.task_ms)
    alike = [
        s.task_ms for s in before if s.in_force == shortest.in_force and s.input_bytes >= AS_MUCH * shortest.input_bytes
    ]
    return bool(alike) and shortest.task_ms > (1 + MOST_SLOWER) * max(alike)


def _heap(conf: Mapping[str, str]) -> int:
    """In whole MiB, as sizes are given."""
    return -(-Settings(conf)[EXECUTOR_MEMORY] // MIB) * MIB


def _least_heap(conf: Mapping[str, str]) -> int:
    """The least that its executors' heaps may be at most, by options of their JVMs; 0 where none says so."""
    given = [size for name in EXECUTOR_JAVA_OPTIONS for size in _LEAST_HEAPS.findall(conf.get(name, ""))]
    return max((parse_bytes(size, "b") or 0 for size in given), default=0)


def _shape(conf: Mapping[str, str]) -> tuple[int | float, ...]:
    """The heap, and how much is done in it at a time: with other tasks beside one another a job needs another one."""
    settings = Settings(conf)
    return (_heap(conf), settings[EXECUTOR_CORES], settings[TASK_CPUS], settings[MEMORY_FRACTION])


def _rounded(size: float) -> int:
    return math.ceil(size / _ROUND) * _ROUND


def _text(size: int) -> str:
    return f"{-(-size // MIB)}m"
