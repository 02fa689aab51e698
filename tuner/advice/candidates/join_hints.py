"""The one place that decides which hint a join gets: a broadcast or none, a shuffled hash join, its other side built."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TypeVar

from tuner.advice.candidates.broadcast_builds import Build, capped, late_broadcasts, predict, sort_merge_builds
from tuner.advice.candidates.broadcast_removals import BroadcastRemoval, broadcast_removals
from tuner.advice.candidates.build_side_swaps import BuildSideSwap, build_side_swaps
from tuner.advice.candidates.hash_builds import HashBuild, hash_builds, predict_hashed
from tuner.advice.facts import Facts, is_whole
from tuner.advice.steering_reach import Reach
from tuner.model.action import Action, ActionKind, Hint
from tuner.model.change import Prediction
from tuner.model.join_site import JoinSide
from tuner.model.query import Query
from tuner.plan.relation import short_name

MIN_GAIN_SECONDS = 0.1
MIN_GAIN_SHARE = 0.02

AnyBuild = Build | HashBuild | BuildSideSwap | BroadcastRemoval
_Build = TypeVar("_Build", Build, HashBuild, BuildSideSwap, BroadcastRemoval)
# A hint names a join by its query's fingerprint and its signature: two joins that share both share the hint.
_Place = tuple[str, str]


@dataclass(frozen=True, slots=True)
class JoinHint:
    """A join with the better of its hints: `build` tells which, and the side it is given to."""

    build: AnyBuild
    prediction: Prediction

    @property
    def is_certain(self) -> bool:
        """Whether even its predicted worst case gains."""
        return self.prediction.high < self.prediction.before

    @property
    def is_worth_it(self) -> bool:
        """Whether the seconds are worth a hint; where memory is in danger any are."""
        endangers = isinstance(self.build, BroadcastRemoval) and self.build.is_over
        return endangers or is_enough(self.prediction.gain, self.build.query)


def choose_hints(facts: Facts) -> list[JoinHint]:
    """At most one hint for each join, largest gain first; broadcasts of one query fit into memory together."""
    return facts.once(_chosen)


def _chosen(facts: Facts) -> list[JoinHint]:
    used: Counter[str] = Counter()
    taken: set[_Place] = set()
    chosen = []
    certain = [h for h in _worthwhile(facts) if h.is_worth_it and h.is_certain]
    for hint in sorted(certain, key=lambda h: -h.prediction.gain):
        build = hint.build
        place, size = _place(build), build.relation_bytes if isinstance(build, Build) else 0
        if place not in taken and used[build.query.fingerprint] + size <= facts.cap.query_bytes:
            used[build.query.fingerprint] += size
            taken.add(place)
            chosen.append(hint)
    return chosen


def hinted_side(build: AnyBuild, hint: Hint) -> Action:
    """The action that gives a hint to the side that is built, or is not to be."""
    return Action(ActionKind.HINT_JOIN, build.join.signature, hint, build.query.fingerprint, build.build.relations)


def side_name(side: JoinSide) -> str:
    """A side by its relations' last names."""
    return "+".join(map(short_name, side.relations))


def is_enough(gain: float, query: Query) -> bool:
    """Whether seconds are worth a hint in this query."""
    return gain >= max(MIN_GAIN_SECONDS, MIN_GAIN_SHARE * seconds_of(query))


def seconds_of(query: Query) -> float:
    return (query.duration_ms or 0) / 1e3


def _worthwhile(facts: Facts) -> Iterator[JoinHint]:
    conf = facts.selection
    for build in _admissible(facts.reach, (*sort_merge_builds(facts), *late_broadcasts(facts))):
        before = seconds_of(build.query)
        yield JoinHint(build, predict(before, capped(build.static_gain, before), [(build, build.static_gain)]))
    for hashed in _admissible(facts.reach, hash_builds(facts)):
        if hashed.is_much_smaller(conf):
            yield JoinHint(hashed, predict_hashed((hashed,)))
    for swap in _admissible(facts.reach, build_side_swaps(facts)):
        yield JoinHint(swap, swap.prediction)
    if facts.reach is Reach.AGENT:
        for unbroadcast in _admissible(facts.reach, broadcast_removals(facts)):
            yield JoinHint(unbroadcast, unbroadcast.prediction)


def _admissible(reach: Reach, builds: Iterable[_Build]) -> list[_Build]:
    """The builds that a hint can reach and that no join of the same name forbids."""
    found = [b for b in builds if is_whole(b.query) and reach.hints(b.join, b.build)]
    vetoed = {(_place(b), b.side) for b in found if b.veto}
    return [b for b in found if (_place(b), b.side) not in vetoed]


def _place(build: AnyBuild) -> _Place:
    return build.query.fingerprint, build.join.signature
