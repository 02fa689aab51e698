"""How much more memory a run gets than its job asks for: after runs that died for want of it, and as much as worked since."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from tuner.model.failure import OF_EXECUTOR_MEMORY, Failure, FailureKind
from tuner.model.reason import Reason, ReasonCode
from tuner.model.resource_use import UNKNOWN_USE
from tuner.model.run import Outcome, Run, RunState
from tuner.model.size_change import MemoryLimits, SizeChange, as_asked
from tuner.policy.changes_in_effect import changes_in_effect
from tuner.policy.failed_run import FailedRun, failed_by, is_longer
from tuner.policy.remedies import HEALED, REMEDIES, SIZED, STEP, amount, as_value, more, remedies_of
from tuner.policy.suspects import REFUSED
from tuner.spark.broadcasts_off import THRESHOLDS
from tuner.spark.container import (
    UNTOLD_OVERHEADS,
    driver_container_bytes,
    executor_container_bytes,
    largest_driver_heap,
    largest_heap,
    overhead_bytes,
)
from tuner.spark.knobs import (
    BROADCAST_THRESHOLD,
    DRIVER_CORES,
    DRIVER_MAX_RESULT_SIZE,
    DRIVER_MEMORY,
    DRIVER_MEMORY_OVERHEAD,
    EXECUTOR_CORES,
    EXECUTOR_MEMORY,
    EXECUTOR_MEMORY_OVERHEAD,
    OFF_HEAP,
    OFF_HEAP_SIZE,
    PYSPARK_MEMORY,
)
from tuner.spark.master import gives_heap_alone, in_cluster_mode, is_kubernetes, is_local, master_of
from tuner.spark.settings import Settings
from tuner.units import GIB, MIB

# A limit that leaves less than this is no step.
LEAST_STEP = 1.2
# Results are collected as bytes, and decoded beside these.
HEAP_PER_RESULT = 2
# Pods that no node has room for wait, and so do executors of standalone clusters (Master.startExecutorsOnWorkers), until somebody
# ends the run; YARN refuses them (Client.verifyClusterResources). Where nobody said how much there is, such containers are made
# no larger than this: half of a machine of 16 cores with 4 GiB each, as clouds have them (AWS m5.4xlarge, GCP n2-standard-16,
# Azure D16).
MOST_UNTOLD = 32 * GIB
_NO_LIMIT = 1 << 62

_HEAP, _OVERHEAD, _OFF_HEAP = EXECUTOR_MEMORY.property, EXECUTOR_MEMORY_OVERHEAD.property, OFF_HEAP_SIZE.property
_DRIVER, _RESULTS = DRIVER_MEMORY.property, DRIVER_MAX_RESULT_SIZE.property
_DRIVER_OVERHEAD = DRIVER_MEMORY_OVERHEAD.property
_CORES, _PYTHON = EXECUTOR_CORES.property, PYSPARK_MEMORY.property
_OF_EXECUTOR = frozenset({_HEAP, _OVERHEAD, _OFF_HEAP, _PYTHON})
_OF_DRIVER = frozenset({_DRIVER, _DRIVER_OVERHEAD})
_EXECUTOR_DEATHS = OF_EXECUTOR_MEMORY | {FailureKind.PYTHON_OUT_OF_MEMORY}
# In local mode they are taken from the machine that the driver's heap is taken from.
_BESIDE_DRIVER = frozenset({_OFF_HEAP, _PYTHON})
# What an application is submitted with, and its log tells as it had it.
_OF_CONTAINERS = SIZED | {_CORES}
# What lets fewer tasks run at once, or shuffles more: a run may take longer with it, for whoever ends one that takes too long.
_SLOWING = frozenset({_CORES, BROADCAST_THRESHOLD.property})
_ENDED = frozenset({FailureKind.KILLED, FailureKind.STOPPED, FailureKind.DRIVER_LOST})
# What ends a run before it has executors, whatever sizes it asks for.
_BEFORE_ITS_TASKS = REFUSED | {FailureKind.DATA_OR_CODE, FailureKind.OWN_EXIT}


def memory_raises(runs: Sequence[Run], own_conf: Mapping[str, str], limits: MemoryLimits) -> tuple[SizeChange, ...]:
    """What the next run gets more of than `own_conf`, what its author set, asks for. `runs` are its cohort's, oldest first.

    A run that died for memory is followed by one with twice as much of what it lacked, within the limits; where there is no more,
    by one of whose tasks each has less to hold, or fewer share it, or which shuffles what it could not broadcast. What worked,
    stays, until the author asks for another size. Nothing is raised once a later run did with less, nor for a death that changes
    of the tuner's are suspected of: the next run goes without these first. What was refused, or did not help, is not tried again.
    """
    known = _Known(own_conf, limits)
    runs = [_with_its_heap(run) for run in runs]
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
    """What a cohort's runs say of its memory, by properties: what `worked`, what is `tried`, the least that was refused (`vain`),
    and what was still too little since it last succeeded, with no more to have (`short`)."""

    own_conf: Mapping[str, str]
    limits: MemoryLimits
    worked: dict[str, _Given] = field(default_factory=dict)
    tried: dict[str, _Given] = field(default_factory=dict)
    vain: dict[str, int] = field(default_factory=dict)
    short: dict[str, int] = field(default_factory=dict)
    # The latest run left no log, and nobody knows whether it was submitted.
    is_unseen: bool = False
    # What runs had of their own, where the author does not set it: of a properties file on the cluster, maybe.
    conf: dict[str, str] = field(default_factory=dict)

    def take(self, run: Run, earlier: Sequence[Run]) -> None:
        # The adaptive threshold follows the other one.
        had = {one.property: one for one in run.decision.raises if one.property in REMEDIES}
        if run.outcome is not None:
            self.conf = _asked_of(run, run.outcome)
        failure, outcome = run.failure, run.outcome
        was_unseen, self.is_unseen = self.is_unseen, run.state is RunState.LOST and outcome is None and bool(had)
        if run.state is RunState.SUCCEEDED:
            # One that got no executor shows nothing: it had nothing to do, or waited until somebody ended it.
            if outcome is None or outcome.resources == UNKNOWN_USE or not _had_no_executor(outcome):
                self._succeeded(run, had)
        elif failure is not None and outcome is not None and failure.kind in HEALED:
            self._died(run, outcome, failure, earlier)
        elif _waited_in_vain(run) and (was_unseen or not self.is_unseen):
            self._never_came_to_run(run, had)
        elif failure is not None and failure.kind in _ENDED:
            self._was_ended(run, had, earlier)

    def _succeeded(self, run: Run, had: Mapping[str, SizeChange]) -> None:
        for name, one in had.items():
            size = amount(name, {name: one.value})
            # A driver's container is made before its program sets anything.
            if name in _OF_CONTAINERS - _OF_DRIVER and run.outcome and amount(name, run.outcome.conf) < size:
                continue  # The job's program sets it by itself: the run did with less.
            why = Reason(ReasonCode.RAISE_WORKED, {"run": run.key}, (one.why,))
            # It says in which run it worked first.
            why = one.why if one.why.code is ReasonCode.RAISE_WORKED else why
            self.worked[name] = _Given(size, why, run.started_at, one.was)
        for name, tried in list(self.tried.items()):
            # One that was under way when the other died, and had less, says nothing.
            is_enough = run.outcome is not None and amount(name, run.outcome.conf) >= tried.size
            if is_enough or run.started_at > tried.since:
                del self.tried[name]
        self.short.clear()
        for name, vain in list(self.vain.items()):
            if run.outcome and amount(name, run.outcome.conf) >= vain:
                del self.vain[name]

    def _never_came_to_run(self, run: Run, had: Mapping[str, SizeChange]) -> None:
        """It may have been refused what it asked for, or have waited for it until somebody ended it."""
        for name in had:
            if tried := self.tried.pop(name, None):
                self.vain[name] = min(self.vain.get(name, tried.size), tried.size)
            elif run.outcome is not None or run.state is RunState.FAILED:
                self.worked.pop(name, None)

    def _was_ended(self, run: Run, had: Mapping[str, SizeChange], earlier: Sequence[Run]) -> None:
        """It may have been too slow, for whoever ended it, with what the job was faster without. Where one with it took longer
        and came to its end, it was ended for something else."""
        for name in _SLOWING & had.keys():
            without = [one for one in earlier if all(of.property != name for of in one.decision.raises)]
            if is_longer(run, without) and is_longer(run, earlier):
                given = amount(name, {name: had[name].value})
                self.vain[name] = min(self.vain.get(name, given), given)
                self.tried.pop(name, None)
                self.worked.pop(name, None)

    def _died(self, run: Run, outcome: Outcome, failure: Failure, earlier: Sequence[Run]) -> None:
        conf = outcome.conf
        for one in run.decision.raises:
            if one.property in _OF_CONTAINERS and amount(one.property, conf) < (
                given := amount(one.property, {one.property: one.value})
            ):
                self.vain[one.property] = given  # The job's program sets it by itself.
                self.tried.pop(one.property, None)
        had_less = failure.kind in OF_EXECUTOR_MEMORY and run.decision.cuts
        # The next try goes without what may have made it: changes, or less than its author asks for.
        if had_less or failed_by(FailedRun(run, earlier), changes_in_effect(run)):
            return
        if _is_untold(failure, outcome):
            self._let_go(failure, outcome)
            return
        remedies = [name for name in remedies_of(failure.kind, conf) if self._is_tellable(name, conf)]
        for name in remedies:
            if (wanted := self._wanted(name, failure, outcome)) is not None:
                self._try(name, wanted, conf, run, failure)
                if name == _RESULTS and (heap := HEAP_PER_RESULT * wanted) > amount(_DRIVER, conf):
                    self._try(_DRIVER, heap, conf, run, failure)
                return
        # It died with all that it may have: what was tried has not helped.
        for name in remedies:
            if tried := self.tried.pop(name, None):
                self.short[name] = tried.size

    def _let_go(self, failure: Failure, outcome: Outcome) -> None:
        """Forget what was being tried where executors died that a stage asked for itself: it does not reach them. An earlier
        version did not tell these."""
        if outcome.resources.failed_in_profile:
            for name in remedies_of(failure.kind, outcome.conf):
                self.tried.pop(name, None)

    def _is_tellable(self, name: str, conf: Mapping[str, str]) -> bool:
        """Whether more of it reaches the run, and not something that nobody sees."""
        if name not in UNTOLD_OVERHEADS:
            return True
        master = master_of(conf)
        return UNTOLD_OVERHEADS[name] not in self.own_conf and not (gives_heap_alone(master) or is_local(master))

    def _wanted(self, name: str, failure: Failure, outcome: Outcome) -> int | None:
        """How much the run after one that died so is to have; None where that is no more, or was in vain."""
        conf = outcome.conf
        had = amount(name, conf)
        if self.vain.get(name, had + 1) <= had:
            del self.vain[name]  # It had as much since, of its own.
        had = max(had, self.short.get(name, had))
        wanted = more(name, had, failure, outcome)
        if name == _CORES and not self._has_shape({**conf, _CORES: as_value(name, wanted)}):
            return None
        if name in SIZED:
            wanted = min(wanted, self._most(name, conf) // MIB * MIB)
            if had <= 0 or wanted < LEAST_STEP * had:
                return None
        return wanted if had < wanted < self.vain.get(name, wanted + 1) else None

    def _try(self, name: str, size: int, conf: Mapping[str, str], run: Run, failure: Failure) -> None:
        why = Reason(ReasonCode.NO_MORE_MEMORY, {"run": run.key, "failure": failure.words})
        if name in SIZED:
            before = as_value(name, amount(name, conf))
            why = Reason(ReasonCode.RAISED, {"run": run.key, "failure": failure.words, "before": before})
        self.tried[name] = _Given(size, why, run.ended_at or run.started_at, self._own_text(name))

    def _own_text(self, name: str) -> str:
        """What the job asks for, as it is shown: of what is no size, as its author wrote it."""
        return as_value(name, amount(name, self._asked)) if name in SIZED else self._asked.get(name, "")

    def _most(self, name: str, conf: Mapping[str, str]) -> int:
        """The most that a run with this conf may have of a size."""
        asked = {**conf, **self._asked}
        if name in _BESIDE_DRIVER and is_local(master_of(conf)):
            return self._limit(name, conf)
        if name in _OF_EXECUTOR:
            return min(self._most_of_executor(name, conf, asked), self._limit(name, conf))
        if name == _DRIVER_OVERHEAD:
            return min(self._most_of_driver_container(asked) - amount(_DRIVER, conf), self._limit(name, conf))
        own = amount(_DRIVER, asked)
        twice = min(STEP * own, max(own, largest_driver_heap(asked, _most_untold(asked))))
        heap = min(self.limits.driver_bytes or twice, self._limit_of_driver(conf))
        return heap if name == _DRIVER else heap // HEAP_PER_RESULT

    def _most_of_executor(self, name: str, conf: Mapping[str, str], asked: Mapping[str, str]) -> int:
        limit = self.limits.executor_bytes
        if limit is not None:
            return _most_in(limit, name, conf)
        container = executor_container_bytes(asked)
        twice = _most_in(STEP * container, name, conf) if name == _OVERHEAD else STEP * amount(name, asked)
        return min(twice, _most_in(max(container, _most_untold(asked)), name, conf))

    def _most_of_driver_container(self, asked: Mapping[str, str]) -> int:
        if self.limits.driver_bytes is not None:
            return _NO_LIMIT
        own = driver_container_bytes(asked)
        return min(STEP * own, max(own, _most_untold(asked)))

    def _has_shape(self, conf: Mapping[str, str]) -> bool:
        """Whether the service has containers as a run with this conf asks for."""
        largest = self.limits.largest_shape(Settings(conf)[EXECUTOR_CORES])
        return largest is None or executor_container_bytes(conf) <= largest

    @property
    def _asked(self) -> dict[str, str]:
        """What the job asks for without the tuner."""
        return {**self.conf, **self.own_conf}

    def raises(self) -> list[SizeChange]:
        asked, found = self._asked, list[SizeChange]()
        for name in REMEDIES:
            own = amount(name, asked)
            worked, tried = self.worked.get(name), self.tried.get(name)
            if worked is not None and worked.was != self._own_text(name):
                worked = None  # Its author has thought again.
            given = max((g for g in (worked, tried) if g), key=lambda g: g.size, default=None)
            is_unlimited = name == _RESULTS and own == 0
            if given is None or is_unlimited:
                continue
            conf = {**asked, **{one.property: one.value for one in found}}
            size = min(given.size, self._limit(name, conf))
            if size - max(own, amount(name, conf)) > (MIB if name in SIZED else 0):
                found.append(SizeChange(name, as_value(name, size), self._own_text(name), given.why))
                found.extend(self._of_adaptive(name, given.why))
        return found

    def _of_adaptive(self, name: str, why: Reason) -> Iterator[SizeChange]:
        """The other threshold, where a job sets it by itself: it would broadcast what the first no longer does."""
        for knob in THRESHOLDS:
            own = self._asked.get(knob.property, "")
            if name == BROADCAST_THRESHOLD.property != knob.property and own:
                yield SizeChange(knob.property, "-1", own, why)

    def _limit(self, name: str, conf: Mapping[str, str]) -> int:
        """What the platform lets a run have, which may be less than it was."""
        if name in _BESIDE_DRIVER and is_local(master_of(conf)):
            most = self.limits.driver_bytes
            return amount(name, self._asked) if most is None else most - amount(_DRIVER, conf)
        shape = self.limits.largest_shape(Settings(conf)[EXECUTOR_CORES])
        limits = [limit for limit in (self.limits.executor_bytes, shape) if limit is not None]
        if name in _OF_EXECUTOR and limits:
            return _most_in(min(limits), name, conf) // MIB * MIB
        if name == _DRIVER_OVERHEAD:
            return self._limit_of_driver_overhead(conf)
        return self._limit_of_driver(conf) if name == _DRIVER else _NO_LIMIT

    def _limit_of_driver(self, conf: Mapping[str, str]) -> int:
        """Of its heap. One beside others, who share the machine with it, has what its author asks for."""
        asked, most = self._asked, self.limits.driver_bytes
        if most is None:
            most = _NO_LIMIT if self._is_driver_apart else amount(_DRIVER, asked)
        shape = self.limits.largest_shape(Settings(conf)[DRIVER_CORES])
        return most if shape is None else min(most, largest_driver_heap(conf, shape) // MIB * MIB)

    def _limit_of_driver_overhead(self, conf: Mapping[str, str]) -> int:
        """Of what its container has beside its heap; one beside others has none. A limit of its heap is one of its container."""
        asked, most = self._asked, self.limits.driver_bytes
        if not self._is_driver_apart:
            return amount(_DRIVER_OVERHEAD, asked)
        of_heap = None if most is None else driver_container_bytes({**asked, _DRIVER: as_value(_DRIVER, most)})
        shape = self.limits.largest_shape(Settings(conf)[DRIVER_CORES])
        containers = [container for container in (of_heap, shape) if container is not None]
        return min(containers, default=_NO_LIMIT) - amount(_DRIVER, conf)

    @property
    def _is_driver_apart(self) -> bool:
        return self.limits.is_driver_apart or in_cluster_mode(self._asked)


def _waited_in_vain(run: Run) -> bool:
    """Whether a run got no executor, which may be for what it asked for: it was refused, or waited until somebody ended it. One
    that met something else before has not shown that."""
    if run.state not in (RunState.FAILED, RunState.LOST) or (run.failure and run.failure.kind in _BEFORE_ITS_TASKS):
        return False
    return run.outcome is None or _had_no_executor(run.outcome)


def _is_untold(failure: Failure, outcome: Outcome) -> bool:
    """Whether it is not known of which size there was too little."""
    if failure.kind is FailureKind.EXECUTOR_OUT_OF_MEMORY and outcome.resources == UNKNOWN_USE:
        return True  # An earlier version stored it, which did not tell a heap from a container.
    return failure.kind in _EXECUTOR_DEATHS and outcome.resources.failed_in_profile


def _had_no_executor(outcome: Outcome) -> bool:
    return not (outcome.resources.task_ms or outcome.resources.executor_ms or outcome.cluster.executors)


def _with_its_heap(run: Run) -> Run:
    """A run with the heap that its driver had, which may be another than its log's conf says (`Cluster`)."""
    outcome = run.outcome
    heap = outcome.cluster.driver_memory_bytes if outcome else 0
    if outcome is None or not heap or amount(_DRIVER, outcome.conf) == heap:
        return run
    return replace(run, outcome=replace(outcome, conf={**outcome.conf, _DRIVER: as_value(_DRIVER, heap)}))


