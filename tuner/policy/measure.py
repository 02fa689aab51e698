"""Is a run slower or faster than it should be? Like with like: per query, for its input, by the machine of the day."""

from __future__ import annotations

import math
from bisect import insort
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import NamedTuple

from tuner.model.directive_result import DirectiveStatus
from tuner.model.query import Query, QueryStatus
from tuner.model.run import Outcome, Run, RunState
from tuner.policy.changes_in_effect import changes_in_effect

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
# Of queries that a property was not meant for, none may look faster by chance more often than this, however many there are.
FALSE_GAINS = 0.05
# Untouched queries that are further than this from how fast the machine seems do not tell how fast it is.
UNMOVED = 2 * DEFAULT_NOISE
# A query may lose this share where others gain.
TOLERATED_SLOWDOWN = 0.10

# Fingerprint, id of values ("" where unknown), and which of these in its run.
Key = tuple[str, str, int]


@dataclass(frozen=True, slots=True)
class Measured:
    """One query of one run under the changes (ids) in force for it.

    `occurrence` counts equal fingerprints in a run, `turn` those with equal values among them. `properties` are all that were
    set in the run, as these reach a query whether or not they were meant for it.
    """

    fingerprint: str
    occurrence: int
    seconds: float
    input_bytes: int
    changes: frozenset[str] = frozenset()
    properties: frozenset[str] = frozenset()
    literals: str = ""
    turn: int = 0

    @property
    def key(self) -> Key:
        return (self.fingerprint, self.literals, self.turn) if self.literals else self.key_without_values

    @property
    def key_without_values(self) -> Key:
        """As it is known in runs that were harvested before values were looked at."""
        return self.fingerprint, "", self.occurrence


class Control(NamedTuple):
    """Seconds of a query that a change did not touch, and what it takes usually."""

    seconds: float
    usual: float


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
        return self.slower_by(1.0)

    def slower_by(self, odds: float) -> bool:
        """Slower beyond so many times its noise."""
        return self.measured - self.high > max(MIN_SECONDS, odds * self.noise * self.high)

    @property
    def faster(self) -> bool:
        """Faster beyond noise, whatever is open."""
        return self.faster_by(1.0, MIN_GAIN_SECONDS)

    def faster_by(self, odds: float, seconds: float) -> bool:
        """Faster beyond so many times its noise, and so many seconds."""
        return self.low - self.measured > max(seconds, odds * self.noise * self.low)


@dataclass(frozen=True, slots=True)
class Comparisons:
    """The queries of a run that a change touched, and the others. `drift`: the share by which all may move together.

    `beside` are those of the others that can be held against runs with the same properties but those of the change.
    """

    touched: tuple[Comparison, ...] = ()
    untouched: tuple[Comparison, ...] = ()
    drift: float = DEFAULT_NOISE
    beside: tuple[Comparison, ...] = ()

    @property
    def moved(self) -> tuple[Comparison, ...]:
        """Of the queries beside, those that are slower or faster beyond their own noise: a property may have done that."""
        return (*losers(self.beside), *gainers(self.beside))


@dataclass(slots=True)
class _Group:
    """Runs of one query under the same changes, oldest first. Their spread is known until the next one joins them."""

    runs: list[Measured] = field(default_factory=list)
    by_properties: dict[frozenset[str], list[Measured]] = field(default_factory=dict)
    _sorted_seconds: list[float] = field(default_factory=list)
    _inputs: tuple[int, int] = (0, 0)
    _spread: float | None = None

    def add(self, query: Measured) -> None:
        smallest, largest = self._inputs if self.runs else (query.input_bytes, query.input_bytes)
        self._inputs = min(smallest, query.input_bytes), max(largest, query.input_bytes)
        self.runs.append(query)
        self.by_properties.setdefault(query.properties, []).append(query)
        insort(self._sorted_seconds, query.seconds)
        self._spread = None

    @property
    def spread(self) -> float:
        """As `noise` has it."""
        if self._spread is None:
            smallest, largest = self._inputs
            alike = largest <= (1 + SAME_INPUT) * smallest and len(self.runs) >= RUNS_FOR_SPREAD
            self._spread = _share_of_spread(self._sorted_seconds) if alike else noise(self.runs)
        return self._spread


_NO_GROUPS: Mapping[frozenset[str], _Group] = {}


@dataclass(slots=True)
class Keys:
    """By which keys the runs of queries so far are kept."""

    _with_values: set[str] = field(default_factory=set)

    def add(self, query: Measured) -> Key:
        """The key that a query is to be kept by."""
        if query.literals:
            self._with_values.add(query.fingerprint)
        return query.key

    def of(self, query: Measured) -> Key:
        """The key of the runs that a query may be compared with: its filters had the same values, as far as any run tells."""
        return query.key if query.fingerprint in self._with_values else query.key_without_values


