"""What people said of a change or of a cohort."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from tuner.model.decision import Mode


class Ruling(StrEnum):
    APPROVE = "approve"
    REJECT = "reject"
    PIN = "pin"
    ROLL_BACK = "rollback"


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a person said of an action of a cohort. The newest verdict on an action counts."""

    cohort: str
    action_id: str
    ruling: Ruling
    by: str
    at: datetime
    reason: str = ""

    @property
    def words(self) -> str:
        """Who said what, and why."""
        return f"{self.ruling} by {self.by}" + (f": {self.reason}" if self.reason else "")


@dataclass(frozen=True, slots=True)
class ModeChange:
    """The mode a person gave a cohort; None gives it back to what the job or the configuration says. The newest counts."""

    cohort: str
    mode: Mode | None
    by: str
    at: datetime
    reason: str = ""
