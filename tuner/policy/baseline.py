"""What runs would have taken with nothing in force: a band of seconds for each, by all runs up to it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass

from tuner.model.run import Run
from tuner.policy.context import ByContext
from tuner.policy.evidence.comparison import Comparison, pooled
from tuner.policy.evidence.history import History
from tuner.policy.judging.queries_beside import QueriesBeside
from tuner.policy.literal_classes import with_literal_classes
from tuner.policy.measure import Measured, measured_queries
from tuner.policy.moved_beside import moved_beside
from tuner.policy.queries_that_read import queries_that_read
from tuner.policy.usable import usable

# Queries that never ran unsteered before are taken as they ran, while they are no more of a run than this.
MAX_NEW = 0.10


@dataclass(frozen=True, slots=True)
class Baseline:
    """Seconds that the queries of a run would have taken together with nothing in force, 90 % sure to be in the band."""

    expected: float
    low: float
    high: float


def baselines(runs: Sequence[Run]) -> dict[str, Baseline]:
    """By the key of each measured run: a band from it and the runs before it in its context.

    Of a run with changes, the seconds of its own queries over what the changes are known to do to them, which processors and
    work tell better than the clock of a first night; of one without, what the runs before it foretell. Runs are oldest first.
    There is none for a run of which too much never ran unsteered, or which read nothing. In time linear in runs.
    """
    found = {}
    for run, queries, bands in _banded(runs):
        if (band := _together(queries, bands)) is not None:
            found[run.key] = band
    return found


def baseline_of(wanted: Run, runs: Sequence[Run]) -> Baseline | None:
    """The same for one of the runs, in a part of the time; None where there is none for it."""
    return next((_together(queries, bands) for _, queries, bands in _banded(runs, wanted.key)), None)


def query_baselines(runs: Sequence[Run]) -> dict[str, float]:
    """By fingerprint: a query's part of the baseline of the latest run that ran it, its executions in that together.

    A query that is new in that run is taken as it ran; where changes reached it, there is none.
    """
    found: dict[str, float | None] = {}
    for _, queries, bands in _banded(runs):
        found.update(_by_query(queries, bands))
    return {fingerprint: seconds for fingerprint, seconds in found.items() if seconds is not None}


_Banded = tuple[Run, tuple[Measured, ...], list[Comparison | None]]


def _banded(runs: Sequence[Run], key: str = "") -> Iterator[_Banded]:
    """Each measured run, or the one with this key, with its queries, and what each would have taken with nothing in force; None
    for what is new. A query that found nothing to read would have taken as long; of a run in which all did nothing is said."""
    histories, beside = ByContext(History), QueriesBeside()
    for run in with_literal_classes(runs):
        if usable(run) and run.outcome:
            history = histories.of(run)
            queries, those_beside = queries_that_read(run, history), beside.add(run)
            if key not in ("", run.key):
                history.add(queries, beside=those_beside)
                continue
            rest = [query for query in measured_queries(run) if history.is_of_nothing(query)]
            bands = _bands(queries, history, those_beside)
            as_they_ran = [Comparison.as_it_is(q.fingerprint, q.seconds) if queries else None for q in rest]
            yield run, (*queries, *rest), [*bands, *as_they_ran]


def _bands(queries: Sequence[Measured], history: History, those_beside: Set[str]) -> list[Comparison | None]:
    """Of the queries of the next run of a history, which is taken into it."""
    foretold = {query.key: history.foretold(query) for query in queries}
    history.add(queries, beside=those_beside)
    if not any(query.is_reached for query in queries):
        return [foretold[query.key] for query in queries]
    moved = moved_beside(queries, history.effect, history.effect_on_the_clock)
    return [_without(query, history, moved.get(number, frozenset())) for number, query in enumerate(queries)]


def _by_query(queries: Sequence[Measured], bands: Sequence[Comparison | None]) -> dict[str, float | None]:
    """By fingerprint; None where nothing is known of what the query takes without its changes."""
    seconds: dict[str, float] = {}
    known = {query.fingerprint for query, band in zip(queries, bands, strict=True) if band or not query.changes}
    for query, band in zip(queries, bands, strict=True):
        without = query.seconds if band is None else band.expected
        seconds[query.fingerprint] = seconds.get(query.fingerprint, 0.0) + without
    return {fingerprint: took if fingerprint in known else None for fingerprint, took in seconds.items()}


def _without(query: Measured, history: History, moved_by: frozenset[str]) -> Comparison | None:
    if query.changes:
        return history.compared(query, query.changes | query.properties)
    found = history.compared(query, moved_by) if moved_by else None
    return found or Comparison.as_it_is(query.fingerprint, query.seconds)


def _together(queries: Sequence[Measured], bands: Sequence[Comparison | None]) -> Baseline | None:
    known = [band for band in bands if band is not None]
    new = sum(query.seconds for query, band in zip(queries, bands, strict=True) if band is None)
    if not known or new > MAX_NEW * sum(query.seconds for query in queries):
        return None
    whole = pooled(known)
    is_reached = any(query.is_reached for query in queries)
    low, high = whole.without if is_reached else (whole.low, whole.high)
    return Baseline(whole.expected + new, low + new, high + new)