@dataclass(slots=True)
class History:
    """The queries of the runs so far, by what they are and by what was in force, in order."""

    _groups: dict[Key, dict[frozenset[str], _Group]] = field(default_factory=dict)
    _keys: Keys = field(default_factory=Keys)
    _known: set[str] = field(default_factory=set)

    def add(self, queries: Iterable[Measured]) -> None:
        """Those of the next run."""
        for query in queries:
            self._known.add(query.fingerprint)
            self._groups.setdefault(self._keys.add(query), {}).setdefault(query.changes, _Group()).add(query)

    def knows(self, fingerprint: str) -> bool:
        """Whether the query ever succeeded."""
        return fingerprint in self._known

    def without(self, query: Measured, changes: Collection[str]) -> list[Measured]:
        """Earlier runs of a query without `changes`: with all else as it is, or, of one they touch, as it was fastest.

        What replaces a change that was proven must beat that one, not what was before it.
        """
        groups = self._of(query)
        if query.changes.isdisjoint(changes):
            return groups[query.changes].runs[-MAX_BASELINES:] if query.changes in groups else []
        others = (group.runs[-MAX_BASELINES:] for with_, group in groups.items() if with_.isdisjoint(changes))
        return min(others, key=lambda past: median_seconds(query, past), default=[])

    def beside(self, query: Measured, changes: Collection[str]) -> list[Measured]:
        """Earlier runs of a query that `changes` do not touch, with all else as it is, and all other properties."""
        group = self._of(query).get(query.changes)
        return group.by_properties.get(query.properties.difference(changes), [])[-MAX_BASELINES:] if group else []

    def noise(self, query: Measured) -> float:
        """The largest share by which runs of a query under the same changes differ; the default for too few."""
        groups = self._of(query).values()
        return max((g.spread for g in groups if len(g.runs) >= RUNS_FOR_SPREAD), default=DEFAULT_NOISE)

    def _of(self, query: Measured) -> Mapping[frozenset[str], _Group]:
        return self._groups.get(self._keys.of(query), _NO_GROUPS)


def measured_queries(run: Run) -> tuple[Measured, ...]:
    """The finished queries of a run."""
    if run.outcome is None:
        return ()
    changes: dict[str, set[str]] = {}
    in_force = changes_in_effect(run)
    properties = frozenset(d.id for d in in_force if not d.change.is_on_joins)
    for decided in in_force:
        for fingerprint in decided.queries:
            changes.setdefault(fingerprint, set()).add(decided.id)
    seen: Counter[tuple[str, str | None]] = Counter()
    found = []
    for query in run.outcome.queries:
        fingerprint, literals = query.fingerprint, query.literals
        occurrence, turn = seen[fingerprint, None], seen[fingerprint, literals]
        seen.update([(fingerprint, None), (fingerprint, literals)])
        if query.status is QueryStatus.SUCCEEDED and query.duration_ms is not None:
            held = {o.action_id for o in query.directives if o.status is DirectiveStatus.HELD}
            reached = frozenset(changes.get(fingerprint, ())) - held
            seconds = query.duration_ms / 1e3
            found.append(
                Measured(fingerprint, occurrence, seconds, query.input_bytes, reached, properties, literals, turn)
            )
    return tuple(found)


def seconds_by_query(run: Run) -> dict[str, float]:
    """Seconds by fingerprint, those of all executions of a query together."""
    seconds: dict[str, float] = {}
    for query in measured_queries(run):
        seconds[query.fingerprint] = seconds.get(query.fingerprint, 0.0) + query.seconds
    return seconds


def compare(
    run: Run, history: History, changes: Collection[str], measured: Sequence[Measured] | None = None
) -> Comparisons:
    """The queries of a run against what they would have taken without these of the changes (ids) in force.

    `measured` are its queries, where they are known already.
    """
    queries = measured_queries(run) if measured is None else measured
    pairs = [(q, past) for q in queries if (past := history.without(q, changes))]
    everywhere = any(d.id in changes for d in run.decision.changes if not d.change.is_on_joins)
    control = _control((q, past) for q, past in pairs if q.changes.isdisjoint(changes))
    speed, drift = _speed_of(control, everywhere=everywhere)
    together = _spread_of_queries(control)
    if together is None and everywhere:
        # A property moves the middle of all that it reaches; how far they lie from that is noise, but for what it does to few.
        together = _spread_of_queries(_control((q, past) for q, past in pairs if not q.changes.isdisjoint(changes)))
    touched: list[Comparison] = []
    untouched: list[Comparison] = []
    for query, past in pairs:
        share = max(history.noise(query), together or 0.0) * math.sqrt(1 + 1 / len(past))
        found = comparison(query, past, speed, share)
        (untouched if query.changes.isdisjoint(changes) else touched).append(found)
    beside = _beside(queries, history, changes) if everywhere else ()
    return Comparisons(tuple(touched), tuple(untouched), drift, beside)


def _beside(queries: Sequence[Measured], history: History, changes: Collection[str]) -> tuple[Comparison, ...]:
    """Queries that changes do not touch against runs with the same other properties. These are older than others where a
    change was proven long ago: how fast the machine was is measured by them, too."""
    pairs = [(q, past) for q in queries if q.changes.isdisjoint(changes) and (past := history.beside(q, changes))]
    control = _control(pairs)
    speed, _ = _speed_of(control, everywhere=True)
    together = _spread_of_queries(control) or 0.0
    found = []
    for query, past in pairs:
        own = noise(past) if len(past) >= RUNS_FOR_SPREAD else history.noise(query)
        found.append(comparison(query, past, speed, max(own, together) * math.sqrt(1 + 1 / len(past))))
    return tuple(found)


