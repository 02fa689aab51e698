"""Broadcasts that gain more together than each by itself.

Those of joins on the same keys, one above the other, spare a shuffle that the others need as long as one is left. Those of one
side for all joins that read its shuffle leave nobody who does.
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
    """Broadcasts, and the seconds that all of them gain together."""

    broadcasts: tuple[HintCandidate, ...]
    gain: float

    @property
    def is_worth_more(self) -> bool:
        """Whether they gain more together than those by themselves that gain at all."""
        return self.gain > sum(max(0.0, c.gain) for c in self.broadcasts)


def chained_gains(
    candidates: Collection[HintCandidate], freed_gain: Callable[[HintCandidate], float]
) -> Mapping[Place, float]:
    """What those on a chain of joins by the same keys gain, by `place_of`.

    `freed_gain` is what one gains where no operator above relies on the shuffles of its join.
    """
    above = {_site(c): c for c in candidates if c.other.shuffle_bytes is None}
    return _shares(chain for c in candidates for chain in _chains(c, above, freed_gain))


def shared_gains(
    candidates: Collection[HintCandidate], again: Callable[[HintCandidate], float]
) -> Mapping[Place, float]:
    """What those gain whose side is broadcast for all joins that read its shuffle, by `place_of`.

    The side is made once then, as before (ReuseExchange), and not for the shuffle besides, which takes `again` wall seconds.
    """
    readers: defaultdict[_Shuffle, list[HintCandidate]] = defaultdict(list)
    for c in candidates:
        if c.hinted.readers > 1:
            readers[c.query.id, c.hinted.relations, c.hinted.shuffle_bytes].append(c)
    whole = (found for found in readers.values() if len(set(map(_site, found))) == found[0].hinted.readers)
    return _shares(_Joint(tuple(found), sum(c.gain + again(c) for c in found)) for found in whole)


def place_of(candidate: HintCandidate) -> Place:
    """Which side of which join of which query it is."""
    return _site(candidate), candidate.side


def _shares(joints: Iterable[_Joint]) -> Mapping[Place, float]:
    """Equal shares, so that all of them are worth a hint or none."""
    gains: dict[Place, float] = {}
    for joint in sorted((j for j in joints if j.is_worth_more), key=lambda j: -j.gain):
        places = [place_of(c) for c in joint.broadcasts]
        if gains.keys().isdisjoint(places):
            gains.update((place, joint.gain / len(places)) for place in places)
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
