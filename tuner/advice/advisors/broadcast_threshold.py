"""Advisor: the one pair of broadcast thresholds that separates best, where only conf can be used.

At planning Spark compares its own estimate of a side with `autoBroadcastJoinThreshold`; AQE compares the measured bytes
of a finished shuffle with `adaptive.autoBroadcastJoinThreshold`. A threshold reaches every join of every query, so each
candidate is judged by all the joins it would turn, also of queries that only earlier runs had, and one that would turn a
join that must not be is out. Where sort merge joins are not preferred, a higher `autoBroadcastJoinThreshold` also makes more
joins shuffled hash joins.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from tuner.advice.candidates.broadcast_budget import broadcast_budget
from tuner.advice.candidates.broadcast_candidates import (
    broadcast_evidence,
    predict_broadcasts,
    threshold_candidates,
    together,
)
from tuner.advice.candidates.hash_candidates import hash_candidates, hash_gain
from tuner.advice.candidates.hint_candidate import HintCandidate
from tuner.advice.candidates.query_gain import is_worth_it, total_gain, total_seconds
from tuner.advice.candidates.round_number import round_number
from tuner.advice.candidates.row_widths import EXPANSION
from tuner.advice.candidates.side_name import side_name
from tuner.advice.candidates.sized_joins import (
    UNBOUNDED,
    Bounds,
    Simulation,
    Site,
    SizedJoin,
    estimated_joins,
    knows_all_joins,
    measured_joins,
    site_of,
)
from tuner.advice.facts import Facts
from tuner.model.action import Action, ActionKind
from tuner.model.change import Change, Evidence
from tuner.model.reason import Reason, ReasonCode
from tuner.model.strategy import BROADCASTS, BuildSide, Strategy
from tuner.spark.join_selection.selection_conf import ADAPTIVE_THRESHOLD, SelectionConf
from tuner.spark.knobs import ADAPTIVE_BROADCAST_THRESHOLD, BROADCAST_THRESHOLD, CBO

# Room for tonight's data to be larger than yesterday's before the decision flips.
GROWTH = 1.25
# Nearer than this to a side that must not be broadcast, a threshold does not separate.
MARGIN = 1.15

# Where all rows of the files come, their relation may be so many times the largest that is advised, which is a tenth of what a
# heap has for execution and storage.
WHOLE = 2

_Candidates = dict[tuple[Site, BuildSide], HintCandidate]


@dataclass(frozen=True, slots=True)
class _Choice:
    threshold: int
    builds: tuple[HintCandidate, ...]
    gain: float


@dataclass(frozen=True, slots=True)
class _Turned:
    """What a threshold makes of one join: the broadcasts it may become, and those of sides that surely are within it."""

    builds: tuple[HintCandidate, ...]
    certain: tuple[HintCandidate, ...]


@dataclass(frozen=True, slots=True)
class _Lever:
    """One of the two thresholds, for the queries of some facts: the joins whose sizes it is compared with, their broadcasts, how
    to set it, and whether the sides that it turns have been shuffled by then. `also_hashed` are joins that it cannot broadcast,
    but may make shuffled hash joins."""

    judge: _Judge
    joins: Sequence[SizedJoin]
    builds: _Candidates
    with_threshold: Callable[[int], SelectionConf]
    also_hashed: Sequence[SizedJoin] = ()
    after_shuffles: bool = False


@dataclass(frozen=True, slots=True)
class _Judge:
    """What is known of every join that a threshold may turn."""

    facts: Facts
    simulation: Simulation
    hashes: _Candidates


@dataclass(frozen=True, slots=True)
class _Found:
    """What a threshold makes of all joins: those that it turns, and those that it may make shuffled hash joins."""

    turned: Sequence[_Turned]
    hashed: Sequence[HintCandidate]


def advise_broadcast_thresholds(facts: Facts) -> Iterable[Change]:
    """At most one recommendation: both thresholds, for the joins they turn. None where broadcasts are switched off."""
    conf = facts.selection
    # Before SPARK-35264 AQE compares what it measured with the static threshold: one number for two kinds of sizes.
    if facts.per_join or conf.broadcast_bytes < 0 or (conf.adaptive and not conf.has(ADAPTIVE_THRESHOLD)):
        return
    if not knows_all_joins(facts):
        return
    judges = [_Judge(of, Simulation(conf), _by_side(hash_candidates(of))) for of in (facts, facts.of_other_runs)]
    planned, beside = map(_at_planning, judges)
    static = _best(planned, beside, conf.broadcast_bytes)
    now = conf.threshold(measured=True)
    adaptive = _Choice(now, (), 0.0)
    if conf.adaptive and now >= 0:
        late, late_beside = map(_after_shuffles, judges)
        planned_sites = {site_of(b.query, b.join) for b in static.builds}
        late = replace(late, joins=[join for join in late.joins if join.site not in planned_sites])
        adaptive = _best(late, late_beside, now, static.builds)
    turned = (*static.builds, *adaptive.builds)
    if turned and is_worth_it(_gain(turned), facts.succeeded):
        example = max((planned.builds[_side_of(b)] for b in turned), key=lambda b: b.gain)
        yield _recommendation(facts, static, adaptive, example)


def _at_planning(judge: _Judge) -> _Lever:
    facts, conf = judge.facts, judge.facts.selection
    return _Lever(
        judge,
        list(estimated_joins(facts)),
        _by_side(threshold_candidates(facts)),
        lambda threshold: _with_static(conf, threshold),
        also_hashed=list(measured_joins(facts)) if conf.adaptive else (),
    )


def _after_shuffles(judge: _Judge) -> _Lever:
    facts, conf = judge.facts, judge.facts.selection
    return _Lever(
        judge,
        list(measured_joins(facts)),
        _by_side(threshold_candidates(facts, after_shuffles=True)),
        lambda threshold: replace(conf, adaptive_broadcast_bytes=threshold),
        after_shuffles=True,
    )


def _by_side(candidates: Iterable[HintCandidate]) -> _Candidates:
    return {_side_of(candidate): candidate for candidate in candidates}


def _side_of(candidate: HintCandidate) -> tuple[Site, BuildSide]:
    return site_of(candidate.query, candidate.join), candidate.side


def _with_static(conf: SelectionConf, threshold: int) -> SelectionConf:
    """The other threshold follows this one where it is unset, and is always set beside it."""
    return replace(conf, broadcast_bytes=threshold, adaptive_broadcast_bytes=conf.threshold(measured=True))


def _best(lever: _Lever, others: _Lever, current: int, taken: Sequence[HintCandidate] = ()) -> _Choice:
    """The threshold above the current one with the largest summed gain over the joins of this run that it turns beside those
    `taken`, less what queries of earlier runs (`others`) lose by it."""
    best, facts = _Choice(current, (), 0.0), lever.judge.facts
    budget = broadcast_budget(facts)
    sides = [j.bounds(side) for j in lever.joins for side in BuildSide if (j.site, side) in lever.builds]
    most = facts.cap.one_bytes if lever.after_shuffles else _most_estimated(facts)
    for candidate in sorted({s.upper for s in sides if current < s.upper <= most}):
        found, beside = _made(lever, candidate), _made(others, candidate)
        if found is None or beside is None:
            continue
        if not budget.holds(_most_bytes((*taken, *(b for one in found.turned for b in one.builds)))):
            continue
        certain = tuple(min(one.certain, key=lambda b: b.gain) for one in found.turned if one.certain)
        certain = certain if lever.after_shuffles else together(facts, certain)
        doubtful = sum(min(0.0, b.gain) for one in found.turned for b in one.builds if b not in one.certain)
        lost = sum(min(0.0, b.gain) for one in beside.turned for b in one.builds)
        lost += sum(min(0.0, hash_gain(facts, b).low) for b in (*found.hashed, *beside.hashed))
        gain = _gain(certain) + doubtful + lost
        if gain > best.gain:
            best = _Choice(_threshold(sides, candidate, most), certain, gain)
    return best


def _most_estimated(facts: Facts) -> int:
    """The most that the threshold of estimates may be. By default these are the bytes of files, whatever filters leave of them: a
    wider filter tomorrow, or a query that is new, brings as many rows as they hold."""
    return facts.cap.one_bytes if facts.settings[CBO] else int(facts.cap.one_bytes * WHOLE / EXPANSION)


def _made(lever: _Lever, candidate: int) -> _Found | None:
    """What a threshold of `candidate` bytes makes of the joins of some queries; None where it may turn one that must not be."""
    turned = _all_turned(lever, candidate)
    if turned is None:
        return None
    conf = lever.with_threshold(int(candidate * GROWTH * MARGIN))
    hashed = _hashed(lever.judge, conf, (*lever.joins, *lever.also_hashed))
    return None if any(b.is_vetoed for b in hashed) else _Found(turned, hashed)


def _all_turned(lever: _Lever, candidate: int) -> list[_Turned] | None:
    """The joins that a threshold of `candidate` bytes may turn; None as soon as one of them must not be."""
    found = []
    for join in lever.joins:
        turned = _turned(lever, join, candidate)
        if any(b.is_vetoed for b in turned.builds):
            return None
        if turned.builds:
            found.append(turned)
    return found


def _turned(lever: _Lever, join: SizedJoin, candidate: int) -> _Turned:
    """What a threshold, or a little more than it, makes of a join."""
    now = lever.judge.simulation.outcomes(join, lever.with_threshold(candidate))
    possible = now | lever.judge.simulation.outcomes(join, lever.with_threshold(int(candidate * MARGIN)))
    sides = [side for strategy, side in possible if strategy in BROADCASTS and side is not None]
    builds = [lever.builds[join.site, side] for side in sides if (join.site, side) in lever.builds]
    certain = [b for b in builds if join.bounds(b.side).upper <= candidate]
    return _Turned(tuple(builds), tuple(certain) if all(strategy in BROADCASTS for strategy, _ in now) else ())


def _hashed(judge: _Judge, conf: SelectionConf, joins: Iterable[SizedJoin]) -> list[HintCandidate]:
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
    return round_number(candidate, max(highest, candidate))


def _most_bytes(builds: Iterable[HintCandidate]) -> dict[str, int]:
    """The most bytes of hash relations of an execution of each query, one for each join."""
    of_join: dict[Site, int] = {}
    fingerprints: dict[int, str] = {}
    for build in builds:
        site = site_of(build.query, build.join)
        of_join[site] = max(build.relation_bytes, of_join.get(site, 0))
        fingerprints[build.query.id] = build.query.fingerprint
    of_execution: Counter[int] = Counter()
    for (query, _, _), size in of_join.items():
        of_execution[query] += size
    most: Counter[str] = Counter()
    for query, size in of_execution.items():
        most[fingerprints[query]] = max(size, most[fingerprints[query]])
    return most


def _gain(builds: Iterable[HintCandidate]) -> float:
    """What they gain together: a query cannot give its seconds twice."""
    return total_gain((build.query, build.gain) for build in builds)


def _recommendation(facts: Facts, static: _Choice, adaptive: _Choice, example: HintCandidate) -> Change:
    builds = (*static.builds, *adaptive.builds)
    # Unset, AQE's threshold follows the static one and would turn joins nobody judged: it is always set.
    actions = [_set(BROADCAST_THRESHOLD.property, static.threshold)] if static.builds else []
    actions.append(_set(ADAPTIVE_BROADCAST_THRESHOLD.property, adaptive.threshold))
    queries = {b.query.id: b.query for b in builds}
    gain, side = _gain(builds), example.hinted
    return Change.of(
        actions=tuple(actions),
        queries=tuple(dict.fromkeys(q.fingerprint for q in queries.values())),
        reason=Reason(
            ReasonCode.BROADCAST_THRESHOLD,
            {
                "joins": len(builds),
                "side": side_name(side),
                "rows": side.rows or 0,
                "bytes": side.shuffle_bytes or 0,
                "gain_seconds": gain,
                "queries": len(queries),
            },
        ),
        evidence=(*broadcast_evidence(example), *_threshold_evidence(facts, static, adaptive)),
        prediction=predict_broadcasts(facts, total_seconds(queries.values()), gain, builds),
        risk=BROADCAST_THRESHOLD.risk,
        advisor="broadcast_threshold",
    )


def _threshold_evidence(facts: Facts, static: _Choice, adaptive: _Choice) -> tuple[Evidence, ...]:
    return (
        Evidence("threshold so far", facts.selection.broadcast_bytes, "bytes", BROADCAST_THRESHOLD.property),
        Evidence("joins turned at planning", len(static.builds), "joins", BROADCAST_THRESHOLD.property),
        Evidence("joins turned by AQE", len(adaptive.builds), "joins", ADAPTIVE_BROADCAST_THRESHOLD.property),
    )


def _set(key: str, value: int) -> Action:
    return Action(ActionKind.SET_CONF, key, str(value))
