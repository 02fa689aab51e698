"""What was gained and lost, in words."""

from __future__ import annotations

from tuner.model.saved import Saved
from tuner.policy.evidence.log_ratio import interval_90
from tuner.units import format_seconds
from tuner.words.counts import counted

_LEAST_SECONDS = 0.005
SIZES = "other sizes than the job asks for"
NO_TAG = "no tag"
ALL_ELSEWHERE = "`spark-tuner savings --json` has all"


def saved_words(seconds: float) -> str:
    """`3.2 s less`, `1.0 s more`, `no difference`: what runs took by their changes."""
    if abs(seconds) < _LEAST_SECONDS:
        return "no difference"
    return f"{format_seconds(abs(seconds))} {'less' if seconds > 0 else 'more'}"


def sure_words(saved: Saved) -> str:
    """Between what bounds that lies, 90 % sure: `2.0 s to 4.4 s less`, `0.3 s more to 1.2 s less`."""
    low, high = interval_90(saved.seconds, saved.deviation)
    if saved.deviation <= 0 or high - low < _LEAST_SECONDS:
        return ""
    if low >= 0:
        return f"{format_seconds(low)} to {format_seconds(high)} less"
    if high <= 0:
        return f"{format_seconds(-high)} to {format_seconds(-low)} more"
    return f"{format_seconds(-low)} more to {format_seconds(high)} less"


def runs_words(saved: Saved, cohorts: int) -> str:
    """Of which runs it is: `18 runs of 2 cohorts with changes in force`."""
    return f"{counted(saved.runs, 'run')} of {counted(cohorts, 'cohort')} with changes in force"


def losses_words(saved: Saved) -> str:
    """What was lost in it, as a sentence; "" where nothing was."""
    if not saved.lost_seconds:
        return ""
    failed = f", {counted(saved.failed, 'run')} that a change made fail among them" if saved.failed else ""
    return f"That is after losses of {format_seconds(saved.lost_seconds)}{failed}."


def cut_words(shown: int, known: int, *, or_more: bool = False) -> str:
    """What is said below a table that has the two ends of its rows alone; "" where it has all. `or_more`: all rows are
    those that gained or lost most, and there may be others."""
    if shown == known:
        return f"the {known} that gained or lost most; {ALL_ELSEWHERE}" if or_more else ""
    of = f"the {known} that gained or lost most" if or_more else str(known)
    return f"{shown} of {of}: those that gained most, and those that gained least or lost; {ALL_ELSEWHERE}"
