"""Who imports a baseline, and what is said in their name."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from tuner.model.exported_baseline import ExportedBaseline


@dataclass(frozen=True, slots=True)
class Importer:
    """Who imports, when, and whether they pin what they import."""

    by: str
    at: datetime
    pins: bool = False


def imported_from(baseline: ExportedBaseline) -> str:
    """The reason of what an importer says."""
    return f"imported from a baseline of {baseline.cohort} exported as of {baseline.as_of}"
