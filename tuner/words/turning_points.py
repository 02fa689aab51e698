"""What changed around a job, and what the tuner prevented since, in words."""

from __future__ import annotations

from tuner.model.turning_point import Took, TurningPoint
from tuner.units import format_seconds
from tuner.words.counts import counted


def turn_words(point: TurningPoint) -> str:
    """As in "since 2026-11-20 02:00 UTC runs have Spark 4.0 instead of 3.5 (12 runs)"."""
    return f"since {point.at:%Y-%m-%d %H:%M} UTC runs have {point.difference} ({counted(point.runs_since, 'run')})"


def prevented_words(point: TurningPoint) -> str:
    """What would have got slower by it without the tuner, and what of that was prevented; or why that is not told."""
    if not point.compared:
        return "what it did is not known: no query ran without changes both before and since"
    of = counted(point.compared, "query")
    if not point.queries:
        return f"without the tuner none of {of} would have got slower beyond what nights differ by"
    slower, prevented = format_seconds(point.slower_seconds), format_seconds(point.prevented_seconds)
    words = f"without the tuner {len(point.queries)} of {of} would have got slower, by {slower} a run"
    return f"{words}; its changes prevented {prevented} of that (at least {format_seconds(point.prevented_at_least)})"


def untold_words(point: TurningPoint) -> str:
    """Of which queries nothing is said; "" for none."""
    if not point.untold or not point.compared:
        return ""
    return (
        f"nothing is said of {counted(point.untold, 'query')} that ran with changes in all runs before, or in all since"
    )


def took_words(took: Took | None) -> str:
    """As in "10.2 s (4 runs)": the median of so many."""
    return "-" if took is None else f"{format_seconds(took.seconds)} ({counted(took.runs, 'run')})"
