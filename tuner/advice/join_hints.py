"""The one place that decides which hint a join gets: a broadcast, a shuffled hash join, its other side built, or none."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TypeVar

from tuner.advice.builds import Build, capped, predict, sort_merge_builds
from tuner.advice.facts import Facts, is_whole
from tuner.advice.hash_builds import HashBuild, hash_builds, predict_hashed
from tuner.advice.model import Action, ActionKind, Hint, Prediction
from tuner.advice.swaps import Swap, swaps
from tuner.plan.model import JoinSide, JoinSite, Query

MIN_GAIN_SECONDS = 0.1
MIN_GAIN_SHARE = 0.02

_Build = TypeVar("_Build", Build, HashBuild, Swap)
# A hint names a join by its query's fingerprint and its signature: two joins that share both share the hint.
_Place = tuple[str, str]


@dataclass(frozen=True, slots=True)
class JoinHint:
    """A join with the better of its hints: `build` tells which, and the side it is given to."""

    build: Build | HashBuild | Swap
    prediction: Prediction

    @property
    def is_certain(self) -> bool:
        """Whether even its predicted worst case gains."""
        return self.prediction.high < self.prediction.before


def choose_hints(facts: Facts) -> list[JoinHint]:
    """At most one hint for each join, largest gain first; broadcasts of one query fit into memory together."""
    used: Counter[str] = Counter()
    taken: set[_Place] = set()
    chosen = []
    certain = [h for h in _worthwhile(facts) if is_enough(h.prediction.gain, h.build.query) and h.is_certain]
    for hint in sorted(certain, key=lambda h: -h.prediction.gain):
        build = hint.build
        place, size = _place(build), build.relation_bytes if isinstance(build, Build) else 0
        if place not in taken and used[build.query.fingerprint] + size <= facts.cap.query_bytes:
            used[build.query.fingerprint] += size
            taken.add(place)
            chosen.append(hint)
    return chosen


def hinted_side(build: Build | HashBuild | Swap, hint: Hint) -> Action:
    """The action that gives a hint to the side that is built."""
    return Action(ActionKind.HINT_JOIN, build.join.signature, hint, build.query.fingerprint, build.build.relations)


def is_reachable(join: JoinSite, side: JoinSide) -> bool:
    """Whether a hint in the text can mean this side: a relation of its own, which the other side is not."""
    return len(side.relations) == 1 and join.left.relations != join.right.relations


def is_enough(gain: float, query: Query) -> bool:
    """Whether seconds are worth a hint in this query."""
    return gain >= max(MIN_GAIN_SECONDS, MIN_GAIN_SHARE * seconds_of(query))


def seconds_of(query: Query) -> float:
    return (query.duration_ms or 0) / 1e3


def _worthwhile(facts: Facts) -> Iterator[JoinHint]:
    conf = facts.selection
    for build in _admissible(sort_merge_builds(facts)):
        before = seconds_of(build.query)
        yield JoinHint(build, predict(before, capped(build.static_gain, before), [(build, build.static_gain)]))
    for hashed in _admissible(hash_builds(facts)):
        if hashed.is_much_smaller(conf):
            yield JoinHint(hashed, predict_hashed((hashed,)))
    for swap in _admissible(swaps(facts)):
        yield JoinHint(swap, swap.prediction)


def _admissible(builds: Iterable[_Build]) -> list[_Build]:
    """The builds that a hint can reach and that no join of the same name forbids."""
    found = [b for b in builds if is_whole(b.query) and is_reachable(b.join, b.build)]
    vetoed = {(_place(b), b.side) for b in found if b.veto}
    return [b for b in found if (_place(b), b.side) not in vetoed]


def _place(build: Build | HashBuild | Swap) -> _Place:
    return build.query.fingerprint, build.join.signature