def _control(pairs: Iterable[tuple[Measured, Sequence[Measured]]]) -> list[Control]:
    return [Control(query.seconds, median_seconds(query, past)) for query, past in pairs]


def _speed_of(control: Sequence[Control], *, everywhere: bool) -> tuple[float, float]:
    """As `machine_speed` has it, but by those that a property did not move, where it may have moved some of enough."""
    speed, drift = machine_speed(control, everywhere=everywhere)
    if not everywhere:
        return speed, drift
    unmoved = [c for c in control if c.usual >= MIN_SECONDS and abs(c.seconds / c.usual / speed - 1) <= UNMOVED]
    enough = len(unmoved) >= FEW_CONTROLS and sum(c.usual for c in unmoved) >= MIN_CONTROL_SECONDS
    return machine_speed(unmoved) if enough else (speed, drift)


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
    return [c for c in comparisons if c.measured > (1 + tolerated) * c.high and c.slower_by(odds)]


def gainers(comparisons: Sequence[Comparison]) -> list[Comparison]:
    """The queries that are faster beyond what any of so many is by chance: by Gauss, of n no one is by more than sqrt(2 ln
    (n/p)) standard deviations but with probability p; noise is two of these."""
    odds = math.sqrt(2 * math.log(len(comparisons) / FALSE_GAINS)) / 2 if comparisons else 1.0
    return [c for c in comparisons if c.faster_by(odds, MIN_SECONDS)]


def machine_speed(control: Sequence[Control], *, everywhere: bool = False) -> tuple[float, float]:
    """Seconds of untouched queries over what they take usually (1 when they are too short to tell), and its own error.

    `everywhere`: the change may reach them after all, so that few of them do not excuse much, nor take much for granted.
    """
    telling = [query for query in control if query.usual >= MIN_SECONDS]
    if sum(query.usual for query in telling) < MIN_CONTROL_SECONDS:
        return 1.0, DEFAULT_NOISE
    speed = median(query.seconds / query.usual for query in telling)
    if everywhere and len(telling) < FEW_CONTROLS:
        speed = min(max(speed, 1 / MAX_EXCUSE), MAX_EXCUSE)
    return speed, DEFAULT_NOISE / math.sqrt(len(telling))


def noise(past: Sequence[Measured]) -> float:
    """The share by which a query's runs differ from their median: twice 1.4826 MAD, a robust standard deviation."""
    if len(past) < RUNS_FOR_SPREAD:
        return DEFAULT_NOISE
    return _share_of_spread(_scaled(past, past[-1].input_bytes))


def usable(run: Run) -> bool:
    """Whether a run's times may be compared: it succeeded and its log is whole."""
    return run.state is RunState.SUCCEEDED and run.outcome is not None


def latest_usable(runs: Sequence[Run]) -> Run | None:
    """The latest of these runs, oldest first, whose times may be compared."""
    return next((run for run in reversed(runs) if usable(run)), None)


def latest_outcome(runs: Sequence[Run]) -> Outcome | None:
    """What that run measured."""
    latest = latest_usable(runs)
    return latest.outcome if latest else None


def total_input_bytes(queries: Iterable[Query]) -> int:
    """Bytes that the queries read together."""
    return sum(query.input_bytes for query in queries)


def comparison(query: Measured, past: Sequence[Measured], speed: float, share: float) -> Comparison:
    """A query against its runs `past`, on a machine of this `speed`; `share` is the noise."""
    scaled = _scaled(past, query.input_bytes)
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


def median_seconds(query: Measured, past: Sequence[Measured]) -> float:
    """Median seconds of a query's runs `past`, for its own input."""
    return median(_scaled(past, query.input_bytes))


def _scaled(past: Sequence[Measured], input_bytes: int) -> list[float]:
    """Seconds for another amount of input, as if they grew in proportion; small changes are left to noise."""
    if not input_bytes:
        return [p.seconds for p in past]
    return [
        p.seconds
        if not p.input_bytes or abs((ratio := input_bytes / p.input_bytes) - 1) <= SAME_INPUT
        else p.seconds * ratio
        for p in past
    ]


def _spread_of_queries(queries: Sequence[Control]) -> float | None:
    """How much the queries of one run differ from how they differ from usual together: its noise. None for few."""
    ratios = [query.seconds / query.usual for query in queries if query.usual >= MIN_SECONDS]
    return _share_of_spread(ratios) if len(ratios) >= QUERIES_FOR_SPREAD else None


def _share_of_spread(values: Sequence[float]) -> float:
    middle = median(values)
    spread = 2 * 1.4826 * median([abs(v - middle) for v in values])
    return max(MIN_NOISE, spread / middle) if middle else DEFAULT_NOISE
