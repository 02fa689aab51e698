"""A cohort's figures, from its runs and what their changes gained."""

from __future__ import annotations

import math
from collections.abc import Sequence

from tuner.model.cohort_figures import CohortFigures, Gained
from tuner.model.run import Run
from tuner.model.saving import Saving
from tuner.policy.measure import latest_usable, query_seconds

# As many runs as a sparkline shows.
TREND_RUNS = 20


def cohort_figures(runs: Sequence[Run], savings: Sequence[Saving]) -> CohortFigures | None:
    """Of runs, oldest first, and what each of their changes gained; None where none was measured."""
    latest = latest_usable(runs)
    seconds = query_seconds(latest) if latest else None
    if latest is None or latest.outcome is None or seconds is None:
        return None
    outcome = latest.outcome
    took = None if outcome.duration_ms is None else outcome.duration_ms / 1e3
    of_latest = [saving for saving in savings if saving.run_key == latest.key]
    trend = tuple(query_seconds(run) for run in runs[-TREND_RUNS:])
    return CohortFigures(
        seconds, took, outcome.allocated_core_hours, outcome.allocated_gib_hours, _gained(of_latest), trend
    )


def _gained(savings: Sequence[Saving]) -> Gained | None:
    if not savings:
        return None
    hours = [saving.core_hours for saving in savings if saving.core_hours is not None]
    deviation = math.sqrt(sum(saving.deviation**2 for saving in savings))
    return Gained(sum(saving.seconds for saving in savings), deviation, sum(hours) if hours else None)
