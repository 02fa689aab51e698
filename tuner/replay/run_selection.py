"""Which of the runs are replayed."""

from __future__ import annotations

from collections.abc import Container, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from tuner.history.asked_cohorts import ALL, is_asked

# Of a month as people count back; exact dates are `since`'s.
DAYS_OF_A_MONTH = 365.25 / 12


@dataclass(frozen=True, slots=True)
class RunSelection:
    """Runs of the cohorts that a name or a pattern asks for (`nightly.*`), since a moment, or of the last months before the
    newest run of these. What is left out is not looked back at either.
    """

    cohort: str = ALL
    since: datetime | None = None
    months: float | None = None

    def asks_for(self, cohort: str, known: Container[str]) -> bool:
        return is_asked(cohort, self.cohort, known)

    def unnamed(self, known: Iterable[str]) -> tuple[str, ...]:
        """The cohorts that there are, where none of them is asked for."""
        found = frozenset(known)
        return () if any(self.asks_for(cohort, found) for cohort in found) else tuple(sorted(found))

    def start(self, newest: datetime) -> datetime | None:
        """Runs that started earlier are left out; None where none are."""
        # A run lies in the future where its machine's clock was ahead.
        newest = min(newest, datetime.now(UTC))
        earliest = newest - timedelta(days=self.months * DAYS_OF_A_MONTH) if self.months is not None else None
        return max(filter(None, (self.since, earliest)), default=None)


EVERYTHING = RunSelection()
