"""Of the changes in force in a run that failed, those to blame: what a failure tells of its maker, as data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import Enum, auto

from tuner.advice.model import Action, ActionKind, Hint
from tuner.eventlog.failure_rules import FailureKind
from tuner.eventlog.failures import VAGUE
from tuner.history.failure import Failure
from tuner.history.model import DecidedAction, Standing
from tuner.policy.together import depends


class Lever(Enum):
    """What an action makes more of: tables in the memory of driver and executors, hash maps of one task, rows of one."""

    BROADCASTS = auto()
    HASH_BUILDS = auto()
    PARTITIONS = auto()


_OF_CONF = {
    "spark.sql.autoBroadcastJoinThreshold": Lever.BROADCASTS,
    "spark.sql.adaptive.autoBroadcastJoinThreshold": Lever.BROADCASTS,
    "spark.sql.adaptive.maxShuffledHashJoinLocalMapThreshold": Lever.HASH_BUILDS,
    "spark.sql.join.preferSortMergeJoin": Lever.HASH_BUILDS,
    "spark.sql.objectHashAggregate.sortBased.fallbackThreshold": Lever.HASH_BUILDS,
    "spark.sql.shuffle.partitions": Lever.PARTITIONS,
    "spark.sql.adaptive.advisoryPartitionSizeInBytes": Lever.PARTITIONS,
    "spark.sql.adaptive.coalescePartitions.initialPartitionNum": Lever.PARTITIONS,
    "spark.sql.adaptive.coalescePartitions.parallelismFirst": Lever.PARTITIONS,
}
_OF_HINT = {Hint.BROADCAST: Lever.BROADCASTS, Hint.SHUFFLE_HASH: Lever.HASH_BUILDS}

_BROADCASTS = frozenset({Lever.BROADCASTS})
_TASKS = frozenset({Lever.HASH_BUILDS, Lever.PARTITIONS})
# What is blamed first. A broadcast is collected by the driver, as results are, and then held by every executor.
_MAKERS: Mapping[FailureKind, frozenset[Lever]] = {
    FailureKind.BROADCAST_TIMEOUT: _BROADCASTS,
    FailureKind.BROADCAST_TOO_LARGE: _BROADCASTS,
    FailureKind.BROADCAST_OUT_OF_MEMORY: _BROADCASTS,
    FailureKind.DRIVER_OUT_OF_MEMORY: _BROADCASTS,
    FailureKind.RESULT_TOO_LARGE: _BROADCASTS,
    FailureKind.TASK_MEMORY: _TASKS,
    FailureKind.EXECUTOR_OUT_OF_MEMORY: _TASKS | _BROADCASTS,
}
# Cannot be of any change's making. SIGKILL is not among them: it is how memory that runs out ends a process.
_OUTSIDE = frozenset({FailureKind.KILLED, FailureKind.EXECUTOR_PREEMPTED})
# Says by itself which joins are to blame: those that are broadcast in the query.
_PLAIN = frozenset(
    {FailureKind.BROADCAST_TIMEOUT, FailureKind.BROADCAST_TOO_LARGE, FailureKind.BROADCAST_OUT_OF_MEMORY}
)


def from_outside(failure: Failure | None) -> bool:
    """Whether no change can have made it."""
    return failure is not None and failure.kind in _OUTSIDE


def alike(a: Failure | None, b: Failure | None) -> bool:
    """Whether two runs failed in the same way and of the same query, as far as is known."""
    if a is None or b is None or a.kind in VAGUE or b.kind in VAGUE:
        return True
    return a.kind is b.kind and (a.query == b.query or a.query is None or b.query is None)


def suspects(failure: Failure | None, new: Sequence[DecidedAction]) -> list[DecidedAction]:
    """Of what is new, what a failure is blamed on: what can have made it, in the query that failed where that is known,
    with what is nothing without that; all where nothing of it can."""
    if failure is None:
        return list(new)
    makers = [d for d in new if _makes(failure, d.action)]
    first = [d for d in makers if _reaches(d, failure)]
    if not first and makers:
        first = [d for d in new if d in makers or failure.query in d.queries]
    if not first:
        return list(new)
    return [d for d in new if d in first or any(depends(d, f) for f in first)]


def plainly_guilty(failure: Failure | None, in_force: Sequence[DecidedAction]) -> list[DecidedAction]:
    """Of what was proven, what a failure is plainly of the making of: the broadcasts of the query that could not make one,
    where nothing new can have made it. No run without them is needed to tell."""
    if failure is None or failure.kind not in _PLAIN or failure.query is None:
        return []
    makers = [d for d in in_force if _makes(failure, d.action)]
    if any(d.standing is Standing.TRIAL and _reaches(d, failure) for d in makers):
        return []
    return [d for d in makers if d.standing is Standing.PROMOTED and failure.query in d.queries]


def _makes(failure: Failure, action: Action) -> bool:
    return _lever(action) in _MAKERS.get(failure.kind, ())


def _lever(action: Action) -> Lever | None:
    if action.kind is ActionKind.SET_CONF:
        return _OF_CONF.get(action.target)
    return _OF_HINT.get(Hint(action.value)) if action.kind is ActionKind.HINT_JOIN else None


def _reaches(decided: DecidedAction, failure: Failure) -> bool:
    """Properties reach every query, whichever they were meant for."""
    if failure.query is None or decided.action.kind is ActionKind.SET_CONF:
        return True
    return failure.query == decided.action.query
