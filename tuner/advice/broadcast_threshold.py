"""Advisor: the one pair of broadcast thresholds that separates best, where only conf can be used.

At planning Spark compares its own estimate of a side with `autoBroadcastJoinThreshold`; AQE compares the measured bytes
of a finished shuffle with `adaptive.autoBroadcastJoinThreshold`. A threshold reaches every join of every query, so each
candidate is judged by all the joins it would turn, and one that would turn a join that must not be is out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from tuner.advice.builds import Build, build_evidence, capped, predict, unbroadcast_builds
from tuner.advice.facts import Facts
from tuner.advice.model import Action, ActionKind, Evidence, Recommendation, Risk
from tuner.advice.round_number import round_between
from tuner.plan.model import JoinType, Query
from tuner.plan.relation import short_name
from tuner.units import format_bytes, format_rows, format_seconds

STATIC = "spark.sql.autoBroadcastJoinThreshold"
ADAPTIVE = "spark.sql.adaptive.autoBroadcastJoinThreshold"
DEFAULT_THRESHOLD = 10 << 20
# Before SPARK-35264 AQE compares what it measured with the static threshold: one number for two kinds of sizes.
ADAPTIVE_SINCE = (3, 2)
# Room for tonight's data to be larger than yesterday's before the decision flips.
GROWTH = 1.25
# Nearer than this to a side that must not be broadcast, a threshold does not separate.
MARGIN = 1.15
MIN_GAIN_SECONDS = 0.2
MIN_GAIN_SHARE = 0.01

_UNBOUNDED = 1 << 63
_Site = tuple[int, str, int]
_GainOf = Callable[[Build], float]


@dataclass(frozen=True, slots=True)
class _Sized:
    """A build, and what Spark compares with the threshold: at least `lower`, at most `upper` bytes."""

    build: Build
    lower: int
    upper: int


@dataclass(frozen=True, slots=True)
class _Choice:
    threshold: int
    builds: tuple[Build, ...]
    gain: float


def advise_broadcast_thresholds(facts: Facts) -> Iterable[Recommendation]:
    """At most one recommendation: both thresholds, for the joins they turn. None where broadcasts are switched off."""
    current = facts.bytes_of(STATIC, DEFAULT_THRESHOLD)
    known = facts.version != (0, 0)
    aqe = facts.flag("spark.sql.adaptive.enabled", not known or facts.version >= ADAPTIVE_SINCE)
    if facts.per_join or current < 0 or (aqe and known and facts.version < ADAPTIVE_SINCE):
        return
    builds = list(unbroadcast_builds(facts))
    static = _best(facts, current, _estimated(facts, builds, current), (), lambda b: b.static_gain)
    adaptive_now = facts.bytes_of(ADAPTIVE, current)
    adaptive = _Choice(adaptive_now, (), 0.0)
    if aqe and adaptive_now >= 0:
        turned = {_site(b) for b in static.builds}
        rest = _measured([b for b in builds if _site(b) not in turned], adaptive_now)
        adaptive = _best(facts, adaptive_now, rest, static.builds, lambda b: b.adaptive_gain)
    total = sum((q.duration_ms or 0) for q in facts.succeeded) / 1e3
    if (static.builds or adaptive.builds) and _gain(static, adaptive) >= max(MIN_GAIN_SECONDS, MIN_GAIN_SHARE * total):
        yield _recommendation(static, adaptive, current)


def _best(facts: Facts, current: int, sized: Sequence[_Sized], taken: Sequence[Build], gain_of: _GainOf) -> _Choice:
    """The threshold above the current one with the largest summed gain over the joins it turns beside those `taken`."""
    best = _Choice(current, (), 0.0)
    cap = facts.cap
    for candidate in sorted({s.upper for s in sized if current < s.upper <= cap.one_bytes}):
        turned = _turned(sized, candidate)
        if any(s.build.veto for s in turned) or _most_bytes((*taken, *(s.build for s in turned))) > cap.query_bytes:
            continue
        certain = _one_of_each_join((s.build for s in turned if s.upper <= candidate), gain_of)
        doubtful = sum(min(0.0, gain_of(s.build)) for s in turned if s.upper > candidate)
        gain = _total_gain(certain, gain_of) + doubtful
        if gain > best.gain:
            best = _Choice(_threshold(sized, candidate, cap.one_bytes), certain, gain)
    return best


def _turned(sized: Iterable[_Sized], candidate: int) -> list[_Sized]:
    """What a threshold of `candidate` bytes, or a little more, may turn.

    Spark builds the smaller of two sides that both qualify, so one that is surely larger than such a side is out.
    """
    reach = int(candidate * MARGIN)
    within = [s for s in sized if s.lower <= reach]
    qualified: dict[_Site, int] = {}
    for s in within:
        if s.upper <= candidate:
            qualified[_site(s.build)] = min(s.upper, qualified.get(_site(s.build), _UNBOUNDED))
    return [s for s in within if s.lower <= qualified.get(_site(s.build), _UNBOUNDED)]


def _one_of_each_join(builds: Iterable[Build], gain_of: _GainOf) -> tuple[Build, ...]:
    """Where either side may be the smaller, the one that gains less."""
    chosen: dict[_Site, Build] = {}
    for build in builds:
        other = chosen.setdefault(_site(build), build)
        if gain_of(build) < gain_of(other):
            chosen[_site(build)] = build
    return tuple(chosen.values())


def _threshold(sized: Sequence[_Sized], candidate: int, most: int) -> int:
    """A round number from `candidate` up, with room to grow, and clear of the next larger side."""
    reach = int(candidate * MARGIN)
    clear = [int(s.lower / MARGIN) for s in sized if s.lower > reach]
    # Where only a bound of the size is known, there is room already.
    exact = all(s.lower == s.upper for s in sized if s.upper <= candidate)
    highest = min([int(candidate * GROWTH) if exact else candidate, most, *clear])
    return round_between(candidate, max(highest, candidate))


def _most_bytes(builds: Iterable[Build]) -> int:
    """The largest sum of hash relations in one query, one for each join."""
    of_join: dict[_Site, int] = {}
    for build in builds:
        of_join[_site(build)] = max(build.relation_bytes, of_join.get(_site(build), 0))
    per_query: Counter[int] = Counter()
    for (query, _, _), size in of_join.items():
        per_query[query] += size
    return max(per_query.values(), default=0)


def _gain(static: _Choice, adaptive: _Choice) -> float:
    """What both gain together: a query cannot give its seconds twice."""
    gains = {id(b): b.static_gain for b in static.builds} | {id(b): b.adaptive_gain for b in adaptive.builds}
    return _total_gain((*static.builds, *adaptive.builds), lambda b: gains[id(b)])


def _total_gain(builds: Iterable[Build], gain_of: _GainOf) -> float:
    return sum(
        capped(sum(gain_of(b) for b in group), (query.duration_ms or 0) / 1e3) for query, group in _by_query(builds)
    )


def _by_query(builds: Iterable[Build]) -> list[tuple[Query, list[Build]]]:
    groups: dict[int, tuple[Query, list[Build]]] = {}
    for build in builds:
        groups.setdefault(build.query.id, (build.query, []))[1].append(build)
    return list(groups.values())


def _estimated(facts: Facts, builds: Iterable[Build], current: int) -> list[_Sized]:
    """The planner's estimates of what it has not broadcast yet. Where the log does not tell, an estimate lies above the
    threshold that did not broadcast the side and at or below its files' bytes; of other sides nothing more is known."""
    found = []
    for build in builds:
        side = build.build
        if side.estimated_bytes is not None:
            lower = upper = side.estimated_bytes
        elif side.file_bytes is not None:
            lower, upper = current + 1, max(current + 1, side.file_bytes)
        elif _is_product(facts, build):
            continue
        else:
            lower, upper = current + 1, _UNBOUNDED
        if upper > current:
            found.append(_Sized(build, lower, upper))
    return found


