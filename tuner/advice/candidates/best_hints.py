"""Which hint each join gets: a broadcast or none, a shuffled hash join, or its other side built."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from tuner.advice.candidates.broadcast_candidates import broadcast_candidates, late_broadcasts
from tuner.advice.candidates.broadcast_removals import broadcast_removals, is_over_cap
from tuner.advice.candidates.build_side_swaps import build_side_swaps
from tuner.advice.candidates.hash_candidates import hash_candidates, is_much_smaller
from tuner.advice.candidates.hint_candidate import HintCandidate
from tuner.advice.candidates.query_gain import is_worth_it
from tuner.advice.candidates.secured_broadcasts import secured_broadcasts
from tuner.advice.facts import Facts, is_whole
from tuner.advice.steering_reach import Reach
from tuner.model.action import Hint
from tuner.model.query import Query

MIN_GAIN_SECONDS = 0.1
MIN_GAIN_SHARE = 0.02


def best_hints(facts: Facts) -> list[HintCandidate]:
    """At most one hint for each join, largest gain first; broadcasts of one query fit into memory together.

    A hint names a join by its query's fingerprint and its signature: joins that share both share the hint.
    """
    return facts.once(_best)


def is_enough(gain: float, query: Query) -> bool:
    """Whether seconds are worth a hint in this query."""
    return is_worth_it(gain, [query], MIN_GAIN_SECONDS, MIN_GAIN_SHARE)


def _best(facts: Facts) -> list[HintCandidate]:
    broadcast_bytes: Counter[str] = Counter()
    hinted: set[tuple[str, str]] = set()
    best = []
    worthwhile = [c for c in _candidates(facts) if _is_worth_it(facts, c) and c.prediction.high < c.prediction.before]
    for candidate in sorted(worthwhile, key=lambda c: -c.prediction.gain):
        query, size = candidate.query.fingerprint, candidate.relation_bytes if candidate.is_new_broadcast else 0
        if _join_of(candidate) not in hinted and broadcast_bytes[query] + size <= facts.cap.query_bytes:
            broadcast_bytes[query] += size
            hinted.add(_join_of(candidate))
            best.append(candidate)
    return best


def _candidates(facts: Facts) -> Iterator[HintCandidate]:
    broadcasts = (*broadcast_candidates(facts), *late_broadcasts(facts), *secured_broadcasts(facts))
    yield from _admissible(facts.reach, broadcasts)
    hashed = _admissible(facts.reach, hash_candidates(facts))
    yield from (c for c in hashed if is_much_smaller(c, facts.selection) and not _hashes_result(c))
    yield from (c for c in _admissible(facts.reach, build_side_swaps(facts)) if not _hashes_result(c))
    if facts.reach is Reach.AGENT:
        yield from _admissible(facts.reach, broadcast_removals(facts))


def _admissible(reach: Reach, candidates: Iterable[HintCandidate]) -> list[HintCandidate]:
    """The candidates that a hint can reach, and that no join of the same name vetoes."""
    found = [c for c in candidates if is_whole(c.query) and reach.hints(c.join, c.hinted)]
    vetoed = {(_join_of(c), c.side) for c in found if c.is_vetoed}
    return [c for c in found if (_join_of(c), c.side) not in vetoed]


def _hashes_result(candidate: HintCandidate) -> bool:
    """Whether tasks would hash what other joins put out, which no shuffle of its own may count (JoinHints.hashedByTasks)."""
    return candidate.hint is Hint.SHUFFLE_HASH and len(candidate.hinted.relations) > 1


def _is_worth_it(facts: Facts, candidate: HintCandidate) -> bool:
    """Whether the seconds are worth a hint; where memory is in danger any are."""
    endangers = candidate.hint is Hint.NO_BROADCAST and is_over_cap(facts, candidate)
    return endangers or is_enough(candidate.prediction.gain, candidate.query)


def _join_of(candidate: HintCandidate) -> tuple[str, str]:
    return candidate.query.fingerprint, candidate.join.signature
