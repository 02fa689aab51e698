"""How much more memory a run gets than its job asks for: after runs that died for want of it, and as much as worked since."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from tuner.model.failure import Failure, FailureKind
from tuner.model.reason import Reason, ReasonCode
from tuner.model.resource_use import UNKNOWN_USE
from tuner.model.run import Outcome, Run, RunState
from tuner.model.size_change import MemoryLimits, SizeChange
from tuner.policy.changes_in_effect import changes_in_effect
from tuner.policy.failed_run import FailedRun, failed_by
from tuner.spark.container import executor_container_bytes, largest_heap, overhead_bytes
from tuner.spark.knob import Knob
from tuner.spark.knobs import (
    DRIVER_MAX_RESULT_SIZE,
    DRIVER_MEMORY,
    EXECUTOR_MEMORY,
    EXECUTOR_MEMORY_OVERHEAD,
)
from tuner.spark.master import gives_heap_alone, is_local
from tuner.spark.settings import Settings
from tuner.units import MIB

# What was too little by half at most is then enough, and what was nearly enough is then no more than twice of that.
STEP = 2
# A limit that leaves less than this is no step.
LEAST_STEP = 1.2
# Results are collected as bytes, and decoded beside these.
HEAP_PER_RESULT = 2

_Sized = Knob[int] | Knob[int | None]
# What more of heals a death of each kind.
REMEDIES: Mapping[FailureKind, _Sized] = {
    FailureKind.TASK_MEMORY: EXECUTOR_MEMORY,
    FailureKind.EXECUTOR_OUT_OF_MEMORY: EXECUTOR_MEMORY,
    FailureKind.EXECUTOR_OVER_LIMIT: EXECUTOR_MEMORY_OVERHEAD,
    FailureKind.DRIVER_OUT_OF_MEMORY: DRIVER_MEMORY,
    FailureKind.BROADCAST_OUT_OF_MEMORY: DRIVER_MEMORY,
    FailureKind.RESULT_TOO_LARGE: DRIVER_MAX_RESULT_SIZE,
}
_HEAP, _OVERHEAD = EXECUTOR_MEMORY.property, EXECUTOR_MEMORY_OVERHEAD.property
_DRIVER, _RESULTS = DRIVER_MEMORY.property, DRIVER_MAX_RESULT_SIZE.property
# An overhead that is not set grows with the heap: the heap comes first.
_SIZED: Mapping[str, _Sized] = {
    knob.property: knob for knob in (EXECUTOR_MEMORY, EXECUTOR_MEMORY_OVERHEAD, DRIVER_MEMORY, DRIVER_MAX_RESULT_SIZE)
}
# Its name before Spark 2.3, which logs do not tell of.
_OLD_OVERHEAD = "spark.yarn.executor.memoryOverhead"


def memory_raises(runs: Sequence[Run], own_conf: Mapping[str, str], limits: MemoryLimits) -> tuple[SizeChange, ...]:
    """What the next run gets more of than `own_conf`, what its author set, asks for. `runs` are its cohort's, oldest first.

    A run that died for memory is followed by one with twice as much of what it lacked, within the limits; what worked, stays,
    until the author asks for another size. Nothing is raised once a later run did with less, nor for a death that changes of the
    tuner's are suspected of: the next run goes without these first. What was refused, or did not help, is not tried again.
    """
    known = _Known(own_conf, limits)
    for position, run in enumerate(runs):
        known.take(run, runs[:position])
    return tuple(known.raises())


@dataclass(slots=True)
class _Given:
    """So much of a property, why, since when, and what its author asked for then."""

    size: int
    why: Reason
    since: datetime
    was: str


@dataclass(slots=True)
class _Known:
    """What a cohort's runs say of its memory, by properties: what `worked`, what is `tried`, and the least that is in `vain`."""

    own_conf: Mapping[str, str]
    limits: MemoryLimits
    worked: dict[str, _Given] = field(default_factory=dict)
    tried: dict[str, _Given] = field(default_factory=dict)
    vain: dict[str, int] = field(default_factory=dict)
    # What runs had of their own, where the author does not set it: of a properties file on the cluster, maybe.
    conf: dict[str, str] = field(default_factory=dict)

    def take(self, run: Run, earlier: Sequence[Run]) -> None:
        had = {one.property: one for one in run.decision.raises}
        changed = {one.property: one.was for one in run.decision.sizes}
        if run.outcome is not None:
            own = {name: value for name, value in run.outcome.conf.items() if name not in changed}
            # What an overhead was, need not have been set.
            self.conf = {**{name: was for name, was in changed.items() if name != _OVERHEAD}, **own}
        failure, outcome = run.failure, run.outcome
        if run.state is RunState.SUCCEEDED:
            self._succeeded(run, had)
        elif failure is not None and outcome is not None and failure.kind in REMEDIES:
            self._died(run, outcome, failure, earlier)
        elif run.state in (RunState.FAILED, RunState.LOST) and not (outcome and outcome.resources.task_ms):
            self._never_came_to_run(run, had)

    def _succeeded(self, run: Run, had: Mapping[str, SizeChange]) -> None:
        for name, one in had.items():
            size = _size(name, {name: one.value})
            why = Reason(ReasonCode.RAISE_WORKED, {"run": run.key}, (one.why,))
            # It says in which run it worked first.
            why = one.why if one.why.code is ReasonCode.RAISE_WORKED else why
            self.worked[name] = _Given(size, why, run.started_at, one.was)
        for name, tried in list(self.tried.items()):
            size = _size(name, run.outcome.conf) if run.outcome else 0
            # One that was under way when the other died, and had less, says nothing.
            if size >= tried.size or run.started_at > tried.since:
                del self.tried[name]
        for name, vain in list(self.vain.items()):
            if run.outcome and _size(name, run.outcome.conf) >= vain:
                del self.vain[name]

    def _never_came_to_run(self, run: Run, had: Mapping[str, SizeChange]) -> None:
        """It may have been refused what it asked for, or have waited for it until somebody ended it."""
        for name in had:
            if tried := self.tried.pop(name, None):
                self.vain[name] = min(self.vain.get(name, tried.size), tried.size)
            elif run.outcome is None and run.state is RunState.FAILED:
                self.worked.pop(name, None)

    def _died(self, run: Run, outcome: Outcome, failure: Failure, earlier: Sequence[Run]) -> None:
        remedy, conf = REMEDIES[failure.kind].property, outcome.conf
        master = conf.get("spark.master", "")
        has_less = remedy in (_HEAP, _OVERHEAD) and run.decision.cuts
        # The next try goes without what may have made it: changes, or less than its author asks for.
        if has_less or failed_by(FailedRun(run, earlier), changes_in_effect(run)):
            return
        if failure.kind is FailureKind.EXECUTOR_OUT_OF_MEMORY and outcome.resources == UNKNOWN_USE:
            return  # An earlier version stored it, which did not tell a heap from a container.
        if is_local(master) and remedy in (_HEAP, _OVERHEAD):
            remedy = _DRIVER
        if remedy == _OVERHEAD and (_OLD_OVERHEAD in self.own_conf or gives_heap_alone(master)):
            return
        size, most = _size(remedy, conf), self._most(remedy, conf) // MIB * MIB
        if size <= 0:
            return
        if self.vain.get(remedy, size + 1) <= size:
            del self.vain[remedy]  # It had as much since, of its own.
        wanted = min(STEP * size, most)
        if wanted < LEAST_STEP * size or wanted >= self.vain.get(remedy, wanted + 1):
            # It died with all that it may have: what was tried has not helped.
            if remedy in self.tried:
                self.vain[remedy] = size
                del self.tried[remedy]
            return
        self._try(remedy, wanted, conf, run, failure)
        heap = HEAP_PER_RESULT * wanted
        if remedy == _RESULTS and heap > _size(_DRIVER, conf):
            self._try(_DRIVER, heap, conf, run, failure)

    def _try(self, name: str, size: int, conf: Mapping[str, str], run: Run, failure: Failure) -> None:
        why = Reason(ReasonCode.RAISED, {"run": run.key, "failure": failure.words, "before": _text(_size(name, conf))})
        self.tried[name] = _Given(size, why, run.ended_at or run.started_at, _text(_size(name, self._asked)))

    def _most(self, name: str, conf: Mapping[str, str]) -> int:
        """The most that a run with this conf may have of a property."""
        asked = {**conf, **self._asked}
        if name in (_HEAP, _OVERHEAD):
            if name == _HEAP and self.limits.executor_bytes is None:
                return STEP * _size(_HEAP, asked)
            limit = self.limits.executor_bytes or STEP * executor_container_bytes(asked)
            if name == _OVERHEAD:
                return limit - (executor_container_bytes(conf) - overhead_bytes(conf))
            return largest_heap(conf, limit)
        if self.limits.driver_bytes is None and not _is_elsewhere(asked):
            # Its driver is beside others, who share the machine with it: only who knows that may give more of it away.
            heap = _size(_DRIVER, asked)
        else:
            heap = self.limits.driver_bytes or STEP * _size(_DRIVER, asked)
        return heap if name == _DRIVER else heap // HEAP_PER_RESULT

    @property
    def _asked(self) -> dict[str, str]:
        """What the job asks for without the tuner."""
        return {**self.conf, **self.own_conf}

    def raises(self) -> list[SizeChange]:
        asked, found = self._asked, list[SizeChange]()
        for name in _SIZED:
            own = _size(name, asked)
            worked, tried = self.worked.get(name), self.tried.get(name)
            if worked is not None and worked.was != _text(own) and name != _OVERHEAD:
                worked = None  # Its author has thought again.
            given = max((g for g in (worked, tried) if g), key=lambda g: g.size, default=None)
            is_unlimited = name == _RESULTS and own == 0
            if given is None or is_unlimited:
                continue
            conf = {**asked, **{one.property: one.value for one in found}}
            size = min(given.size, self._limit(name, conf))
            if size - max(own, _size(name, conf)) > MIB:
                found.append(SizeChange(name, _text(size), _text(own), given.why))
        return found

    def _limit(self, name: str, conf: Mapping[str, str]) -> int:
        """What the platform lets a run have, which may be less than it was."""
        executor, driver = self.limits.executor_bytes, self.limits.driver_bytes
        if name == _HEAP and executor:
            return largest_heap(conf, executor) // MIB * MIB
        if name == _OVERHEAD and executor:
            return (executor - (executor_container_bytes(conf) - overhead_bytes(conf))) // MIB * MIB
        if name == _DRIVER and driver:
            return driver
        return 1 << 62


def _is_elsewhere(conf: Mapping[str, str]) -> bool:
    """Whether the driver runs where the cluster puts it, and not beside spark-submit."""
    return conf.get("spark.submit.deployMode") == "cluster"


def _size(name: str, conf: Mapping[str, str]) -> int:
    return overhead_bytes(conf) if name == _OVERHEAD else Settings(conf)[_SIZED[name]] or 0


def _text(size: int) -> str:
    return f"{-(-size // MIB)}m"