def _asked_of(run: Run, outcome: Outcome) -> dict[str, str]:
    """What a run's job asks for. An overhead that it had in place of its own is not set, but where its own was: by defaults of a
    service or an image, which only logs tell of."""
    asked = as_asked(outcome.conf, run.decision.sizes)
    for overhead in (_OVERHEAD, _DRIVER_OVERHEAD):
        unset = {name: value for name, value in asked.items() if name != overhead}
        of_itself = as_value(overhead, amount(overhead, unset))
        is_cut = any(one.property == overhead for one in run.decision.cuts)
        if is_cut or any(one.property == overhead and one.was == of_itself for one in run.decision.raises):
            asked = unset
    return asked


def _most_untold(conf: Mapping[str, str]) -> int:
    """How large the containers of a run with this conf may be made, where nobody set a limit."""
    master = master_of(conf)
    return MOST_UNTOLD if is_kubernetes(master) or gives_heap_alone(master) else _NO_LIMIT


def _most_in(container_bytes: int, name: str, conf: Mapping[str, str]) -> int:
    """The most of a size of executors that a container holds."""
    return largest_heap(conf, container_bytes) if name == _HEAP else container_bytes - _beside(name, conf)


def _beside(name: str, conf: Mapping[str, str]) -> int:
    """What an executor's container has besides its overhead, its memory off the heap, or Python's. Workers that give heaps alone
    count none of these."""
    is_in = not gives_heap_alone(master_of(conf))
    return executor_container_bytes(conf) - (_in_container(name, conf) if is_in else 0)


def _in_container(name: str, conf: Mapping[str, str]) -> int:
    settings = Settings(conf)
    if name == _OVERHEAD:
        return overhead_bytes(conf)
    return amount(name, conf) if name == _PYTHON or settings[OFF_HEAP] else 0
