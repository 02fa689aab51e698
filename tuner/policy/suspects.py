"""Of the changes in force in a run that failed, those to blame: what a failure tells of its maker, as data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tuner.model.action import ON_JOINS, Action, ActionKind, Hint
from tuner.model.change import Change
from tuner.model.decision import DecidedChange, Standing
from tuner.model.failure import UNEXPLAINED, Failure, FailureKind
from tuner.spark.knobs import KNOBS
from tuner.spark.lever import Lever


@dataclass(frozen=True, slots=True)
class Makers:
    """What can have made a failure: what moves one of the `levers`; where nothing of it does, with `else_any`, any change."""

    levers: frozenset[Lever] = frozenset()
    else_any: bool = False


_OF_HINT = {Hint.BROADCAST: Lever.BROADCASTS, Hint.SHUFFLE_HASH: Lever.JOIN_HASH_MAPS}

NOTHING = Makers()
ANYTHING = Makers(else_any=True)
# A broadcast is collected by the driver, as results are, and then held by every executor.
_BROADCASTS = Makers(frozenset({Lever.BROADCASTS}), else_any=True)
_TASKS = Makers(frozenset({Lever.JOIN_HASH_MAPS, Lever.AGGREGATE_HASH_MAPS, Lever.PARTITIONS}), else_any=True)
_MEMORY = Makers(_TASKS.levers | _BROADCASTS.levers, else_any=True)
# Joins that are made in another order, or in another way, can let an expression meet rows that it never met.
_JOINS = Makers(frozenset({Lever.ROWS_MET}))
# What can have made a failure of each kind. What only says that something was lost may be of any change's making: SIGKILL is
# how memory that runs out ends a process.
MAKERS: Mapping[FailureKind, Makers] = {
    FailureKind.BROADCAST_TIMEOUT: _BROADCASTS,
    FailureKind.BROADCAST_TOO_LARGE: _BROADCASTS,
    FailureKind.BROADCAST_OUT_OF_MEMORY: _BROADCASTS,
    FailureKind.DRIVER_OUT_OF_MEMORY: _BROADCASTS,
    FailureKind.RESULT_TOO_LARGE: _BROADCASTS,
    FailureKind.TASK_MEMORY: _TASKS,
    FailureKind.LOCAL_DISK: _TASKS,
    FailureKind.EXECUTOR_OUT_OF_MEMORY: _MEMORY,
    FailureKind.EXECUTOR_LOST: ANYTHING,
    FailureKind.DRIVER_LOST: ANYTHING,
    FailureKind.SIGKILLED: ANYTHING,
    FailureKind.STOPPED: ANYTHING,
    FailureKind.UNKNOWN: ANYTHING,
    FailureKind.DATA_OR_CODE: _JOINS,
    FailureKind.EXECUTOR_PREEMPTED: NOTHING,
    FailureKind.KILLED: NOTHING,
    FailureKind.INPUT_MISSING: NOTHING,
    FailureKind.ACCESS_DENIED: NOTHING,
    FailureKind.UNREACHABLE: NOTHING,
    FailureKind.CODE: NOTHING,
    FailureKind.OWN_EXIT: NOTHING,
}
# Says by itself which joins are to blame: those that are broadcast in the query.
_PLAIN = frozenset(
    {FailureKind.BROADCAST_TIMEOUT, FailureKind.BROADCAST_TOO_LARGE, FailureKind.BROADCAST_OUT_OF_MEMORY}
)


def makers_of(failure: Failure | None) -> Makers:
    """What can have made it: of a failure without a word, any change."""
    return MAKERS[failure.kind] if failure is not None else ANYTHING


def from_outside(failure: Failure | None) -> bool:
    """Whether no change can have made it."""
    return makers_of(failure) == NOTHING


def alike(a: Failure | None, b: Failure | None) -> bool:
    """Whether two runs failed in the same way and of the same query, as far as is known."""
    if a is None or b is None or a.kind in UNEXPLAINED or b.kind in UNEXPLAINED:
        return True
    return a.kind is b.kind and (a.query == b.query or a.query is None or b.query is None)


def suspects(failure: Failure | None, new: Sequence[DecidedChange]) -> list[DecidedChange]:
    """Of what is new, what a failure is blamed on: what can have made it, in the query that failed where that is known,
    with what is nothing without that. Where nothing of it can, all of it, but for failures that only some changes can make."""
    if failure is None:
        return list(new)
    makers = [d for d in new if _makes(failure, d.change)]
    first = [d for d in makers if _reaches(d, failure)]
    if not first and makers and makers_of(failure).else_any:
        first = [d for d in new if d in makers or failure.query in d.queries]
    if not first:
        return list(new) if makers_of(failure).else_any else []
    lost = {d.id for d in first}
    return [d for d in new if d.id in lost or d.change.needs in lost]


def known_makers(failure: Failure | None, of: Sequence[DecidedChange]) -> list[DecidedChange]:
    """Of these, what moves a lever that is known to make such failures. An error that rows raise is first of all theirs."""
    if failure is None or not makers_of(failure).else_any:
        return []
    return [d for d in of if _makes(failure, d.change)]


def plainly_guilty(failure: Failure | None, in_force: Sequence[DecidedChange]) -> list[DecidedChange]:
    """Of what was proven, what a failure is plainly of the making of: the broadcasts of the query that could not make one,
    where nothing new can have made it. No run without them is needed to tell."""
    if failure is None or failure.kind not in _PLAIN or failure.query is None:
        return []
    makers = known_makers(failure, in_force)
    if any(d.standing is Standing.TRIAL and _reaches(d, failure) for d in makers):
        return []
    return [d for d in makers if d.standing is Standing.PROMOTED and failure.query in d.queries]


def _makes(failure: Failure, change: Change) -> bool:
    makers = makers_of(failure).levers
    return any(not _levers(action).isdisjoint(makers) for action in change.actions)


def _levers(action: Action) -> set[Lever]:
    if action.kind is ActionKind.SET_CONF:
        knob = KNOBS.get(action.target)
        return {knob.lever} if knob and knob.lever else set()
    found = {Lever.ROWS_MET} if action.kind in ON_JOINS else set()
    hint = _OF_HINT.get(Hint(action.value)) if action.kind is ActionKind.HINT_JOIN else None
    return found | {hint} if hint else found


def _reaches(decided: DecidedChange, failure: Failure) -> bool:
    """Properties reach every query, whichever they were meant for."""
    if failure.query is None or not decided.change.is_on_joins:
        return True
    return failure.query == decided.change.query
