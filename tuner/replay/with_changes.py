"""What queries would take with changes that were predicted one by one."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce

from tuner.model.action import Action, ActionKind
from tuner.model.change import Prediction
from tuner.model.decision import IN_FORCE, DecidedAction, Decision
from tuner.policy.together import together

# What tells a change apart from others, whatever value it sets: a threshold that grows by some bytes stays one change.
Place = tuple[tuple[str, str, str, tuple[str, ...]], ...]


def place_of(actions: Iterable[Action]) -> Place:
    return tuple(
        sorted((a.kind.value, a.target, a.query or "", a.relations) for a in without_called_for(tuple(actions)))
    )


def without_called_for(actions: Sequence[Action]) -> Sequence[Action]:
    """The actions of a recommendation without the hints that came with an order: which did may differ from run to run."""
    orders = [action for action in actions if action.kind is ActionKind.ORDER_JOINS]
    return orders or actions


@dataclass(frozen=True, slots=True)
class Change:
    """Actions that came of one recommendation, and what was predicted of them."""

    decided: tuple[DecidedAction, ...]
    predicted: Prediction

    @property
    def actions(self) -> tuple[Action, ...]:
        return tuple(d.action for d in self.decided)

    @property
    def queries(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(q for d in self.decided for q in d.queries))

    @property
    def words(self) -> str:
        return ", ".join(action.words for action in self.actions)

    @property
    def place(self) -> Place:
        return place_of(self.actions)


def changes_of(decided: Iterable[DecidedAction]) -> list[Change]:
    """The actions by the recommendations they came of; without those that nothing was predicted of."""
    groups: dict[object, list[DecidedAction]] = {}
    for d in decided:
        groups.setdefault(together(d), []).append(d)
    return [
        Change(tuple(group), predicted)
        for group in groups.values()
        if (predicted := group[0].predicted_seconds) is not None and predicted.before > 0
    ]


def changes_lacked(decision: Decision, in_force: Collection[str]) -> list[Change]:
    """What of a decision was to be in force and was not among these (action ids).

    What is predicted of an order holds for it with its broadcasts: where it was in force, they are not counted once more.
    """
    orders = {d.action.id: together(d) for d in decision.actions if d.action.kind is ActionKind.ORDER_JOINS}
    had = {group for id_, group in orders.items() if id_ in in_force}
    lacked = (d for d in decision.actions if d.standing in IN_FORCE and d.action.id not in in_force)
    return changes_of(d for d in lacked if together(d) not in had)


def with_changes(seconds: Mapping[str, float], changes: Sequence[Change]) -> Prediction | None:
    """The seconds of all queries (by fingerprint) that the changes are for, and what is predicted of them with all of
    these.

    Each change takes the same share of each of its queries, and changes of one query take their shares one after the
    other: together they never take more than there is. None where no query of theirs is there.
    """
    touched = {q for change in changes for q in change.queries if q in seconds}
    if not touched:
        return None
    after, low, high = (
        sum(seconds[q] * _product(changes, q, end) for q in touched) for end in ("after", "low", "high")
    )
    return Prediction(sum(seconds[q] for q in touched), after, low, high)


def _product(changes: Iterable[Change], query: str, end: str) -> float:
    share = 1.0
    for change in changes:
        if query in change.queries:
            share *= max(0.0, getattr(change.predicted, end)) / change.predicted.before
    return share


NOTHING = Prediction(0.0, 0.0, 0.0, 0.0)


def added(a: Prediction, b: Prediction) -> Prediction:
    """Two as one: ends of intervals add up, for what makes one price wrong makes all."""
    return Prediction(a.before + b.before, a.after + b.after, a.low + b.low, a.high + b.high)


def summed(predictions: Collection[Prediction]) -> Prediction | None:
    """Several as one; None for none."""
    return reduce(added, predictions, NOTHING) if predictions else None
