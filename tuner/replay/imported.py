"""What an import has found."""

from __future__ import annotations

from dataclasses import dataclass

from tuner.replay.cohort_replay import CohortReplay, UnreadLog


@dataclass(frozen=True, slots=True)
class Imported:
    """Cohorts, each with the number of its runs that were stored; logs that are not used, and why; a line for each problem."""

    kept: list[tuple[CohortReplay, int]]
    unread: list[UnreadLog]
    problems: list[str]

    @property
    def is_news(self) -> bool:
        """Whether there is anything that was not known before."""
        return bool(self.unread or self.problems or any(added for _, added in self.kept))
