"""What changes gain of the time of queries: no query gives more than most of its seconds."""

from __future__ import annotations

from collections.abc import Iterable

from tuner.cost.what_if.interval import Interval
from tuner.model.change import Prediction
from tuner.model.query import Query

MOST_GAIN_SHARE = 0.8
# What a property must gain at least: it reaches every query of a job, and its trial costs a run.
MIN_GAIN_SECONDS = 0.2
MIN_GAIN_SHARE = 0.01


def capped(gain: float, before: float) -> float:
    """A gain in seconds, no larger than what a query has to give: four fifths of its seconds."""
    return min(gain, MOST_GAIN_SHARE * before)


def total_gain(gains: Iterable[tuple[Query, float]]) -> float:
    """The sum of gains in seconds (below 0: losses), capped for each query."""
    of_query: dict[int, tuple[Query, float]] = {}
    for query, gain in gains:
        _, so_far = of_query.get(query.id, (query, 0.0))
        of_query[query.id] = (query, so_far + gain)
    return sum(capped(gain, query.seconds) for query, gain in of_query.values())


def total_seconds(queries: Iterable[Query]) -> float:
    """Wall seconds of queries, each counted once."""
    return sum({query.id: query.duration_ms or 0 for query in queries}.values()) / 1e3


def is_worth_it(
    gain: float,
    queries: Iterable[Query],
    seconds: float = MIN_GAIN_SECONDS,
    share: float = MIN_GAIN_SHARE,
    times: float = 1.0,
) -> bool:
    """Whether a gain is at least this share of what the queries took, and so many seconds over the `times` that a run has it."""
    return gain >= share * total_seconds(queries) and gain * times >= seconds


def predict_saving(
    query: Query, saved: float, added: float, error: float, least_saved: float | None = None
) -> Prediction:
    """Seconds of a query that is spared some work for some other, each priced within a factor of `error`; at least
    `least_saved` where what it saves stands on sizes that may be wrong."""
    before = query.seconds
    gain, most = (capped(seconds, before) for seconds in (saved - added, saved * error - added / error))
    least = (saved if least_saved is None else least_saved) / error - added * error
    return Prediction(before, before - gain, before - most, before - least)


def predict_gains(gains: Iterable[tuple[Query, Interval]]) -> Prediction:
    """Seconds of the queries after, from what is gained in each of them."""
    found = list(gains)
    before = total_seconds(query for query, _ in found)
    least = total_gain((query, gain.low) for query, gain in found)
    expected = total_gain((query, gain.expected) for query, gain in found)
    most = total_gain((query, gain.high) for query, gain in found)
    return Prediction(before, before - expected, before - most, before - least)
