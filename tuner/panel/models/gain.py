"""What changes gained."""

from __future__ import annotations

from tuner.model.cohort_figures import Gained
from tuner.panel.models.answer import Answer
from tuner.policy.cohort_figures import gained_between


class GainItem(Answer):
    """What changes gained, 90 % sure to be from `low` to `high` seconds (less than 0: lost). Core-hours are None where no log
    tells what executors held."""

    seconds: float
    low: float
    high: float
    core_hours: float | None

    @classmethod
    def of(cls, took: float, gained: Gained) -> GainItem:
        low, high = gained_between(took, gained)
        return cls(seconds=gained.seconds, low=low, high=high, core_hours=gained.core_hours)
