"""Broadcasts that gain more together than each by itself.

Those of joins on the same keys, one above the other, spare a shuffle that the others need as long as one is left. Those of one
side for all joins that read its shuffle leave nobody who does; nor do those of the other sides of all joins that read one.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass

from tuner.advice.candidates.hint_candidate import HintCandidate
from tuner.model.join_site import Reshuffle
from tuner.model.strategy import BuildSide

_Site = tuple[int, str, int]
Place = tuple[_Site, BuildSide]
_Shuffle = tuple[int, tuple[str, ...], int | None]


@dataclass(frozen=True, slots=True)
class _Joint:
    """Broadcasts, and the seconds that all of them gain together; `unmade` seconds that each by itself adds they do not."""

    broadcasts: tuple[HintCandidate, ...]
    gain: float
    unmade: float = 0.0

    @property
    def is_worth_more(self) -> bool:
        """Whether they gain more together than those by themselves that gain at all."""
        return self.gain > sum(max(0.0, c.gain) for c in self.broadcasts)


@dataclass(frozen=True, slots=True)
class Share:
    """What one of several broadcasts gains beside the others, and what it adds less."""

    gain: float
    unmade: float


def chained_gains(
    candidates: Collection[HintCandidate], freed_gain: Callable[[HintCandidate], float]
) -> Mapping[Place, Share]:
    """What those on a chain of joins by the same keys gain, by `place_of`.

    `freed_gain` is what one gains where no operator above relies on the shuffles of its join.
    """
    above = {_site(c): c for c in candidates if c.other.shuffle_bytes is None}
    return _shares(chain for c in candidates for chain in _chains(c, above, freed_gain))


def shared_gains(
    candidates: Collection[HintCandidate],
    again: Callable[[HintCandidate, BuildSide], float],
    spared: Callable[[HintCandidate], float],
) -> Mapping[Place, Share]:
    """What those gain that leave no join that reads a shuffle, by `place_of`.

    `again` is the wall seconds that it takes to make a side again. One that is broadcast for all joins is made once, as before
    (ReuseExchange), and not for the shuffle besides. One that all of them probe with is made for each of them, but no more for
    a shuffle, which takes `spared` wall seconds.
    """
    probed = [_probing(joins, again, spared) for joins in _whole(candidates, lambda c: c.side.other)]
    built = (_with_probed(joins, again, probed) for joins in _whole(candidates, lambda c: c.side))
    return _shares((*probed, *built))


def place_of(candidate: HintCandidate) -> Place:
    """Which side of which join of which query it is."""
    return _site(candidate), candidate.side


def _whole(
    candidates: Collection[HintCandidate], which: Callable[[HintCandidate], BuildSide]
) -> Iterator[tuple[HintCandidate, ...]]:
    """The candidates of all joins that read one shuffle by this side."""
    readers: defaultdict[_Shuffle, list[HintCandidate]] = defaultdict(list)
    for c in candidates:
        side, is_counted = c.join.side(which(c)), None not in (c.hinted.rows, c.other.rows)
        if is_counted and side.readers > 1 and side.shuffle_bytes is not None:
            readers[c.query.id, side.relations, side.shuffle_bytes].append(c)
    for found in readers.values():
        if len(set(map(_site, found))) == found[0].join.side(which(found[0])).readers:
            yield tuple(found)


def _probing(
    joins: tuple[HintCandidate, ...],
    again: Callable[[HintCandidate, BuildSide], float],
    spared: Callable[[HintCandidate], float],
) -> _Joint:
    """Joins that all probe with one side."""
    one = joins[0]
    unmade = again(one, one.side.other)
    return _Joint(joins, sum(c.gain for c in joins) + unmade + spared(one), unmade)


def _with_probed(
    joins: tuple[HintCandidate, ...],
    again: Callable[[HintCandidate, BuildSide], float],
    probed: Collection[_Joint],
) -> _Joint:
    """Joins that all broadcast one side, with what is spared of the shuffles that they probe with."""
    places = set(map(place_of, joins))
    within = [joint for joint in probed if places.issuperset(map(place_of, joint.broadcasts))]
    unmade = sum(again(c, c.side) for c in joins)
    more = sum(joint.gain - sum(c.gain for c in joint.broadcasts) for joint in within)
    return _Joint(joins, sum(c.gain for c in joins) + unmade + more, unmade + sum(joint.unmade for joint in within))


def _shares(joints: Iterable[_Joint]) -> Mapping[Place, Share]:
    """Equal shares, so that all of them are worth a hint or none."""
    gains: dict[Place, Share] = {}
    for joint in sorted((j for j in joints if j.is_worth_more), key=lambda j: -j.gain):
        places = [place_of(c) for c in joint.broadcasts]
        if gains.keys().isdisjoint(places):
            share = Share(joint.gain / len(places), joint.unmade / len(places))
            gains.update((place, share) for place in places)
    return gains


def _chains(
    lowest: HintCandidate, above: Mapping[_Site, HintCandidate], freed_gain: Callable[[HintCandidate], float]
) -> Iterator[_Joint]:
    """The chain from a broadcast whose probe side was shuffled up to where nothing relies on that any more."""
    if lowest.join.reshuffle is None or lowest.other.shuffle_bytes is None:
        return
    chain = [lowest]
    reshuffle: Reshuffle | None = lowest.join.reshuffle
    while reshuffle is not None:
        found = above.get((lowest.query.id, *reshuffle.join)) if reshuffle.join else None
        if found is None:
            return
        chain.append(found)
        reshuffle = found.join.reshuffle
    yield _Joint(tuple(chain), freed_gain(lowest) + sum(c.gain for c in chain[1:]))


def _site(candidate: HintCandidate) -> _Site:
    return candidate.query.id, candidate.join.signature, candidate.join.occurrence
