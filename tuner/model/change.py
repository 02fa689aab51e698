"""What is recommended, with its evidence, prediction and risk."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from tuner.model.action import Action


@dataclass(frozen=True, slots=True)
class Evidence:
    """One measured (or derived) number behind an action, with its unit and what it is of."""

    what: str
    value: float
    unit: str
    of: str = ""


@dataclass(frozen=True, slots=True)
class Prediction:
    """Seconds of the affected queries before and after, and the interval of the latter."""

    before: float
    after: float
    low: float
    high: float

    @property
    def gain(self) -> float:
        return self.before - self.after

    @property
    def worst_loss(self) -> float:
        """Seconds lost in the predicted worst case; 0 when even that gains."""
        return max(0.0, self.high - self.before)


class Risk(StrEnum):
    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"


@dataclass(frozen=True, slots=True)
class Recommendation:
    """Actions that belong together, for the queries they affect (fingerprints), and why."""

    actions: tuple[Action, ...]
    queries: tuple[str, ...]
    reason: str
    evidence: tuple[Evidence, ...]
    predicted_seconds: Prediction
    risk: Risk
    advisor: str = ""
