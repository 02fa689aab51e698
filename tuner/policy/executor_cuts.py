"""How many fewer executors a run gets than its job asks for: what its tasks never kept busy, in steps that a run proves."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from statistics import median
from typing import Any

from tuner.model.failure import NOT_OF_SIZES, OF_EXECUTOR_MEMORY, FailureKind
from tuner.model.objective import Objective
from tuner.model.query import total_data_bytes
from tuner.model.reason import Reason, ReasonCode
from tuner.model.run import Outcome, Run, RunState
from tuner.model.size_change import SizeChange, as_asked
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
from tuner.spark.knob import Knob
from tuner.spark.knobs import (
    CORES_MAX,
    DYNAMIC_ALLOCATION,
    DYNAMIC_ALLOCATION_INITIAL,
    DYNAMIC_ALLOCATION_MAX,
    DYNAMIC_ALLOCATION_MIN,
    EXECUTOR_CORES,
    EXECUTOR_INSTANCES,
    EXECUTOR_MEMORY,
    TASK_CPUS,
)
from tuner.spark.master import gives_heap_alone, is_local, master_of
from tuner.spark.settings import Settings

# Of a run's time, what waiting for fewer cores may add by what is foretold.
MOST_FORETOLD = 0.02
# One run that is longer by this share is enough to take a step back; otherwise it takes two.
MUCH_SLOWER = 0.25
# Of the most that dynamic allocation may ask for by its author, what it may at least: idle executors go by themselves
# (spark.dynamicAllocation.executorIdleTimeout), and a night that needs all of them takes no more than twice as long.
LEAST_OF_MOST = 1 / 2
# So many runs tell that a number is enough, whatever changes come after them.
SETTLED_RUNS = 2
_KINDS_OF_FEW = OF_EXECUTOR_MEMORY | {FailureKind.EXECUTOR_LOST, FailureKind.LOCAL_DISK}
# Of dynamic allocation, what it holds at least, or begins with.
_FLOORS = (DYNAMIC_ALLOCATION_MIN, DYNAMIC_ALLOCATION_INITIAL, EXECUTOR_INSTANCES)
# What the tuner sets of a run's executors: numbers of these, or of their cores.
_NUMBERS = (DYNAMIC_ALLOCATION_MAX, *_FLOORS)
_COUNTS = (*_NUMBERS, CORES_MAX)
# Of dynamic allocation, what its most must not be below.
_LEAST_COUNTS = (DYNAMIC_ALLOCATION_MIN, DYNAMIC_ALLOCATION_INITIAL)
# Before the names of a task's resources: how many run at once is told by these, not by cores alone.
_TASK_RESOURCES = "spark.task.resource."
_PROPERTIES = frozenset(knob.property for knob in _COUNTS)
# What tells an author's cluster from another.
_SHAPE = (*_COUNTS, DYNAMIC_ALLOCATION, EXECUTOR_CORES, EXECUTOR_MEMORY, TASK_CPUS)
_AS_ASKED = 1 << 31


def executor_cuts(
    runs: Sequence[Run],
    own_conf: Mapping[str, str],
    objective: Objective,
    in_force: frozenset[str] = frozenset(),
    *,
    may_step: bool,
) -> tuple[SizeChange, ...]:
    """How many fewer executors the next run gets than `own_conf`, what its author set, asks for: none less under an objective of
    time alone. `runs` are its cohort's, oldest first; `in_force` are ids of the changes that the next one has.

    The log tells how many tasks ran at once, and for how long. With fewer cores, tasks of a time at which there were more than
    these run in turns: a run's time grows by that much (Sparklens estimates stage by stage what this does from moment to moment;
    turns are counted whole, as tasks are). So many executors stay that no run in the author's number takes over 2 % longer, by
    half at most in a step, once three runs were measured in the author's number, one of them with the changes of the next, and
    one in that of each step; less than half only after a month of runs (`least_share`). If all runs in a number take over 5 %
    longer than those in the author's usually do, or one fails that may have for it, it is taken back for good. A number that no
    two runs have told of is left while changes are in force that no run in the author's number had. A run that found nothing to
    read tells nothing.

    With dynamic allocation, what it holds at least and begins with goes down, and the most that it may ask for to half of the
    author's, which is for the largest night; where that half is no fewer than it had, steps are those of what it holds and begins
    with. Nothing is taken in local mode, of jobs that keep rows in executors' memory or have barrier stages, of tasks that need
    other resources than cores, where a standalone cluster is not told the cores of an executor, or where the program sets a
    number itself.
    """
    if objective is Objective.TIME:
        return ()
    known = _Known(own_conf)
    for run in without_idle(runs):
        known.take(run)
    return tuple(known.cuts(in_force, may_step=may_step))


def executors_needed(
    at_once: Sequence[tuple[int, int]], had: int, slots: int, duration_ms: int, growth: float = 1.0
) -> int:
    """The fewest executors of so many `slots` with which a run takes no more than 2 % longer than with those it `had`, of whose
    tasks so many ran at once for so many milliseconds; where its inputs grow, as many more do."""
    # More than it had cores ran of no kind at once: such numbers were rounded up.
    grown = [(min(tasks, had * slots) * growth, ms) for tasks, ms in at_once]
    # With as many as it had, tasks fill each others' places as they end; with fewer, turns are counted whole.
    before_ms = sum(ms * max(1.0, tasks / (had * slots)) for tasks, ms in grown)
    most_ms = before_ms + MOST_FORETOLD * duration_ms
    fewest, most = 1, had
    while fewest < most:
        half = (fewest + most) // 2
        if sum(ms * math.ceil(tasks / (half * slots)) for tasks, ms in grown) <= most_ms:
            most = half
        else:
            fewest = half + 1
    return fewest


@dataclass(frozen=True, slots=True)
class _Measured:
    """A run that succeeded: when it started, its bound of executors, how many it had at once at most, the tasks that one of them
    runs at once, how long it took, its tasks at once, what it read (0: not known), and the changes in force."""

    at: datetime
    bound: int
    executors: int
    slots: int
    duration_ms: int
    at_once: tuple[tuple[int, int], ...]
    input_bytes: int
    in_force: frozenset[str]


@dataclass(slots=True)
class _Known:
    """What a cohort's runs say of the executors that it asks for: the bounds that worked since, the least that it may have."""

    own_conf: Mapping[str, str]
    conf: dict[str, str] = field(default_factory=dict)
    shape: tuple[object, ...] = ()
    measured: list[_Measured] = field(default_factory=list)
    bounds: set[int] = field(default_factory=set)
    least: int = 1
    unexplained: int = 0
    # Of each shape that it had, the least that it may have.
    lessons: dict[tuple[object, ...], int] = field(default_factory=dict)
    is_tried_now: bool = False
    # Whether what was submitted was not what the run had: its program says another number.
    is_overruled: bool = False

    def take(self, run: Run) -> None:
        cuts = [one for one in run.decision.cuts if one.property in _PROPERTIES]
        bound = _bounded(cuts, run.outcome.conf if run.outcome else self.own_conf)
        if run.state is RunState.RUNNING:
            self.is_tried_now |= bound < min(self.bounds, default=_AS_ASKED)
            return
        self.is_tried_now = False
        outcome = run.outcome
        if outcome is None:
            if run.state is RunState.FAILED and bound < _AS_ASKED:
                self._lost(bound, FailureKind.UNKNOWN)
            return
        self.conf = as_asked(outcome.conf, run.decision.cuts)
        if (shape := _shape(self.conf)) != self.shape:
            self.lessons[self.shape] = self.least
            self.shape, self.measured, self.bounds, self.unexplained = shape, [], set(), 0
            self.least, self.is_overruled = self.lessons.get(shape, 1), False
        self.is_overruled |= any(outcome.conf.get(one.property) != one.value for one in cuts)
        failed = outcome.failure.kind if outcome.failure else None
        if run.state is RunState.SUCCEEDED:
            self._succeeded(run, outcome, bound)
        elif run.state is RunState.FAILED and bound < _AS_ASKED:
            self._lost(bound, failed or FailureKind.UNKNOWN)

    def _succeeded(self, run: Run, outcome: Outcome, bound: int) -> None:
        use, cluster = outcome.resources, outcome.cluster
        if bound < _AS_ASKED:
            self.unexplained = 0
        if use.needs_its_executors:
            self.measured, self.bounds = [], set()
            return
        if not outcome.duration_ms or cluster.executors < 1 or found_nothing(outcome.queries):
            return
        slots = cluster.cores_per_executor // max(1, Settings(outcome.conf)[TASK_CPUS])
        found = _Measured(
            run.started_at,
            bound,
            cluster.executors,
            max(1, slots),
            outcome.duration_ms,
            use.tasks_at_once,
            total_data_bytes(outcome.queries),
            frozenset(d.id for d in changes_in_effect(run)),
        )
        self.measured.append(found)
        if bound >= self.least:
            self.bounds.add(bound)
        if bound < _AS_ASKED and self._is_slower(found):
            self._take_back(bound)

    def _usual_ms(self, like: _Measured) -> float | None:
        """How long runs in the author's number take that read as much under the same changes; None where there was none."""
        found = [
            m.duration_ms
            for m in self.measured
            if m.bound == _AS_ASKED and m.in_force == like.in_force and m.input_bytes >= AS_MUCH * like.input_bytes
        ]
        return median(found) if found else None

    def _is_slower(self, now: _Measured) -> bool:
        """Whether runs in the number of this one take longer than those in the author's."""
        usual_ms = self._usual_ms(now)
        found = [m.duration_ms for m in self.measured if m.bound == now.bound and m.in_force == now.in_force]
        most = MOST_SLOWER if len(found) > 1 else MUCH_SLOWER
        return usual_ms is not None and min(found) > (1 + most) * usual_ms

    def _judged(self, bound: int) -> list[bool]:
        """Of each run in a number that could be held against one in the author's, whether it took no longer; oldest first."""
        runs = [(m, self._usual_ms(m)) for m in self.measured if m.bound == bound]
        return [m.duration_ms <= (1 + MOST_SLOWER) * usual_ms for m, usual_ms in runs if usual_ms is not None]

    def _lost(self, bound: int, kind: FailureKind) -> None:
        if kind in NOT_OF_SIZES:
            return
        if kind not in _KINDS_OF_FEW:
            self.unexplained += 1
            if bound in self.bounds and self.unexplained < MOST_UNEXPLAINED:
                return  # They were enough before; nothing says that they were not now.
        self._take_back(bound)

    def _take_back(self, bound: int) -> None:
        """For good: the next larger one that worked is the least."""
        self.least = min((known for known in self.bounds if known > bound), default=_AS_ASKED)
        self.bounds = {known for known in self.bounds if known >= self.least}

    def cuts(self, in_force: frozenset[str], *, may_step: bool) -> Iterator[SizeChange]:
        asked = {**self.conf, **self.own_conf}
        own = [m for m in self.measured if m.bound == _AS_ASKED]
        counted = [m for m in own if m.at_once]
        if self.is_overruled or not counted or _shape(asked) != self.shape or not _is_countable(asked):
            return
        had = min(max(m.executors for m in own), _most_asked(asked))
        now = min(self.bounds, default=_AS_ASKED)
        judged = self._judged(now)
        # Whether a number is slower is told by runs with the same changes.
        is_comparable = any(m.in_force == in_force for m in own)
        if now < _AS_ASKED and len(judged) < SETTLED_RUNS and not is_comparable:
            return
        needed = max(self._needed(counted), self._fixed())
        size = now
        is_told = now == _AS_ASKED or (bool(judged) and judged[-1])
        if may_step and is_comparable and is_told and not self.is_tried_now and len(counted) >= LEAST_RUNS:
            movable = _movable(asked, had, now)
            from_ = min(now, movable)
            share = max(from_ * MOST_TAKEN, movable * least_share([m.at for m in self.measured]))
            wanted = max(needed, math.ceil(share), self.least)
            if wanted <= from_ * (1 - LEAST_TAKEN):
                size = wanted
        size = max(size, needed, self.least)
        if size >= had:
            return
        why = Reason(ReasonCode.EXECUTORS_CUT, {"executors": had, "runs": len(counted), "needed": needed})
        for knob, value in _bounding(asked, size, had):
            yield SizeChange(knob.property, str(value), asked.get(knob.property, ""), why)

    def _fixed(self) -> int:
        """The fewest that the program itself asks for, which no submission can change (SparkConf beats --conf)."""
        own, program = Settings(self.own_conf), Settings(self.conf)
        return max((program[knob] or 0 for knob in _LEAST_COUNTS if knob not in own), default=0)

    def _needed(self, counted: Sequence[_Measured]) -> int:
        largest = max(m.input_bytes for m in self.measured)
        step = input_growth(m.input_bytes for m in self.measured)
        return max(
            executors_needed(m.at_once, m.executors, m.slots, m.duration_ms, step * max(1.0, largest / m.input_bytes))
            if m.input_bytes
            else executors_needed(m.at_once, m.executors, m.slots, m.duration_ms)
            for m in counted
        )


