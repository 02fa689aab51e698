"""Advisor: the one pair of broadcast thresholds that separates best, where only conf can be used.

At planning Spark compares its own estimate of a side with `autoBroadcastJoinThreshold`; AQE compares the measured bytes
of a finished shuffle with `adaptive.autoBroadcastJoinThreshold`. A threshold reaches every join of every query, so each
candidate is judged by all the joins it would turn, and one that would turn a join that must not be is out. Where
sort merge joins are not preferred, a higher `autoBroadcastJoinThreshold` also makes more joins shuffled hash joins.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from tuner.advice.candidates.broadcast_builds import Build, build_evidence, capped, predict, unbroadcast_builds
from tuner.advice.candidates.hash_builds import HashBuild, hash_builds
from tuner.advice.candidates.round_number import round_between
from tuner.advice.candidates.sized_joins import (
    BROADCASTS,
    UNBOUNDED,
    Bounds,
    Simulation,
    Site,
    SizedJoin,
    estimated_joins,
    measured_joins,
    site_of,
)
from tuner.advice.facts import Facts
from tuner.model.action import Action, ActionKind
from tuner.model.change import Evidence, Recommendation, Risk
from tuner.model.query import Query
from tuner.model.strategy import BuildSide, Strategy
from tuner.plan.relation import short_name
from tuner.spark.broadcast_thresholds import ADAPTIVE, STATIC
from tuner.spark.join_selection.selection_conf import ADAPTIVE_THRESHOLD, SelectionConf
from tuner.spark.memory import BroadcastCap
from tuner.units import format_bytes, format_rows, format_seconds

# Room for tonight's data to be larger than yesterday's before the decision flips.
GROWTH = 1.25
# Nearer than this to a side that must not be broadcast, a threshold does not separate.
MARGIN = 1.15
MIN_GAIN_SECONDS = 0.2
MIN_GAIN_SHARE = 0.01

_GainOf = Callable[[Build], float]


@dataclass(frozen=True, slots=True)
class _Choice:
    threshold: int
    builds: tuple[Build, ...]
    gain: float


@dataclass(frozen=True, slots=True)
class _Turned:
    """What a threshold makes of one join: the broadcasts it may become, and those of sides that surely are within it."""

    builds: tuple[Build, ...]
    certain: tuple[Build, ...]


@dataclass(frozen=True, slots=True)
class _Lever:
    """One of the two thresholds: the joins whose sizes it is compared with, what they gain, and how to set it."""

    joins: Sequence[SizedJoin]
    gain_of: _GainOf
    with_threshold: Callable[[int], SelectionConf]


@dataclass(frozen=True, slots=True)
class _Judge:
    """What is known of every join that a threshold may turn."""

    cap: BroadcastCap
    simulation: Simulation
    builds: dict[tuple[Site, BuildSide], Build]
    hashes: dict[tuple[Site, BuildSide], HashBuild]


def advise_broadcast_thresholds(facts: Facts) -> Iterable[Recommendation]:
    """At most one recommendation: both thresholds, for the joins they turn. None where broadcasts are switched off."""
    conf = facts.selection
    # Before SPARK-35264 AQE compares what it measured with the static threshold: one number for two kinds of sizes.
    if facts.per_join or conf.broadcast_bytes < 0 or (conf.adaptive and not conf.has(ADAPTIVE_THRESHOLD)):
        return
    judge = _Judge(
        facts.cap,
        Simulation(conf),
        {(site_of(b.query, b.join), b.side): b for b in unbroadcast_builds(facts)},
        {(site_of(b.query, b.join), b.side): b for b in hash_builds(facts)},
    )
    measured = list(measured_joins(facts)) if conf.adaptive else []
    planned = _Lever(list(estimated_joins(facts)), lambda b: b.static_gain, lambda t: _with_static(conf, t))
    static = _best(judge, conf.broadcast_bytes, planned, (), measured)
    now = conf.threshold(measured=True)
    adaptive = _Choice(now, (), 0.0)
    if conf.adaptive and now >= 0:
        turned = {site_of(b.query, b.join) for b in static.builds}
        rest = [j for j in measured if j.site not in turned]
        lever = _Lever(rest, lambda b: b.adaptive_gain, lambda t: replace(conf, adaptive_broadcast_bytes=t))
        adaptive = _best(judge, now, lever, static.builds)
    total = sum((q.duration_ms or 0) for q in facts.succeeded) / 1e3
    if (static.builds or adaptive.builds) and _gain(static, adaptive) >= max(MIN_GAIN_SECONDS, MIN_GAIN_SHARE * total):
        yield _recommendation(static, adaptive, conf.broadcast_bytes)


def _with_static(conf: SelectionConf, threshold: int) -> SelectionConf:
    """The other threshold follows this one where it is unset, and is always set beside it."""
    return replace(conf, broadcast_bytes=threshold, adaptive_broadcast_bytes=conf.threshold(measured=True))


def _best(
    judge: _Judge, current: int, lever: _Lever, taken: Sequence[Build], also_hashed: Sequence[SizedJoin] = ()
) -> _Choice:
    """The threshold above the current one with the largest summed gain over the joins it turns beside those `taken`.

    `also_hashed` are joins that it cannot broadcast, but may make shuffled hash joins.
    """
    best = _Choice(current, (), 0.0)
    most = judge.cap.one_bytes
    sides = [j.bounds(side) for j in lever.joins for side in BuildSide if (j.site, side) in judge.builds]
    for candidate in sorted({s.upper for s in sides if current < s.upper <= most}):
        turned = _all_turned(judge, lever, candidate)
        if turned is None:
            continue
        hashed = _hashed(judge, lever.with_threshold(int(candidate * GROWTH * MARGIN)), (*lever.joins, *also_hashed))
        if any(b.veto for b in hashed):
            continue
        if _most_bytes((*taken, *(b for found in turned for b in found.builds))) > judge.cap.query_bytes:
            continue
        certain = tuple(min(found.certain, key=lever.gain_of) for found in turned if found.certain)
        doubtful = sum(min(0.0, lever.gain_of(b)) for found in turned for b in found.builds if b not in found.certain)
        gain = _total_gain(certain, lever.gain_of) + doubtful + sum(min(0.0, b.least_gain) for b in hashed)
        if gain > best.gain:
            best = _Choice(_threshold(sides, candidate, most), certain, gain)
    return best


def _all_turned(judge: _Judge, lever: _Lever, candidate: int) -> list[_Turned] | None:
    """The joins that a threshold of `candidate` bytes may turn; None as soon as one of them must not be."""
    found = []
    exactly, reached = (lever.with_threshold(size) for size in (candidate, int(candidate * MARGIN)))
    for join in lever.joins:
        turned = _turned(judge, join, candidate, exactly, reached)
        if any(b.veto for b in turned.builds):
            return None
        if turned.builds:
            found.append(turned)
    return found


def _turned(judge: _Judge, join: SizedJoin, candidate: int, exactly: SelectionConf, reached: SelectionConf) -> _Turned:
    """What a threshold, or a little more than it, makes of a join."""
    now = judge.simulation.outcomes(join, exactly)
    possible = now | judge.simulation.outcomes(join, reached)
    sides = [side for strategy, side in possible if strategy in BROADCASTS and side is not None]
    builds = [judge.builds[join.site, side] for side in sides if (join.site, side) in judge.builds]
    certain = [b for b in builds if join.bounds(b.side).upper <= candidate]
    return _Turned(tuple(builds), tuple(certain) if all(strategy in BROADCASTS for strategy, _ in now) else ())


def _hashed(judge: _Judge, conf: SelectionConf, joins: Iterable[SizedJoin]) -> list[HashBuild]:
    """The sort merge joins that this conf may make shuffled hash joins."""
    if conf.prefer_sort_merge:
        return []
    found = [
        judge.hashes.get((join.site, side))
        for join in joins
        for strategy, side in judge.simulation.outcomes(join, conf)
        if strategy is Strategy.SHUFFLED_HASH and side is not None
    ]
    return [b for b in found if b]


def _threshold(sides: Sequence[Bounds], candidate: int, most: int) -> int:
    """A round number from `candidate` up, with room to grow, and clear of the next larger side."""
    reach = int(candidate * MARGIN)
    clear = [int(s.lower / MARGIN) for s in sides if reach < s.lower < UNBOUNDED]
    # Where only a bound of the size is known, there is room already.
    exact = all(s.is_exact for s in sides if s.upper <= candidate)
    highest = min([int(candidate * GROWTH) if exact else candidate, most, *clear])
    return round_between(candidate, max(highest, candidate))


def _most_bytes(builds: Iterable[Build]) -> int:
    """The largest sum of hash relations in one query, one for each join."""
    of_join: dict[Site, int] = {}
    for build in builds:
        of_join[site_of(build.query, build.join)] = max(
            build.relation_bytes, of_join.get(site_of(build.query, build.join), 0)
        )
    per_query: Counter[int] = Counter()
    for (query, _, _), size in of_join.items():
        per_query[query] += size
    return max(per_query.values(), default=0)


def _gain(static: _Choice, adaptive: _Choice) -> float:
    """What both gain together: a query cannot give its seconds twice."""
    gains = {id(build): gain for build, gain in _gains(static, adaptive)}
    return _total_gain((*static.builds, *adaptive.builds), lambda b: gains[id(b)])


def _gains(static: _Choice, adaptive: _Choice) -> list[tuple[Build, float]]:
    return [*((b, b.static_gain) for b in static.builds), *((b, b.adaptive_gain) for b in adaptive.builds)]


def _total_gain(builds: Iterable[Build], gain_of: _GainOf) -> float:
    return sum(
        capped(sum(gain_of(b) for b in group), (query.duration_ms or 0) / 1e3) for query, group in _by_query(builds)
    )


def _by_query(builds: Iterable[Build]) -> list[tuple[Query, list[Build]]]:
    groups: dict[int, tuple[Query, list[Build]]] = {}
    for build in builds:
        groups.setdefault(build.query.id, (build.query, []))[1].append(build)
    return list(groups.values())


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
        predicted_seconds=predict(before, gain, _gains(static, adaptive)),
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
