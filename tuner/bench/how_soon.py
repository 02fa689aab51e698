"""How soon a contender has most of what it gains, where that is more than noise."""

from __future__ import annotations

from collections.abc import Iterable

# It has learned when a run reaches this share of its final gain.
MOST_OF_GAIN = 0.9
# A gain that is not that many times what the defaults differ from themselves may be the machine's.
CLEARLY = 2.0
# Contenders whose first run is one by default.
OBSERVING = frozenset({"tuner", "random", "tpe"})


def how_soon(
    contender: str, speed_ups: Iterable[tuple[int, float | None]], final: float | None, spread: float | None
) -> int | None:
    """The first run with most of the gain, by number and speed-up of each run, the final one, and how many times as long the
    defaults' slowest round took as their fastest. None where that gain is not clear of noise, or no run reached it."""
    if not final or spread is None:
        return None
    gain = 1 - 1 / final
    if gain <= CLEARLY * (1 - 1 / spread) or gain <= 0:
        return None
    steered = ((n, ratio) for n, ratio in speed_ups if ratio and not (n == 1 and contender in OBSERVING))
    return next((n for n, ratio in steered if 1 - 1 / ratio >= MOST_OF_GAIN * gain), None)
