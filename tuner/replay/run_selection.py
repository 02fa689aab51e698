"""Which of the runs are replayed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from fnmatch import fnmatchcase

# Of a month as people count back; exact dates are `since`'s.
DAYS_OF_A_MONTH = 365.25 / 12


@dataclass(frozen=True, slots=True)
class RunSelection:
    """Runs of the cohorts that a pattern names (`nightly.*`) or is called by itself (`load [daily]`), since a moment, or of the
    last months before the newest run there is. What is left out is not looked back at either.
    """

    cohort: str = "*"
    since: datetime | None = None
    months: float | None = None

    def is_named(self, cohort: str) -> bool:
        return cohort == self.cohort or fnmatchcase(cohort, self.cohort)

    def unnamed(self, known: Iterable[str]) -> tuple[str, ...]:
        """The cohorts that there are, where none of them is named."""
        found = sorted(known)
        return () if any(map(self.is_named, found)) else tuple(found)

    def start(self, newest: datetime) -> datetime | None:
        """Runs that started earlier are left out; None where none are."""
        # A run lies in the future where its machine's clock was ahead.
        newest = min(newest, datetime.now(UTC))
        earliest = newest - timedelta(days=self.months * DAYS_OF_A_MONTH) if self.months is not None else None
        return max(filter(None, (self.since, earliest)), default=None)


EVERYTHING = RunSelection()
