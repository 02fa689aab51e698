"""What was gained, in words; where it may be a gain or a loss, that it cannot be told."""

from __future__ import annotations

from tuner.units import format_seconds, format_share


def gained_words(expected_seconds: float, seconds: float, between: tuple[float, float]) -> str:
    """What queries took, and were expected to take with nothing in force, as in "queries took 4.0 s instead of 7.0 s with
    nothing in force: 3.0 s less (42.9%)". `between` are the least and most seconds that were gained."""
    took, without = f"queries took {format_seconds(seconds)}", "with nothing in force"
    if _is_untold(between):
        return f"{took}; {without} {_without(seconds, between)}"
    gain = expected_seconds - seconds
    share = f" ({format_share(abs(gain) / expected_seconds)})" if expected_seconds > 0 else ""
    less = f"{format_seconds(abs(gain))} {'less' if gain >= 0 else 'more'}{share}"
    return f"{took} instead of {format_seconds(expected_seconds)} {without}: {less}"


def night_words(queries: str, expected_seconds: float, seconds: float, between: tuple[float, float]) -> str:
    """What a run gained in the `queries` that its changes reached, as in "gained 3.0 s: 1 query took 4.0 s instead of 7.0 s"."""
    took = f"{queries} took {format_seconds(seconds)}"
    if _is_untold(between):
        return f"{took}; without the changes {_without(seconds, between)}"
    return f"{gain_words(expected_seconds - seconds)}: {took} instead of {format_seconds(expected_seconds)}"


def last_gained_words(gained_seconds: float, between: tuple[float, float] | None = None) -> str:
    """Of a change, in the latest run that measured it: less than 0 is a loss."""
    if between is None or not _is_untold(between):
        return f"last {gain_words(gained_seconds)}"
    return f"last {format_seconds(-between[0])} lost to {format_seconds(between[1])} gained"


def gain_words(seconds: float) -> str:
    """As in "gained 3.0 s"."""
    return f"{'gained' if seconds >= 0 else 'lost'} {format_seconds(abs(seconds))}"


def _is_untold(between: tuple[float, float]) -> bool:
    return between[0] < 0 < between[1]


def _without(seconds: float, between: tuple[float, float]) -> str:
    low, high = (format_seconds(max(0.0, seconds + gain)) for gain in between)
    return f"{low} to {high}: a gain or a loss cannot be told"
