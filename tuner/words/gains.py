"""What was gained, in words."""

from __future__ import annotations

from tuner.units import format_seconds, format_share


def gained_words(expected_seconds: float, seconds: float) -> str:
    """What queries took, and were expected to take with nothing in force, as in "queries took 4.0 s instead of 7.0 s with
    nothing in force: 3.0 s less (42.9%)"."""
    gain = expected_seconds - seconds
    share = f" ({format_share(abs(gain) / expected_seconds)})" if expected_seconds > 0 else ""
    took = f"queries took {format_seconds(seconds)} instead of {format_seconds(expected_seconds)} with nothing in force"
    return f"{took}: {format_seconds(abs(gain))} {'less' if gain >= 0 else 'more'}{share}"


def last_gained_words(gained_seconds: float) -> str:
    """Of a change, in the latest run that measured it: less than 0 is a loss."""
    return f"last {'gained' if gained_seconds >= 0 else 'lost'} {format_seconds(abs(gained_seconds))}"