def _is_product(facts: Facts, build: Build) -> bool:
    """Whether a side is itself a join whose estimate multiplies its relations' bytes, which is out of any reach.

    Semi and anti joins keep their left side's (SizeInBytesOnlyStatsPlanVisitor); statistics make estimates small.
    """
    relations = Counter(build.build.relations)
    return not facts.flag("spark.sql.cbo.enabled", False) and any(
        join.type not in (JoinType.LEFT_SEMI, JoinType.LEFT_ANTI)
        and Counter((*join.left.relations, *join.right.relations)) == relations
        for join in build.query.joins
    )


def _measured(builds: Iterable[Build], current: int) -> list[_Sized]:
    """What AQE measures of sides that are shuffled: their bytes."""
    sizes = ((b, b.build.shuffle_bytes) for b in builds)
    return [_Sized(b, size, size) for b, size in sizes if size is not None and size > current]


def _site(build: Build) -> _Site:
    return build.query.id, build.join.signature, build.join.occurrence


def _recommendation(static: _Choice, adaptive: _Choice, current: int) -> Recommendation:
    builds = (*static.builds, *adaptive.builds)
    # Unset, AQE's threshold follows the static one and would turn joins nobody judged: it is always set.
    actions = [_set(STATIC, static.threshold)] if static.builds else []
    actions.append(_set(ADAPTIVE, adaptive.threshold))
    by_query = _by_query(builds)
    gain = _gain(static, adaptive)
    before = sum((q.duration_ms or 0) for q, _ in by_query) / 1e3
    first = max(builds, key=lambda b: b.static_gain)
    name = "+".join(short_name(r) for r in first.build.relations)
    return Recommendation(
        actions=tuple(actions),
        queries=tuple(dict.fromkeys(q.fingerprint for q, _ in by_query)),
        reason=(
            f"broadcast {len(builds)} more join{'s' if len(builds) > 1 else ''} instead of sorting both sides, "
            f"such as {name} ({format_rows(first.build.rows or 0)}, {format_bytes(first.build.shuffle_bytes or 0)}); "
            f"about {format_seconds(gain)} less in {len(by_query)} quer{'ies' if len(by_query) > 1 else 'y'}"
        ),
        evidence=(*build_evidence(first), *_threshold_evidence(static, adaptive, current)),
        predicted_seconds=predict(before, gain, sum(b.serial_seconds for b in builds)),
        risk=Risk.LOW,
        advisor="broadcast_threshold",
    )


def _threshold_evidence(static: _Choice, adaptive: _Choice, current: int) -> tuple[Evidence, ...]:
    return (
        Evidence("threshold so far", current, "bytes", STATIC),
        Evidence("joins turned at planning", len(static.builds), "joins", STATIC),
        Evidence("joins turned by AQE", len(adaptive.builds), "joins", ADAPTIVE),
    )


def _set(key: str, value: int) -> Action:
    return Action(ActionKind.SET_CONF, key, str(value))
