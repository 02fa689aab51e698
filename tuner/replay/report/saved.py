"""What could have been saved, with its interval, in query time and in core-hours."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from tuner.replay.cohort_replay import CohortReplay


@dataclass(frozen=True, slots=True)
class Saved:
    """`least` and `most` are the ends of the interval; less than 0 is a loss.

    The interval of core-hours is that of the seconds, in proportion.
    """

    seconds: float
    least_seconds: float
    most_seconds: float
    core_hours: float
    least_core_hours: float
    most_core_hours: float


def saved_of(cohort: CohortReplay) -> Saved | None:
    """None where no run of the cohort lacked an advised change."""
    predicted = cohort.saved
    if predicted is None:
        return None
    least, most = predicted.before - predicted.high, predicted.before - predicted.low
    hours_of_a_second = cohort.core_hours / cohort.query_seconds if cohort.query_seconds else 0.0
    if predicted.gain:
        hours_of_a_second = cohort.saved_core_hours / predicted.gain
    return Saved(
        seconds=predicted.gain,
        least_seconds=least,
        most_seconds=most,
        core_hours=cohort.saved_core_hours,
        least_core_hours=least * hours_of_a_second,
        most_core_hours=most * hours_of_a_second,
    )


def saved_in(cohorts: Iterable[CohortReplay]) -> Saved | None:
    """In all of them: ends of intervals add up, for what makes one price wrong makes all."""
    found = [saved for cohort in cohorts if (saved := saved_of(cohort)) is not None]
    if not found:
        return None
    return Saved(
        seconds=sum(s.seconds for s in found),
        least_seconds=sum(s.least_seconds for s in found),
        most_seconds=sum(s.most_seconds for s in found),
        core_hours=sum(s.core_hours for s in found),
        least_core_hours=sum(s.least_core_hours for s in found),
        most_core_hours=sum(s.most_core_hours for s in found),
    )
