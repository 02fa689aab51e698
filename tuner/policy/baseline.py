"""What runs would have taken with nothing in force, by the runs before them: a band of seconds for each."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from tuner.model.run import Run
from tuner.policy.context import ByContext
from tuner.policy.measure import (
    DEFAULT_NOISE,
    MAX_BASELINES,
    Control,
    Key,
    Keys,
    Measured,
    comparison,
    machine_speed,
    measured_queries,
    median_seconds,
    noise,
    pooled,
    usable,
)

# Queries that never ran unsteered before are taken as they ran, while they are no more of a run than this.
MAX_NEW = 0.10


@dataclass(frozen=True, slots=True)
class Baseline:
    """Seconds that the queries of a run would have taken together with nothing in force."""

    expected: float
    low: float
    high: float


@dataclass(slots=True)
class _Unsteered:
    """The latest times of each query that nothing in force reached."""

    _queries: dict[Key, deque[Measured]] = field(default_factory=dict)
    _keys: Keys = field(default_factory=Keys)

    def add(self, queries: Iterable[Measured]) -> None:
        for query in queries:
            if not query.changes:
                self._queries.setdefault(self._keys.add(query), deque(maxlen=MAX_BASELINES)).append(query)

    def of(self, query: Measured) -> Sequence[Measured]:
        return self._queries.get(self._keys.of(query), ())


def baselines(runs: Sequence[Run]) -> dict[str, Baseline]:
    """By the key of each measured run: a band from up to MAX_BASELINES runs before it, in its context, that nothing reached.

    Runs are oldest first. There is none for a run of which too much never ran unsteered before. In time linear in runs.
    """
    pasts, found = ByContext(_Unsteered), {}
    for run in runs:
        if usable(run):
            queries, past = measured_queries(run), pasts.of(run)
            if (band := _baseline(queries, past)) is not None:
                found[run.key] = band
            past.add(queries)
    return found


def query_baselines(runs: Sequence[Run]) -> dict[str, float]:
    """By fingerprint: median seconds with nothing in force, for the input of the query's latest run; its executions in a
    run are summed."""
    pasts, latest = ByContext(_Unsteered), dict[Key, tuple[Measured, _Unsteered]]()
    for run in runs:
        if usable(run):
            queries, past = measured_queries(run), pasts.of(run)
            past.add(queries)
            latest.update((query.key, (query, past)) for query in queries)
    seconds: dict[str, float] = {}
    for query, past in latest.values():
        if measured := past.of(query):
            seconds[query.fingerprint] = seconds.get(query.fingerprint, 0.0) + median_seconds(query, measured)
    return seconds


def _baseline(queries: Sequence[Measured], past: _Unsteered) -> Baseline | None:
    pairs = [(query, before) for query in queries if (before := past.of(query))]
    new = sum(q.seconds for q in queries) - sum(q.seconds for q, _ in pairs)
    if not pairs or new > MAX_NEW * sum(q.seconds for q in queries):
        return None
    speed, drift = _speed(pairs)
    whole = pooled([comparison(q, p, speed, noise(p) * math.sqrt(1 + 1 / len(p))) for q, p in pairs], drift)
    low, high = whole.low * (1 - min(1.0, whole.noise)), whole.high * (1 + whole.noise)
    return Baseline(whole.expected + new, low + new, high + new)


def _speed(pairs: Sequence[tuple[Measured, Sequence[Measured]]]) -> tuple[float, float]:
    """The machine's speed of the day by the queries that nothing reached, where others were. A run without any change is
    what it is: it says nothing of another."""
    control = [Control(query.seconds, median_seconds(query, before)) for query, before in pairs if not query.changes]
    return machine_speed(control) if len(control) < len(pairs) else (1.0, DEFAULT_NOISE)
