"""Is a run slower or faster than it should be? Like with like: per query, for its input, by the machine of the day."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from statistics import median

from tuner.advice.model import ActionKind
from tuner.history.model import Run, RunState
from tuner.plan.model import Query, QueryStatus
from tuner.policy.context import Contexts, context_of
from tuner.policy.followed import in_effect

# Two runs of one query on one machine differ by about this much (twice a standard deviation); the measured spread
# replaces it once there are enough runs.
DEFAULT_NOISE = 0.10
MIN_NOISE = 0.05
RUNS_FOR_SPREAD = 4
QUERIES_FOR_SPREAD = 8
# Differences shorter than these are start-up, compilation and scheduling.
MIN_SECONDS = 0.5
MIN_GAIN_SECONDS = 0.1
# Untouched queries say how fast the machine was, when they ran this long together.
MIN_CONTROL_SECONDS = 2.0
# So few untouched queries may be slow because of a change that reaches every query; then no more than this is excused.
FEW_CONTROLS = 3
MAX_EXCUSE = 2.0
# Older runs than these say little of tonight.
MAX_BASELINES = 10
# Inputs that differ by less are the same; the difference is left to noise.
SAME_INPUT = 0.05
# A query may lose this share where others gain.
TOLERATED_SLOWDOWN = 0.10

Key = tuple[str, int]


@dataclass(frozen=True, slots=True)
class Measured:
    """One query of one run under the changes (action ids) in force; `occurrence` counts equal fingerprints in a run."""

    fingerprint: str
    occurrence: int
    seconds: float
    input_bytes: int
    changes: frozenset[str] = frozenset()

    @property
    def key(self) -> Key:
        return self.fingerprint, self.occurrence


@dataclass(frozen=True, slots=True)
class Comparison:
    """Seconds of a query, or of several, against what they would have been without the change.

    That is `expected`, between `low` and `high` where another input or a slow machine leaves it open; `noise` is the
    share by which either may differ by chance. `speed` is how long untouched queries took against usual, which
    `expected` has been multiplied by.
    """

    fingerprint: str
    expected: float
    measured: float
    noise: float
    low: float
    high: float
    speed: float = 1.0

    @property
    def usual(self) -> float:
        """Seconds as they were without the change, whatever the machine's speed in this run."""
        return self.expected / self.speed if self.speed else self.expected

    @property
    def gain(self) -> float:
        return self.expected - self.measured

    @property
    def slower(self) -> bool:
        """Slower beyond noise, whatever is open."""
        return self.measured - self.high > max(MIN_SECONDS, self.noise * self.high)

    @property
    def faster(self) -> bool:
        """Faster beyond noise, whatever is open."""
        return self.low - self.measured > max(MIN_GAIN_SECONDS, self.noise * self.low)


@dataclass(frozen=True, slots=True)
class Comparisons:
    """The queries of a run that a change touched, and the others. `drift`: the share by which all may move together."""

    touched: tuple[Comparison, ...] = ()
    untouched: tuple[Comparison, ...] = ()
    drift: float = DEFAULT_NOISE


