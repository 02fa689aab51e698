"""Which hint each join gets: a broadcast or none, a shuffled hash join, or its other side built."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping

from tuner.advice.candidates.broadcast_budget import added_broadcasts, broadcast_budget
from tuner.advice.candidates.broadcast_candidates import broadcast_candidates, late_broadcasts, without_others
from tuner.advice.candidates.broadcast_removals import broadcast_removals, is_over_cap
from tuner.advice.candidates.build_side_swaps import build_side_swaps
from tuner.advice.candidates.executions_in_full import executions_for_each
from tuner.advice.candidates.hash_candidates import hash_candidates, is_much_smaller
from tuner.advice.candidates.hint_candidate import HintCandidate
from tuner.advice.candidates.joint_hint import joint_hint
from tuner.advice.candidates.query_gain import is_worth_it
from tuner.advice.candidates.secured_broadcasts import secured_broadcasts
from tuner.advice.facts import Facts, is_whole
from tuner.advice.steering_reach import Reach
from tuner.model.action import Hint
from tuner.model.query import Query
from tuner.model.strategy import BuildSide

MIN_GAIN_SECONDS = 0.1
MIN_GAIN_SHARE = 0.02

_Join = tuple[str, str]
_Hint = tuple[_Join, BuildSide, Hint]


def best_hints(facts: Facts) -> list[HintCandidate]:
    """At most one hint for each join, largest gain first; broadcasts of one query fit into memory together.

    A hint names a join by its query's fingerprint and its signature: joins that share both share the hint.
    """
    return facts.once(_best)


def is_enough(gain: float, query: Query, times: float = 1.0) -> bool:
    """Whether seconds are worth a hint in this query, which a run has so many `times`."""
    return is_worth_it(gain, [query], MIN_GAIN_SECONDS, MIN_GAIN_SHARE, times)


def _best(facts: Facts) -> list[HintCandidate]:
    """What is chosen of all that pay, until each of it pays beside what else was chosen alone."""
    secured = list(secured_broadcasts(facts))
    offered = [c for c in _candidates(facts, secured) if _pays(facts, c)]
    while True:
        best = _as_chosen(facts, _chosen(facts, offered), secured)
        lost = {_hint_of(c) for c in best if not _pays(facts, c)}
        if not lost:
            return sorted(best, key=lambda c: -c.prediction.gain)
        offered = [c for c in offered if _hint_of(c) not in lost]


def _as_chosen(facts: Facts, chosen: list[HintCandidate], secured: Iterable[HintCandidate]) -> list[HintCandidate]:
    """The chosen hints with what they gain without the broadcasts that were not."""
    hints = {_hint_of(c) for c in chosen if c.is_new_broadcast}
    alone = (*without_others(facts, lambda c: _hint_of(c) in hints and facts.reach.hints(c.join, c.hinted)), *secured)
    priced = {_hint_of(c): c for c in map(joint_hint, _admissible(facts.reach, alone))}
    return [priced.get(_hint_of(c), c) if c.is_new_broadcast else c for c in chosen]


def _pays(facts: Facts, candidate: HintCandidate) -> bool:
    return _is_worth_it(facts, candidate) and candidate.prediction.high < candidate.prediction.before


def _chosen(facts: Facts, worthwhile: Iterable[HintCandidate]) -> list[HintCandidate]:
    budget = broadcast_budget(facts)
    hinted: set[_Join] = set()
    best = []
    for candidate in sorted(worthwhile, key=lambda c: -c.prediction.gain):
        query, size = candidate.query.fingerprint, _more_broadcast_bytes(candidate)
        if _join_of(candidate) not in hinted and budget.take(query, size):
            hinted.add(_join_of(candidate))
            best.append(candidate)
    return best


def _more_broadcast_bytes(candidate: HintCandidate) -> int:
    """What a query's broadcasts take more: the side that a swap builds is there instead of another, what AQE broadcast late is
    there already."""
    if candidate.hint is not Hint.BROADCAST or candidate.hinted in added_broadcasts(candidate.query):
        return 0
    return max(0, candidate.relation_bytes - candidate.replaced_bytes)


def _candidates(facts: Facts, secured: Iterable[HintCandidate]) -> Iterator[HintCandidate]:
    """One for each hint that may be given."""
    broadcasts = (*broadcast_candidates(facts), *late_broadcasts(facts), *secured)
    yield from map(joint_hint, _admissible(facts.reach, broadcasts))
    for hashed in _admissible(facts.reach, hash_candidates(facts)):
        if any(is_much_smaller(c, facts.selection) for c in hashed) and not _hashes_result(hashed[0]):
            yield joint_hint(hashed)
    swaps = map(joint_hint, _admissible(facts.reach, build_side_swaps(facts)))
    yield from (swap for swap in swaps if not _hashes_result(swap))
    if facts.reach is Reach.AGENT:
        yield from map(joint_hint, _admissible(facts.reach, broadcast_removals(facts)))


def _admissible(reach: Reach, candidates: Iterable[HintCandidate]) -> list[list[HintCandidate]]:
    """The candidates that a hint can reach, those of one hint together, where no join of the same name vetoes it."""
    found: dict[_Hint, list[HintCandidate]] = defaultdict(list)
    for candidate in candidates:
        if is_whole(candidate.query) and reach.hints(candidate.join, candidate.hinted):
            found[_hint_of(candidate)].append(candidate)
    return [alike for alike in found.values() if not any(c.is_vetoed for c in alike)]


def _hashes_result(candidate: HintCandidate) -> bool:
    """Whether tasks would hash what other joins put out, which no shuffle of its own may count (JoinHints.hashedByTasks)."""
    return candidate.hint is Hint.SHUFFLE_HASH and len(candidate.hinted.relations) > 1


def _is_worth_it(facts: Facts, candidate: HintCandidate) -> bool:
    """Whether the seconds are worth a hint; where memory is in danger any are."""
    endangers = candidate.hint is Hint.NO_BROADCAST and is_over_cap(facts, candidate)
    return endangers or is_enough(candidate.prediction.gain, candidate.query, _times(facts, candidate))


def _times(facts: Facts, candidate: HintCandidate) -> float:
    """In how many executions of the run it gains its mean, those that are kept in brief among them."""
    return candidate.executions * facts.once(_executions_for_each)[candidate.query.fingerprint]


def _executions_for_each(facts: Facts) -> Mapping[str, float]:
    return executions_for_each(facts.succeeded)


def _join_of(candidate: HintCandidate) -> _Join:
    return candidate.query.fingerprint, candidate.join.signature


def _hint_of(candidate: HintCandidate) -> _Hint:
    return _join_of(candidate), candidate.side, candidate.hint
