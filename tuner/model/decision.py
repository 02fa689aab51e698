"""What the policy decides for one run: changes, and where each stands."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from tuner.model.action import Action
from tuner.model.change import Evidence, Prediction


class Mode(StrEnum):
    OBSERVE = "observe"
    SUGGEST = "suggest"
    AUTO = "auto"


class Standing(StrEnum):
    """Where an action stands in a decision. expired: the agent or Spark did not follow it."""

    PROPOSED = "proposed"
    TRIAL = "trial"
    PROMOTED = "promoted"
    PINNED = "pinned"
    ROLLED_BACK = "rolled_back"
    EXPIRED = "expired"
    HELD = "held"

    @property
    def words(self) -> str:
        """As people read it."""
        return "on trial" if self is Standing.TRIAL else self.value.replace("_", " ")


IN_FORCE = frozenset({Standing.TRIAL, Standing.PROMOTED, Standing.PINNED})
# What was in force and is not to come back by itself.
TAKEN_OUT = frozenset({Standing.ROLLED_BACK, Standing.EXPIRED})


class CohortState(StrEnum):
    """observing: nothing in force. trial: something is on trial. tuned: only what is proven or pinned is in force.

    rolled_back: something was in force and nothing is. held: all there is to change was held back.
    """

    OBSERVING = "observing"
    TRIAL = "trial"
    TUNED = "tuned"
    ROLLED_BACK = "rolled_back"
    HELD = "held"


@dataclass(frozen=True, slots=True)
class DecidedAction:
    """An action, where it stands in this run, and why in a sentence with numbers.

    `gained_seconds` is what it gained in the latest run that measured it (less than 0: lost), with what else was in force on
    its queries. `literals` are the ids of the values that its query was measured with: on a join it acts on no others.
    """

    action: Action
    standing: Standing
    reason: str
    queries: tuple[str, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    predicted_seconds: Prediction | None = None
    gained_seconds: float | None = None
    literals: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Decision:
    """What the policy chose for one run. `summary` is one line for logs and tables."""

    mode: Mode
    summary: str
    actions: tuple[DecidedAction, ...] = ()

    @classmethod
    def of(cls, mode: Mode, actions: Sequence[DecidedAction]) -> Decision:
        """The decision whose summary counts its actions by where they stand."""
        counts = Counter(decided.standing for decided in actions)
        words = [f"{counts[standing]} {standing.words}" for standing in Standing if counts[standing]]
        if mode is Mode.OBSERVE:
            return cls(mode, "; ".join(["observed", *filter(None, [", ".join(words)])]), tuple(actions))
        return cls(mode, ", ".join(words) or "nothing to change", tuple(actions))

    @property
    def in_force(self) -> tuple[Action, ...]:
        return tuple(d.action for d in self.actions if d.standing in IN_FORCE)

    @property
    def state(self) -> CohortState:
        """Where it leaves its cohort: by what is in force; without any, by what was taken out or held back."""
        standings = {d.standing for d in self.actions}
        if Standing.TRIAL in standings:
            return CohortState.TRIAL
        if standings & IN_FORCE:
            return CohortState.TUNED
        if standings & TAKEN_OUT:
            return CohortState.ROLLED_BACK
        return CohortState.HELD if standings == {Standing.HELD} else CohortState.OBSERVING
