"""Of the changes in force in a run that failed, those that can have made it: what a failure tells of its maker, as data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum

from tuner.model.action import ON_JOINS, Action, ActionKind, Hint
from tuner.model.change import Change
from tuner.model.decision import DecidedChange
from tuner.model.failure import UNEXPLAINED, Failure, FailureKind
from tuner.model.run import Run
from tuner.policy.levers_set import levers_set
from tuner.spark.lever import Lever


class Guilt(IntEnum):
    """Whether a change can have made a failure. known: it moves, in the query that failed, what makes such failures."""

    NONE = 0
    POSSIBLE = 1
    KNOWN = 2


_ALL = frozenset(Lever)
_NONE: frozenset[Lever] = frozenset()


@dataclass(frozen=True, slots=True)
class Makers:
    """What can have made a failure: levers that are `known` to make such failures, and those of which it is `possible`, in the
    query that failed; and levers that can make it from `another_query` of the run, as memory and disks are shared."""

    known: frozenset[Lever] = _NONE
    possible: frozenset[Lever] = _NONE
    another_query: frozenset[Lever] = _NONE


_OF_HINT = {
    Hint.BROADCAST: Lever.BROADCASTS,
    Hint.SHUFFLE_HASH: Lever.JOIN_HASH_MAPS,
    Hint.FILTER_BY_KEY: Lever.RUNTIME_FILTERS,
    Hint.SHARE: Lever.ROWS_MET,
}

_NOTHING = Makers()
_ANYTHING = Makers(_NONE, _ALL, _ALL)
_BROADCASTS = frozenset({Lever.BROADCASTS})
_TASKS = frozenset({Lever.JOIN_HASH_MAPS, Lever.AGGREGATE_HASH_MAPS, Lever.PARTITIONS})
# Joins that are made in another order, or in another way, build from other rows, and can let an expression meet rows that it
# never met.
_JOINS = frozenset({Lever.ROWS_MET, Lever.JOIN_ORDERS})
# A broadcast is collected by the driver, as results are, and then held by every executor: for longer than its query runs.
_DRIVER_MEMORY = Makers(_BROADCASTS, _ALL, _BROADCASTS)
# What can have made a failure of each kind. What only says that something was lost may be of any change's making: SIGKILL is
# how memory that runs out ends a process.
MAKERS: Mapping[FailureKind, Makers] = {
    FailureKind.BROADCAST_TIMEOUT: _DRIVER_MEMORY,
    FailureKind.BROADCAST_OUT_OF_MEMORY: _DRIVER_MEMORY,
    FailureKind.DRIVER_OUT_OF_MEMORY: _DRIVER_MEMORY,
    FailureKind.DRIVER_OVER_LIMIT: _DRIVER_MEMORY,
    FailureKind.BROADCAST_TOO_LARGE: Makers(_BROADCASTS, _JOINS | {Lever.RUNTIME_FILTERS}),
    # Each task's result holds its metrics, too.
    FailureKind.RESULT_TOO_LARGE: Makers(
        _BROADCASTS, _JOINS | {Lever.RUNTIME_FILTERS, Lever.PARTITIONS, Lever.SKEW_SPLITS}
    ),
    FailureKind.TASK_MEMORY: Makers(_TASKS, _ALL),
    FailureKind.EXECUTOR_OUT_OF_MEMORY: Makers(_TASKS | _BROADCASTS, _ALL, _BROADCASTS),
    FailureKind.EXECUTOR_OVER_LIMIT: Makers(_TASKS | _BROADCASTS, _ALL, _BROADCASTS),
    # What a function of the job's holds is its own to say, of the rows that it is given.
    FailureKind.PYTHON_OUT_OF_MEMORY: Makers(_NONE, _ALL),
    # Files of a shuffle stay after its query; and others fill the same disk.
    FailureKind.LOCAL_DISK: _ANYTHING,
    FailureKind.EXECUTOR_LOST: _ANYTHING,
    FailureKind.RESULT_LOST: _ANYTHING,
    FailureKind.DRIVER_LOST: _ANYTHING,
    FailureKind.SIGKILLED: _ANYTHING,
    FailureKind.STOPPED: _ANYTHING,
    FailureKind.UNKNOWN: Makers(_NONE, _ALL),
    FailureKind.DATA_OR_CODE: Makers(_NONE, _JOINS),
    FailureKind.EXECUTOR_PREEMPTED: _NOTHING,
    FailureKind.KILLED: _NOTHING,
    FailureKind.INPUT_MISSING: _NOTHING,
    FailureKind.ACCESS_DENIED: _NOTHING,
    FailureKind.UNREACHABLE: _NOTHING,
    FailureKind.CODE: _NOTHING,
    FailureKind.OWN_EXIT: _NOTHING,
}
# Says by itself which joins are to blame: those that are broadcast in the query.
PLAIN = frozenset({FailureKind.BROADCAST_TIMEOUT, FailureKind.BROADCAST_TOO_LARGE, FailureKind.BROADCAST_OUT_OF_MEMORY})
# What the job asked of others and they refused: what is in force can change neither that nor when it is asked.
REFUSED = frozenset({FailureKind.INPUT_MISSING, FailureKind.ACCESS_DENIED, FailureKind.UNREACHABLE, FailureKind.CODE})


def makers_of(failure: Failure | None) -> Makers:
    """What can have made it: of a failure without a word, any change."""
    return MAKERS[failure.kind] if failure is not None else _ANYTHING


def from_outside(failure: Failure | None) -> bool:
    """Whether no change can have made it."""
    return makers_of(failure) == _NOTHING


def was_refused(run: Run) -> bool:
    """Whether a run failed for what it asked of others."""
    return run.failure is not None and run.failure.kind in REFUSED


def alike(a: Failure | None, b: Failure | None) -> bool:
    """Whether two runs failed in the same way and of the same query, as far as is known."""
    if a is None or b is None or a.kind in UNEXPLAINED or b.kind in UNEXPLAINED:
        return True
    return a.kind is b.kind and (a.query == b.query or a.query is None or b.query is None)


def guilt(failure: Failure | None, decided: DecidedChange) -> Guilt:
    """Whether a change can have made a failure, by what it moves and where."""
    makers, levers = makers_of(failure), _levers(decided.change)
    if not _reaches(decided, failure):
        return Guilt.POSSIBLE if levers & makers.another_query else Guilt.NONE
    if levers & makers.known:
        return Guilt.KNOWN
    # Of a property that is no knob anything can be expected, where it can of all.
    possible = levers & makers.possible if levers else makers.possible == _ALL
    return Guilt.POSSIBLE if possible else Guilt.NONE


def suspects(failure: Failure | None, in_force: Sequence[DecidedChange]) -> dict[str, Guilt]:
    """Of these changes, by id, those most likely to have made a failure: where some are known to make such failures, them
    alone. With each goes what is nothing without it."""
    found = {d.id: of for d in in_force if (of := guilt(failure, d))}
    most = max(found.values(), default=Guilt.NONE)
    first = {id_: of for id_, of in found.items() if of is most}
    return first | {d.id: first[d.change.needs] for d in in_force if d.change.needs in first}


def _levers(change: Change) -> frozenset[Lever]:
    return levers_set(change).union(*(_levers_on_joins(action) for action in change.actions))


def _levers_on_joins(action: Action) -> frozenset[Lever]:
    found = frozenset({Lever.ROWS_MET} if action.kind in ON_JOINS else ())
    hint = _OF_HINT.get(Hint(action.value)) if action.kind is ActionKind.HINT_JOIN else None
    return found | {hint} if hint else found


def _reaches(decided: DecidedChange, failure: Failure | None) -> bool:
    """Properties reach every query, whichever they were meant for."""
    if failure is None or failure.query is None or not decided.change.is_on_joins:
        return True
    return failure.query == decided.change.query
