"""GET api/savings: what changes gained, by week, tag, cohort and change."""

from __future__ import annotations

from datetime import datetime
from typing import Self

from tuner.panel.models.answer import Answer
from tuner.panel.models.gain import GainItem
from tuner.savings.savings_report import ends


class SavedItem(GainItem):
    """What changes gained over runs. `lost_seconds` are what changes lost where they lost; `failed_runs` were made to fail."""

    lost_seconds: float
    gib_hours: float
    cost: float | None
    runs: int
    failed_runs: int


class SavedOfWeek(Answer):
    """`week` is a Monday in UTC."""

    week: str
    saved: SavedItem


class SavedOfTag(Answer):
    """Of the cohorts with a DAG's tag; "" are those without any."""

    tag: str
    cohorts: int
    saved: SavedItem


class SavedOfCohort(Answer):
    cohort: str
    tags: list[str]
    saved: SavedItem


class SavedOfChange(Answer):
    """`words` are empty for other sizes than the job's own."""

    cohort: str
    words: str
    saved: SavedItem
    first_at: datetime
    last_at: datetime


class Savings(Answer):
    """What changes gained in the cohorts that the viewer may read, from the Monday `since` on: most first. Nothing is counted
    twice, but cohorts with several tags once for each. Of many cohorts and changes the largest gains and losses are listed."""

    since: str
    total: SavedItem
    cohorts_in_all: int
    weeks: list[SavedOfWeek]
    tags: list[SavedOfTag]
    cohorts: list[SavedOfCohort]
    changes: list[SavedOfChange]

    def with_ends(self, most: int) -> Self:
        """So many tags, cohorts and changes at most: those that gained and those that lost most."""
        return self.model_copy(
            update={
                "tags": list(ends(self.tags, most)),
                "cohorts": list(ends(self.cohorts, most)),
                "changes": list(ends(self.changes, most)),
            }
        )

    def cut_to(self, most: int) -> Self:
        """These, and the newest weeks."""
        return super().cut_to(most).with_ends(most).model_copy(update={"weeks": self.weeks[-most:]})
