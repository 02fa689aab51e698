"""How much more memory a run gets than its job asks for: after runs that died for want of it, and as much as worked since."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from tuner.model.failure import Failure, FailureKind
from tuner.model.memory_raise import MemoryLimits, MemoryRaise
from tuner.model.reason import Reason, ReasonCode
from tuner.model.run import Run, RunState
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
from tuner.spark.master import is_local
from tuner.spark.settings import Settings
from tuner.units import MIB

# What was too little by half at most is then enough, and what was nearly enough is then no more than twice of that.
STEP = 2
# A limit that leaves less than this is no step.
LEAST_STEP = 1.2
# Results are collected as bytes, and decoded beside these.
HEAP_PER_RESULT = 2

# Deaths of a run that had all that it asked for.
OF_ANOTHER_CAUSE = frozenset(
    {
        FailureKind.INPUT_MISSING,
        FailureKind.ACCESS_DENIED,
        FailureKind.UNREACHABLE,
        FailureKind.CODE,
        FailureKind.DATA_OR_CODE,
        FailureKind.OWN_EXIT,
        FailureKind.LOCAL_DISK,
        FailureKind.EXECUTOR_PREEMPTED,
        FailureKind.BROADCAST_TIMEOUT,
        FailureKind.BROADCAST_TOO_LARGE,
    }
)

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
_RAISED: tuple[_Sized, ...] = (EXECUTOR_MEMORY, EXECUTOR_MEMORY_OVERHEAD, DRIVER_MEMORY, DRIVER_MAX_RESULT_SIZE)
_ON_EXECUTORS = frozenset({EXECUTOR_MEMORY.property, EXECUTOR_MEMORY_OVERHEAD.property})


def memory_raises(runs: Sequence[Run], own_conf: Mapping[str, str], limits: MemoryLimits) -> tuple[MemoryRaise, ...]:
    """What the next run gets more of than `own_conf`, what its author set, asks for. `runs` are its cohort's, oldest first.

    A run that died for memory is followed by one with twice as much of what it lacked, within the limits. What worked, stays.
    Nothing is raised for a death that changes of the tuner's are suspected of: the next run goes without these first. What was
    refused, or did not help, is not tried again.
    """
    known = _Known(own_conf, limits)
    for position, run in enumerate(runs):
        known.take(run, runs[:position])
    return tuple(known.raises())


@dataclass(slots=True)
class _Given:
    """So much of a property, and why."""

    size: int
    why: Reason


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
        if run.outcome is not None:
            own = {name: value for name, value in run.outcome.conf.items() if name not in had}
            # What an overhead was, need not have been set.
            was = {name: one.was for name, one in had.items() if name != EXECUTOR_MEMORY_OVERHEAD.property}
            self.conf = {**was, **own}
        if run.state is RunState.SUCCEEDED:
            self._succeeded(run, had)
        elif run.state in (RunState.FAILED, RunState.PARTIAL):
            self._failed(run, earlier, had)

    def _succeeded(self, run: Run, had: Mapping[str, MemoryRaise]) -> None:
        for name, one in had.items():
            size = _size(name, {name: one.value})
            # Of another run, under way meanwhile, that had less, it says nothing.
            if name in self.tried and self.tried[name].size <= size:
                del self.tried[name]
            why = Reason(ReasonCode.RAISE_WORKED, {"run": run.key}, (one.why,))
            # It says in which run it worked first.
            self.worked[name] = _Given(size, one.why if one.why.code is ReasonCode.RAISE_WORKED else why)

    def _failed(self, run: Run, earlier: Sequence[Run], had: Mapping[str, MemoryRaise]) -> None:
        failure = run.failure
        kind = failure.kind if failure else None
        remedy = REMEDIES.get(kind) if kind else None
        if failure is None or remedy is None or run.outcome is None:
            # It may have been refused what it asked for, or have waited for it until somebody ended it.
            if run.outcome is None or kind not in OF_ANOTHER_CAUSE:
                self._in_vain(had)
            return
        if failed_by(FailedRun(run, earlier), changes_in_effect(run)):
            return
        conf = run.outcome.conf
        if is_local(conf.get("spark.master", "")) and remedy.property in _ON_EXECUTORS:
            remedy = DRIVER_MEMORY
        self._raise(remedy, conf, run, failure)
        if remedy is DRIVER_MAX_RESULT_SIZE and (more := self.tried.get(remedy.property)):
            self._raise(DRIVER_MEMORY, conf, run, failure, HEAP_PER_RESULT * more.size)

    def _raise(
        self, knob: _Sized, conf: Mapping[str, str], run: Run, failure: Failure, least: int | None = None
    ) -> None:
        """Try twice as much, or `least` where that is more than there is."""
        name, size = knob.property, _size(knob.property, conf)
        if size <= 0 or (least is not None and least <= size):
            return
        most = self._most(name, conf) // MIB * MIB
        wanted = min(STEP * size if least is None else least, most)
        if least is not None and wanted < least:
            return
        if wanted < LEAST_STEP * size or wanted >= self.vain.get(name, wanted + 1):
            # It died with all that it may have: what was tried has not helped.
            self.vain[name] = min(self.vain.get(name, size), size)
            self.tried.pop(name, None)
            return
        numbers = {"run": run.key, "failure": failure.words, "before": _text(size)}
        self.tried[name] = _Given(wanted, Reason(ReasonCode.RAISED, numbers))

    def _in_vain(self, had: Mapping[str, MemoryRaise]) -> None:
        for name in [name for name in had if name in self.tried]:
            self.vain[name] = min(self.vain.get(name, self.tried[name].size), self.tried[name].size)
            del self.tried[name]

    def _most(self, name: str, conf: Mapping[str, str]) -> int:
        """The most that a run with this conf may have of a property."""
        asked = {**conf, **self._asked}
        if name in _ON_EXECUTORS:
            limit = self.limits.executor_bytes or STEP * executor_container_bytes(asked)
            if name == EXECUTOR_MEMORY_OVERHEAD.property:
                return limit - (executor_container_bytes(conf) - overhead_bytes(conf))
            return largest_heap(conf, limit)
        limit = self.limits.driver_bytes or STEP * _size(DRIVER_MEMORY.property, asked)
        return limit if name == DRIVER_MEMORY.property else max(limit // HEAP_PER_RESULT, STEP * _size(name, asked))

    @property
    def _asked(self) -> dict[str, str]:
        """What the job asks for without the tuner."""
        return {**self.conf, **self.own_conf}

    def raises(self) -> list[MemoryRaise]:
        asked, found = self._asked, list[MemoryRaise]()
        for name in (knob.property for knob in _RAISED):
            given = max(
                (g for g in (self.worked.get(name), self.tried.get(name)) if g), key=lambda g: g.size, default=None
            )
            # An overhead that is not set grows with the heap.
            own = _size(name, {**asked, **{one.property: one.value for one in found}})
            is_unlimited = name == DRIVER_MAX_RESULT_SIZE.property and own == 0
            if given is not None and given.size - own > MIB and not is_unlimited:
                found.append(MemoryRaise(name, _text(given.size), _text(own), given.why))
        return found


def _size(name: str, conf: Mapping[str, str]) -> int:
    if name == EXECUTOR_MEMORY_OVERHEAD.property:
        return overhead_bytes(conf)
    knob = next(knob for knob in _RAISED if knob.property == name)
    return Settings(conf)[knob] or 0


def _text(size: int) -> str:
    return f"{-(-size // MIB)}m"
