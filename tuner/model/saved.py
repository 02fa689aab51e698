"""What changes gained over several runs."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class Saved:
    """Sums over runs (less than 0: lost); `deviation` is that of the seconds, `lost_seconds` what changes lost of them where they
    lost. Of these runs `failed` were made to fail."""

    seconds: float = 0.0
    deviation: float = 0.0
    lost_seconds: float = 0.0
    core_hours: float = 0.0
    gib_hours: float = 0.0
    runs: int = 0
    failed: int = 0


@dataclass(frozen=True, slots=True)
class SavedInWeek:
    """What all changes of a cohort gained in the week from a Monday (`2026-11-23`, UTC) on."""

    cohort: str
    week: str
    saved: Saved


@dataclass(frozen=True, slots=True)
class SavedByChange:
    """What one change of a cohort gained, or other sizes than its job's own (`tuner.model.saving.OF_SIZES`)."""

    cohort: str
    change_id: str
    saved: Saved
    first_at: datetime
    last_at: datetime
