"""When Spark, the cluster or the data of a cohort changed, and what would have got slower by that without the tuner.

Told by measured runs alone: a query counts only where it ran without any change before and since. After another Spark or another
cluster the first run is observed for that (`policy/rules/new_context.py`); growing data alone make no such run.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from itertools import accumulate, pairwise
from statistics import median, median_low

from tuner.model.run import Run
from tuner.model.turning_point import Took, TurnedBy, TurnedQuery, TurningPoint
from tuner.policy.context import context_of
from tuner.policy.evidence.comparison import MIN_SECONDS, TOLERATED_SLOWDOWN
from tuner.policy.literal_classes import with_literal_classes
from tuner.policy.measure import Key, Measured, data_bytes_by_query, measured_queries
from tuner.policy.record import INPUT_CHANGE
from tuner.policy.runs_beside import are_of_one_dag_run
from tuner.policy.usable import usable
from tuner.units import format_bytes

# What a job reads is held against so many runs before, and has grown where most of as many since have not shrunk again, the first
# so many all of them.
USUAL_RUNS, STAYED_RUNS = 5, 2
# Data that were as large not longer ago come and go, as each weekend's and each month-end's do; so do those that were more than
# once.
COMES_BACK = timedelta(days=35)


@dataclass(frozen=True, slots=True)
class _Night:
    """A run; or several, of which this is the first."""

    run: Run
    queries: tuple[Measured, ...]
    runs: int = 1

    @property
    def input_bytes(self) -> Counter[str]:
        """By query (fingerprint)."""
        return data_bytes_by_query(self.queries)


@dataclass(slots=True)
class _Times:
    """Seconds by query, values and turn: of runs without any change, and with some."""

    without: dict[Key, list[float]] = field(default_factory=dict)
    tuned: dict[Key, list[float]] = field(default_factory=dict)

    @classmethod
    def of(cls, nights: Iterable[_Night]) -> _Times:
        found = cls()
        for night in nights:
            for query in night.queries:
                is_tuned = query.is_reached or bool(night.run.decision.sizes)
                (found.tuned if is_tuned else found.without).setdefault(query.key, []).append(query.seconds)
        return found


def turning_points(runs: Sequence[Run]) -> list[TurningPoint]:
    """Of runs, oldest first, the newest first; each is told by the runs since the one before it and up to the next."""
    nights = list(_nights(with_literal_classes(runs)))
    together = list(_together(nights))
    first = list(accumulate((night.runs for night in together), initial=0))
    turns = [(first[place], by, difference) for place, by, difference in _turns(together)]
    edges = [0, *(place for place, _, _ in turns), len(nights)]
    found = [
        _told(nights[start:place], nights[place:end], by, difference)
        for (place, by, difference), start, end in zip(turns, edges, edges[2:], strict=False)
    ]
    return found[::-1]


def _nights(runs: Iterable[Run]) -> Iterator[_Night]:
    """Those that found something to read: a query that reads something in other nights tells nothing where it reads nothing."""
    nights = [_Night(run, measured_queries(run)) for run in runs if usable(run)]
    reading = {query.key for night in nights for query in night.queries if query.input_bytes}
    for night in nights:
        queries = tuple(query for query in night.queries if query.input_bytes or query.key not in reading)
        if queries:
            yield replace(night, queries=queries)


def _together(nights: Iterable[_Night]) -> Iterator[_Night]:
    """Those of one DAG run as one, where instances of a mapped task ask queries of their own: else none is in most nights."""
    several: list[_Night] = []
    asked: set[str] = set()
    for night in nights:
        own = {query.fingerprint for query in night.queries}
        if several and not (_are_beside(several[-1].run, night.run) and asked.isdisjoint(own)):
            yield _as_one(several)
            several, asked = [], set()
        several.append(night)
        asked |= own
    if several:
        yield _as_one(several)


def _are_beside(run: Run, other: Run) -> bool:
    """Whether both are instances of a mapped task in one DAG run, on one cluster."""
    are_mapped = bool(run.instance and other.instance)
    return are_mapped and are_of_one_dag_run(run, other) and not _of_cluster(run, other)


def _as_one(nights: Sequence[_Night]) -> _Night:
    queries = tuple(query for night in nights for query in night.queries)
    return _Night(nights[0].run, queries, len(nights))


def _turns(nights: Sequence[_Night]) -> Iterator[tuple[int, TurnedBy, str]]:
    last, cluster = 0, 0
    read, began = [night.input_bytes for night in nights], [night.run.started_at for night in nights]
    for place, (before, now) in enumerate(pairwise(nights), 1):
        if difference := _of_cluster(before.run, now.run):
            last = cluster = place
            yield place, TurnedBy.CLUSTER, difference
        elif difference := _of_data(read[cluster:], began[cluster:], last - cluster, place - cluster):
            last = place
            yield place, TurnedBy.DATA, difference


def _of_cluster(before: Run, now: Run) -> str:
    if before.outcome is None or now.outcome is None:
        return ""
    return context_of(now.outcome, now.decision.cuts).difference(context_of(before.outcome, before.decision.cuts))


def _of_data(read: Sequence[Counter[str]], began: Sequence[datetime], last: int, place: int) -> str:
    """In words, what the queries read that runs had before and since, in place of what they did since the `last` turn; "" where
    it has not grown to stay, or comes and goes. `read` are the bytes of runs on one cluster, `began` is when each did."""
    before, now = read[max(last, place - USUAL_RUNS) : place], read[place : place + USUAL_RUNS]
    queries = _in_most(before) & _in_most(now)
    usual, since = list(filter(None, _sizes(before, queries))), _sizes(now, queries)
    if not usual or len(since) < STAYED_RUNS:
        return ""
    least = INPUT_CHANGE * median(usual)
    has_grown = min(since[:STAYED_RUNS]) >= least and median_low(since) >= least
    if not has_grown or usual[-1] >= least or _had_grown(_sizes(read, queries), began, place, least):
        return ""
    return f"inputs of {format_bytes(since[0])} instead of {format_bytes(median(usual))}"


def _in_most(read: Sequence[Counter[str]]) -> set[str]:
    """The queries of most runs: one that its author adds or takes away is no data, one that was not read once is no edit."""
    runs = Counter(query for one in read for query in one)
    return {query for query, count in runs.items() if 2 * count > len(read)}


def _sizes(read: Iterable[Counter[str]], queries: Iterable[str]) -> list[int]:
    return [sum(one[query] for query in queries) for one in read]


def _had_grown(read: Sequence[int], began: Sequence[datetime], place: int, least: float) -> bool:
    """Whether it had been as much in runs before, which shrank again, lately or more than once."""
    large = {n for n in range(place - STAYED_RUNS + 1) if min(read[n : n + STAYED_RUNS]) >= least}
    times = sum(n - 1 not in large for n in large)
    return times > 1 or (times == 1 and began[place] - began[max(large)] <= COMES_BACK)


def _told(before: Sequence[_Night], since: Sequence[_Night], by: TurnedBy, difference: str) -> TurningPoint:
    then, now, first = _Times.of(before), _Times.of(since), since[0].run
    common = (then.without.keys() | then.tuned.keys()) & (now.without.keys() | now.tuned.keys())
    known = {key for key in common if key in then.without and key in now.without}
    queries = [_query(key[0], then.without[key], now.without[key], now.tuned.get(key)) for key in sorted(known)]
    slower = sorted(filter(_is_slower, queries), key=lambda query: -query.slower_seconds)
    return TurningPoint(
        first.key, first.started_at, by, difference, tuple(slower), len(known), len(common - known), len(since)
    )


def _query(query: str, before: Sequence[float], without: Sequence[float], tuned: Sequence[float] | None) -> TurnedQuery:
    return TurnedQuery(query, _took(before), _took(without), _took(tuned) if tuned else None)


def _took(seconds: Sequence[float]) -> Took:
    return Took(median(seconds), min(seconds), max(seconds), len(seconds))


def _is_slower(query: TurnedQuery) -> bool:
    """Beyond what nights differ by: each run without changes since was slower than each before."""
    least = max(MIN_SECONDS, TOLERATED_SLOWDOWN * query.before.seconds)
    return query.slower_seconds > least and query.without.least > query.before.most
