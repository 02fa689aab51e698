"""What queries would take with changes that were predicted one by one."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce

from tuner.model.action import Action
from tuner.model.change import Prediction
from tuner.model.decision import DecidedChange, Decision
from tuner.model.trial import decided_by_trial

# What tells a trial apart from others, whatever value it sets: a threshold that grows by some bytes stays one.
Place = tuple[tuple[str, str, str, tuple[str, ...]], ...]


@dataclass(frozen=True, slots=True)
class Trial:
    """Changes that are one trial, the one that the others need first, and what was predicted of them."""

    decided: tuple[DecidedChange, ...]
    prediction: Prediction

    @property
    def leading(self) -> tuple[DecidedChange, ...]:
        """Those that need no other: which hints come with an order may differ from run to run."""
        return tuple(d for d in self.decided if not d.change.needs) or self.decided

    @property
    def actions(self) -> tuple[Action, ...]:
        return tuple(action for decided in self.decided for action in decided.change.actions)

    @property
    def queries(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(q for d in self.decided for q in d.queries))

    @property
    def place(self) -> Place:
        return place_of(self.decided)


def place_of(decided: Sequence[DecidedChange]) -> Place:
    """Of the changes of one trial."""
    leading = [d for d in decided if not d.change.needs] or decided
    actions = (action for d in leading for action in d.change.actions)
    return tuple(sorted((a.kind.value, a.target, a.query or "", a.relations) for a in actions))


def trials_of(decided: Iterable[DecidedChange]) -> list[Trial]:
    """The changes by the trials that they are of; without those that nothing was predicted of."""
    return [
        Trial(trial, predicted)
        for trial in decided_by_trial(decided)
        if (predicted := trial[0].change.prediction) is not None and predicted.before > 0
    ]


def trials_lacked(decision: Decision, had: Collection[str]) -> list[Trial]:
    """What of a decision was to be in force and was not among these (ids of changes).

    What is predicted of an order holds for it with its broadcasts: where it was in force, they are not counted once more.
    """
    return trials_of(d for d in decision.in_force if d.id not in had and d.change.trial not in had)


def with_trials(seconds: Mapping[str, float], trials: Sequence[Trial]) -> Prediction | None:
    """The seconds of all queries (by fingerprint) that the trials are for, and what is predicted of them with all of
    these.

    Each trial takes the same share of each of its queries, and trials of one query take their shares one after the
    other: together they never take more than there is. None where no query of theirs is there.
    """
    touched = {q for trial in trials for q in trial.queries if q in seconds}
    if not touched:
        return None
    after, low, high = (sum(seconds[q] * _product(trials, q, end) for q in touched) for end in ("after", "low", "high"))
    return Prediction(sum(seconds[q] for q in touched), after, low, high)


def _product(trials: Iterable[Trial], query: str, end: str) -> float:
    share = 1.0
    for trial in trials:
        if query in trial.queries:
            share *= max(0.0, getattr(trial.prediction, end)) / trial.prediction.before
    return share


NOTHING = Prediction(0.0, 0.0, 0.0, 0.0)


def added(a: Prediction, b: Prediction) -> Prediction:
    """Two as one: ends of intervals add up, for what makes one price wrong makes all."""
    return Prediction(a.before + b.before, a.after + b.after, a.low + b.low, a.high + b.high)


def summed(predictions: Collection[Prediction]) -> Prediction | None:
    """Several as one; None for none."""
    return reduce(added, predictions, NOTHING) if predictions else None
