"""Backtest: how right predictions were where both plans ran."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from statistics import StatisticsError, correlation, median

from tuner.replay.cohort_replay import Backtest, Observed

# Two points always lie on a line.
MIN_FOR_RANKS = 3


def backtest(observed: Iterable[Observed]) -> Backtest:
    """The score over all that was observed. Gains are compared as shares of what the queries took before: a second saved
    of ten is not one of a thousand.
    """
    found = [o for o in observed if o.before > 0]
    if not found:
        return Backtest(0, 0)
    predicted = [o.predicted.gain / o.before for o in found]
    measured = [o.gain / o.before for o in found]
    return Backtest(
        pairs=len(found),
        by_tuner=sum(o.by_tuner for o in found),
        rank_correlation=_rank_correlation(predicted, measured),
        coverage=sum(o.within for o in found) / len(found),
        right=sum(o.gain > 0 for o in found) / len(found),
        median_error=median(abs(p - m) for p, m in zip(predicted, measured, strict=True)),
    )


def _rank_correlation(xs: Sequence[float], ys: Sequence[float]) -> float | None:
    """Spearman's: Pearson's correlation of the ranks, ties sharing the mean of theirs. None where one side is all alike."""
    if len(xs) < MIN_FOR_RANKS:
        return None
    try:
        return correlation(_ranks(xs), _ranks(ys))
    except StatisticsError:
        return None


def _ranks(values: Sequence[float]) -> list[float]:
    places: dict[float, list[int]] = {}
    for rank, value in enumerate(sorted(values)):
        places.setdefault(value, []).append(rank)
    return [sum(places[value]) / len(places[value]) for value in values]
