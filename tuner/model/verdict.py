"""What people said of a change or of a cohort."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from tuner.model.decision import Mode
from tuner.model.objective import Objective


class Ruling(StrEnum):
    APPROVE = "approve"
    REJECT = "reject"
    PIN = "pin"
    ROLL_BACK = "rollback"


REFUSALS = (Ruling.REJECT, Ruling.ROLL_BACK)


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a person said of a change of a cohort. The newest verdict on a change counts."""

    cohort: str
    change_id: str
    ruling: Ruling
    by: str
    at: datetime
    reason: str = ""

    @property
    def is_asked_for(self) -> bool:
        """Whether it asks for the change."""
        return self.ruling in (Ruling.APPROVE, Ruling.PIN)

    @property
    def is_refusal(self) -> bool:
        """Whether it says no to the change."""
        return self.ruling in REFUSALS


@dataclass(frozen=True, slots=True)
class ModeChange:
    """The mode a person gave a cohort; None gives it back to what the job or the configuration says. The newest counts."""

    cohort: str
    mode: Mode | None
    by: str
    at: datetime
    reason: str = ""


@dataclass(frozen=True, slots=True)
class ObjectiveChange:
    """What a person wants a cohort's changes judged by; None gives it back to what the job or the configuration says. The newest
    counts."""

    cohort: str
    objective: Objective | None
    by: str
    at: datetime
    reason: str = ""
