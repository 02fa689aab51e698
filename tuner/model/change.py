"""The unit of everything: what is recommended, decided, stored, tried, judged, shown, ruled on and taken out."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Self

from tuner.model.action import ON_JOINS, Action, ActionKind
from tuner.model.reason import Reason

_BETWEEN_ACTIONS = " + "
_SETS = re.compile(rf"(?:\A|{re.escape(_BETWEEN_ACTIONS)}){ActionKind.SET_CONF}:([^=]+)=")


@dataclass(frozen=True, slots=True)
class Evidence:
    """One measured (or derived) number behind a change, with its unit and what it is of."""

    what: str
    value: float
    unit: str
    of: str = ""


@dataclass(frozen=True, slots=True)
class Prediction:
    """Seconds of the affected queries before and after, and the interval of the latter, which holds nine of ten.

    `worst` are the seconds after if prices and sizes are as wrong as they may be, which a trial is weighed by; None where the
    interval is made of these.
    """

    before: float
    after: float
    low: float
    high: float
    worst: float | None = None

    @property
    def gain(self) -> float:
        return self.before - self.after

    @property
    def worst_loss(self) -> float:
        """Seconds lost in the predicted worst case; 0 when even that gains."""
        return max(0.0, self.at_worst - self.before)

    @property
    def at_worst(self) -> float:
        """Seconds after, by the errors of prices and sizes."""
        return self.high if self.worst is None else self.worst


class Risk(StrEnum):
    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"


@dataclass(frozen=True, slots=True)
class Change:
    """Actions that stand or fall together, from one advisor, for the queries they affect (fingerprints), and why.

    `id` is the same in every run (`change_id`). `needs` is the id of the change without which this one is nothing: a hint on a
    join that only an order of joins makes. Both are one trial, which `prediction` and `evidence` are of. What `secures` a plan
    that Spark came to by chance need not gain in each run: it only must not lose.
    """

    id: str
    advisor: str
    actions: tuple[Action, ...]
    queries: tuple[str, ...]
    reason: Reason
    evidence: tuple[Evidence, ...] = ()
    prediction: Prediction | None = None
    risk: Risk = Risk.LOW
    needs: str = ""
    secures: bool = False

    @classmethod
    def of(
        cls,
        advisor: str,
        actions: tuple[Action, ...],
        queries: tuple[str, ...],
        reason: Reason,
        evidence: tuple[Evidence, ...],
        prediction: Prediction | None,
        risk: Risk = Risk.LOW,
        needs: str = "",
        *,
        secures: bool = False,
    ) -> Self:
        """The change of these actions, called by them."""
        return cls(change_id(actions), advisor, actions, queries, reason, evidence, prediction, risk, needs, secures)

    @property
    def kind(self) -> ActionKind:
        """The kind of its first action: the others come with that."""
        return self.actions[0].kind

    @property
    def is_on_joins(self) -> bool:
        """Whether it is about the joins of one query, and carried out by the Catalyst agent."""
        return self.kind in ON_JOINS

    @property
    def sets_properties(self) -> bool:
        """Whether it reaches every query of its run, whichever it is meant for."""
        return any(action.kind is ActionKind.SET_CONF for action in self.actions)

    @property
    def query(self) -> str | None:
        """Of a change to joins the fingerprint of their query."""
        return self.actions[0].query

    @property
    def carried_out(self) -> tuple[Action, ...]:
        """What a run does of it: tables are analysed by people."""
        return tuple(action for action in self.actions if action.kind is not ActionKind.ANALYZE_TABLE)

    @property
    def trial(self) -> str:
        """The same for changes that are one trial: the id of the change that the others need."""
        return self.needs or self.id


def change_id(actions: tuple[Action, ...]) -> str:
    """What a change of these actions is called in every run, in whatever order they come.

    People analyse tables, and which there are varies: they are no part of it where there is more.
    """
    carried_out = [action for action in actions if action.kind is not ActionKind.ANALYZE_TABLE]
    return _BETWEEN_ACTIONS.join(sorted(action.id for action in carried_out or actions))


def properties_of_id(id_: str) -> tuple[str, ...]:
    """The properties that the change of an id sets, for who has nothing of it but that (`change_id`)."""
    return tuple(_SETS.findall(id_))
