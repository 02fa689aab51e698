"""A cohort in figures: what a list of many shows of each."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class Gained:
    """Query seconds and core-hours that changes gained; less than 0: lost. `deviation` is the standard deviation of the seconds,
    `core_hours` None where no log tells."""

    seconds: float
    deviation: float
    core_hours: float | None = None


@dataclass(frozen=True, slots=True)
class CohortFigures:
    """Of the latest measured run: query and application seconds, core-hours and GiB-hours (None: not known), and what its
    changes gained (None: it had none, or nothing tells). `trend` are the query seconds of the newest runs, oldest first, None
    for each that was not measured. `measured_at` is when that run began (None: a version before kept them)."""

    query_seconds: float
    application_seconds: float | None
    core_hours: float | None
    gib_hours: float | None
    gained: Gained | None
    trend: tuple[float | None, ...]
    measured_at: datetime | None = None