@dataclass(slots=True)
class History:
    """The queries of the runs so far, by what they are and in order; those of another context do not count."""

    _contexts: Contexts = field(default_factory=Contexts)
    _runs: dict[tuple[int, Key], list[Measured]] = field(default_factory=dict)
    _known: set[str] = field(default_factory=set)

    def add(self, run: Run) -> None:
        context = self.context(run)
        for query in measured_queries(run):
            self._runs.setdefault((context, query.key), []).append(query)
            self._known.add(query.fingerprint)

    def context(self, run: Run) -> int:
        """The number of the context that a measured run had."""
        assert run.outcome is not None  # or it was not measured
        return self._contexts.number(context_of(run.outcome))

    def knows(self, fingerprint: str) -> bool:
        """Whether the query ever succeeded."""
        return fingerprint in self._known

    def without(self, context: int, query: Measured, changes: Collection[str]) -> list[Measured]:
        """Earlier runs of a query without `changes`: with all else as it is, or, of one they touch, as it was fastest.

        What replaces a change that was proven must beat that one, not what was before it.
        """
        groups: dict[frozenset[str], list[Measured]] = {}
        for past in self._runs.get((context, query.key), ()):
            if past.changes.isdisjoint(changes):
                groups.setdefault(past.changes, []).append(past)
        if query.changes.isdisjoint(changes):
            return groups.get(query.changes, [])[-MAX_BASELINES:]
        return min((g[-MAX_BASELINES:] for g in groups.values()), key=lambda g: usual_seconds(query, g), default=[])

    def noise(self, context: int, key: Key) -> float:
        """The largest share by which runs of a query under the same changes differ; the default for too few."""
        groups: dict[frozenset[str], list[Measured]] = {}
        for query in self._runs.get((context, key), ()):
            groups.setdefault(query.changes, []).append(query)
        spreads = [noise(group) for group in groups.values() if len(group) >= RUNS_FOR_SPREAD]
        return max(spreads, default=DEFAULT_NOISE)


def measured_queries(run: Run) -> tuple[Measured, ...]:
    """The finished queries of a run."""
    if run.outcome is None:
        return ()
    changes: dict[str, set[str]] = {}
    for decided in in_effect(run):
        for fingerprint in decided.queries:
            changes.setdefault(fingerprint, set()).add(decided.action.id)
    seen: dict[str, int] = {}
    found = []
    for query in run.outcome.queries:
        fingerprint = query.fingerprint
        occurrence = seen.get(fingerprint, 0)
        seen[fingerprint] = occurrence + 1
        if query.status is QueryStatus.SUCCEEDED and query.duration_ms is not None:
            reached = frozenset(changes.get(fingerprint, ()))
            found.append(Measured(fingerprint, occurrence, query.duration_ms / 1e3, query.input_bytes, reached))
    return tuple(found)


def seconds_by_query(run: Run) -> dict[str, float]:
    """Seconds by fingerprint, those of all executions of a query together."""
    seconds: dict[str, float] = {}
    for query in measured_queries(run):
        seconds[query.fingerprint] = seconds.get(query.fingerprint, 0.0) + query.seconds
    return seconds


def compare(run: Run, history: History, changes: Collection[str]) -> Comparisons:
    """The queries of a run against what they would have taken without these of the changes (action ids) in force."""
    queries = measured_queries(run)
    context = history.context(run) if queries else 0
    pairs = [(q, past) for q in queries if (past := history.without(context, q, changes))]
    control = [(q, past) for q, past in pairs if q.changes.isdisjoint(changes)]
    everywhere = any(d.action.kind is ActionKind.SET_CONF for d in run.decision.actions if d.action.id in changes)
    speed, drift = machine_speed(control, everywhere=everywhere)
    together = _spread_of_queries(control, speed)
    touched: list[Comparison] = []
    untouched: list[Comparison] = []
    for query, past in pairs:
        share = max(history.noise(context, query.key), together) * math.sqrt(1 + 1 / len(past))
        found = comparison(query, past, speed, share)
        (untouched if query.changes.isdisjoint(changes) else touched).append(found)
    return Comparisons(tuple(touched), tuple(untouched), drift)


def pooled(comparisons: Sequence[Comparison], drift: float) -> Comparison:
    """Several queries as one: what differs by chance evens out, what moves all of them does not."""
    expected = sum(c.expected for c in comparisons)
    usual = sum(c.usual for c in comparisons)
    chance = math.sqrt(sum((c.noise * c.expected) ** 2 for c in comparisons)) / expected if expected else 0.0
    return Comparison(
        fingerprint="",
        expected=expected,
        measured=sum(c.measured for c in comparisons),
        noise=math.hypot(chance, drift) if len(comparisons) > 1 else max(chance, drift),
        low=sum(c.low for c in comparisons),
        high=sum(c.high for c in comparisons),
        speed=expected / usual if usual else 1.0,
    )