def _most_asked(asked: Mapping[str, str]) -> int:
    """The most executors that their author asks for: of one that is lost another may be there before it is known to be gone."""
    settings = Settings(asked)
    if settings[DYNAMIC_ALLOCATION]:
        return settings[DYNAMIC_ALLOCATION_MAX]
    if gives_heap_alone(master_of(asked)):
        return max(1, (settings[CORES_MAX] or _AS_ASKED) // max(1, settings[EXECUTOR_CORES]))
    return settings[EXECUTOR_INSTANCES] or _AS_ASKED


def _movable(asked: Mapping[str, str], had: int, now: int) -> int:
    """The author's number that a step takes from: as many as a run had; where the most of dynamic allocation goes no further
    down, what it holds at least or begins with."""
    settings = Settings(asked)
    if not settings[DYNAMIC_ALLOCATION] or _least_of_most(settings) < min(now, had):
        return had
    return min(had, max(settings[knob] or 0 for knob in _FLOORS))


def _least_of_most(settings: Settings) -> int:
    return math.ceil(settings[DYNAMIC_ALLOCATION_MAX] * LEAST_OF_MOST)


def _bounding(asked: Mapping[str, str], executors: int, had: int) -> Iterator[tuple[Knob[Any], int]]:
    """What bounds a run's executors in place of as many as it had, and at what. Bounds of dynamic allocation that exclude each
    other end an application (ExecutorAllocationManager.validateSettings): none of the others is above the most."""
    settings = Settings(asked)
    if settings[DYNAMIC_ALLOCATION]:
        most = max(executors, _least_of_most(settings))
        if most < had:
            yield DYNAMIC_ALLOCATION_MAX, most
        for knob in _FLOORS:
            if (settings[knob] or 0) > executors:
                yield knob, executors
    elif gives_heap_alone(master_of(asked)):
        yield CORES_MAX, executors * settings[EXECUTOR_CORES]
    else:
        yield EXECUTOR_INSTANCES, executors


def _bounded(cuts: Sequence[SizeChange], conf: Mapping[str, str]) -> int:
    """To how many executors a run's cuts take it down."""
    given = Settings({one.property: one.value for one in cuts})
    # Of dynamic allocation the most may be more than the others.
    if counts := [given[knob] or _AS_ASKED for knob in _NUMBERS if knob in given]:
        return min(counts)
    cores = given[CORES_MAX]
    return cores // max(1, Settings(conf)[EXECUTOR_CORES]) if cores else _AS_ASKED


def _shape(conf: Mapping[str, str]) -> tuple[object, ...]:
    settings = Settings(conf)
    return tuple(settings[knob] for knob in _SHAPE)


def _is_countable(conf: Mapping[str, str]) -> bool:
    """Whether a number of executors can be asked for."""
    master = master_of(conf)
    if is_local(master) or any(name.startswith(_TASK_RESOURCES) for name in conf):
        return False
    # Without it, an executor has all the cores that its worker has left, and so fewer of them other memory for each task.
    return EXECUTOR_CORES in Settings(conf) if gives_heap_alone(master) else True
