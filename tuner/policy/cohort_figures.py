"""A cohort's figures, from its runs."""

from __future__ import annotations

import math
from collections.abc import Sequence

from tuner.model.cohort_figures import CohortFigures, Gained
from tuner.model.run import Run
from tuner.policy.baseline import Baseline, baseline_of
from tuner.policy.evidence.log_ratio import Z_90, interval_90
from tuner.policy.held_share import HeldShare
from tuner.policy.measure import is_reached, query_seconds
from tuner.policy.overlap import clock_share
from tuner.policy.usable import latest_usable

# As many runs as a sparkline shows.
TREND_RUNS = 20


def cohort_figures(runs: Sequence[Run]) -> CohortFigures | None:
    """Of runs, oldest first; None where none was measured. What the latest one gained is told as on the cohort's own page:
    against what that night would have taken with nothing in force; None where nothing that was in force reached a query."""
    latest = latest_usable(runs)
    seconds = query_seconds(latest) if latest else None
    if latest is None or latest.outcome is None or seconds is None:
        return None
    outcome = latest.outcome
    took = None if outcome.duration_ms is None else outcome.duration_ms / 1e3
    band = baseline_of(latest, runs) if is_reached(latest) else None
    gained = _gained(band, seconds, latest, runs) if band else None
    trend = tuple(query_seconds(run) for run in runs[-TREND_RUNS:])
    held = outcome.allocated_core_hours, outcome.allocated_gib_hours
    return CohortFigures(seconds, took, *held, gained, trend, latest.started_at)


def gained_between(took: float, gained: Gained) -> tuple[float, float]:
    """The seconds that were gained, 90 % sure, by what took so many: as a Baseline's band has them, which is one of logarithms.
    Of many cohorts, by the sums of what they took and gained."""
    expected = took + gained.seconds
    if expected <= 0:
        return interval_90(gained.seconds, gained.deviation)
    ratio = math.exp(math.asinh(Z_90 * gained.deviation / expected))
    return expected / ratio - took, expected * ratio - took


def _gained(band: Baseline, seconds: float, latest: Run, runs: Sequence[Run]) -> Gained:
    gain, deviation, outcome = band.expected - seconds, (band.high - band.low) / (2 * Z_90), latest.outcome
    if outcome is None or outcome.allocated_core_hours is None or not outcome.duration_ms:
        return Gained(gain, deviation)
    on_the_clock = gain * clock_share(outcome.queries)
    held_seconds = on_the_clock * HeldShare(runs).of(latest, on_the_clock)
    return Gained(gain, deviation, held_seconds * 1e3 * outcome.allocated_core_hours / outcome.duration_ms)
