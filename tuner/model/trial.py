"""Which changes are one trial: the one that the others need, and those."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from tuner.model.change import Change
from tuner.model.decision import DecidedChange, Standing

_Item = TypeVar("_Item")

# Of several changes, the standing that is said of all is that of what is furthest.
_FURTHEST = (
    Standing.TRIAL,
    Standing.PINNED,
    Standing.PROMOTED,
    Standing.PROPOSED,
    Standing.HELD,
    Standing.ROLLED_BACK,
    Standing.EXPIRED,
)


def changes_by_trial(changes: Iterable[Change]) -> list[tuple[Change, ...]]:
    """Changes that are tried together, in the order in which the trials come."""
    return _by_trial(changes, lambda change: change)


def decided_by_trial(decided: Iterable[DecidedChange]) -> list[tuple[DecidedChange, ...]]:
    """Decided changes that are tried together, in the order in which the trials come."""
    return _by_trial(decided, lambda d: d.change)


def standing_of(trial: Sequence[DecidedChange]) -> Standing:
    """Where the changes of one trial stand together: they are counted, shown and ruled on as one."""
    return min((decided.standing for decided in trial), key=_FURTHEST.index)


def _by_trial(items: Iterable[_Item], change_of: Callable[[_Item], Change]) -> list[tuple[_Item, ...]]:
    trials: dict[str, list[_Item]] = {}
    for item in items:
        trials.setdefault(change_of(item).trial, []).append(item)
    return [tuple(trial) for trial in trials.values()]