def losers(comparisons: Sequence[Comparison], tolerated: float = TOLERATED_SLOWDOWN) -> list[Comparison]:
    """The queries that are slower beyond noise and what is tolerated; of many, one is by chance, so more is asked."""
    odds = max(1.0, math.sqrt(2 * math.log(len(comparisons))) / 2) if comparisons else 1.0
    slower = [c for c in comparisons if replace(c, noise=odds * c.noise).slower]
    return [c for c in slower if c.measured > (1 + tolerated) * c.high]


def machine_speed(
    control: Sequence[tuple[Measured, Sequence[Measured]]], *, everywhere: bool = False
) -> tuple[float, float]:
    """Seconds of untouched queries over what they take usually (1 when they are too short to tell), and its own error.

    `everywhere`: the change may reach them after all, so that few of them do not excuse much.
    """
    usual = [(query.seconds, usual_seconds(query, past)) for query, past in control]
    telling = [(seconds, expected) for seconds, expected in usual if expected >= MIN_SECONDS]
    if sum(expected for _, expected in telling) < MIN_CONTROL_SECONDS:
        return 1.0, DEFAULT_NOISE
    speed = median(seconds / expected for seconds, expected in telling)
    if everywhere and len(telling) < FEW_CONTROLS:
        speed = min(speed, MAX_EXCUSE)
    return speed, DEFAULT_NOISE / math.sqrt(len(telling))


def noise(past: Sequence[Measured]) -> float:
    """The share by which a query's runs differ from their median: twice 1.4826 MAD, a robust standard deviation."""
    if len(past) < RUNS_FOR_SPREAD:
        return DEFAULT_NOISE
    return _share_of_spread([_scaled(p, past[-1].input_bytes) for p in past])


def usable(run: Run) -> bool:
    """Whether a run's times may be compared: it succeeded and its log is whole."""
    return run.state is RunState.SUCCEEDED and run.outcome is not None


def total_input_bytes(queries: Iterable[Query]) -> int:
    """Bytes that the queries read together."""
    return sum(query.input_bytes for query in queries)


def comparison(query: Measured, past: Sequence[Measured], speed: float, share: float) -> Comparison:
    """A query against its runs `past`, on a machine of this `speed`; `share` is the noise."""
    scaled = [_scaled(p, query.input_bytes) for p in past]
    seconds = [p.seconds for p in past]
    expected = low = high = median(scaled)
    if scaled != seconds:
        low, high = median(map(min, seconds, scaled)), median(map(max, seconds, scaled))
    return Comparison(
        fingerprint=query.fingerprint,
        expected=expected * speed,
        measured=query.seconds,
        noise=share,
        low=low * min(1.0, speed),
        high=high * max(1.0, speed),
        speed=speed,
    )


def usual_seconds(query: Measured, past: Sequence[Measured]) -> float:
    """Median seconds of a query's runs `past`, for its own input."""
    return median(_scaled(p, query.input_bytes) for p in past)


def _scaled(past: Measured, input_bytes: int) -> float:
    """Seconds for another amount of input, as if they grew in proportion; small changes are left to noise."""
    if not past.input_bytes or not input_bytes:
        return past.seconds
    ratio = input_bytes / past.input_bytes
    return past.seconds if abs(ratio - 1) <= SAME_INPUT else past.seconds * ratio


def _spread_of_queries(control: Sequence[tuple[Measured, Sequence[Measured]]], speed: float) -> float:
    """How much the untouched queries of one run differ from the machine's speed: its noise, where they are many."""
    ratios = [
        q.seconds / usual / speed for q, past in control if (usual := usual_seconds(q, past)) >= MIN_SECONDS and speed
    ]
    return _share_of_spread(ratios) if len(ratios) >= QUERIES_FOR_SPREAD else 0.0


def _share_of_spread(values: Sequence[float]) -> float:
    middle = median(values)
    spread = 2 * 1.4826 * median(abs(v - middle) for v in values)
    return max(MIN_NOISE, spread / middle) if middle else DEFAULT_NOISE
