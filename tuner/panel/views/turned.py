"""What a cohort would have lost since its surroundings changed, and what of that was prevented."""

from __future__ import annotations

from collections.abc import Iterable

from tuner.model.turning_point import TurningPoint
from tuner.panel.models.cohort import Turned
from tuner.panel.views.texts import shortened
from tuner.words.turning_points import prevented_words, turn_words


def turned(points: Iterable[TurningPoint]) -> Turned | None:
    """Of the first of these, newest first, that queries would have got slower by; None where there is none."""
    point = next((point for point in points if point.queries), None)
    if point is None:
        return None
    return Turned(
        run_key=point.run_key,
        at=point.at,
        difference=shortened(point.difference),
        runs_since=point.runs_since,
        since=shortened(turn_words(point)),
        prevented=shortened(prevented_words(point)),
        slower_seconds=point.slower_seconds,
        prevented_seconds=point.prevented_seconds,
    )
