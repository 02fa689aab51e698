"""How large broadcasts may turn out to be, once they are counted, of queries that run at the same time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from tuner.advice.candidates.running_together import RunningTogether
from tuner.advice.facts import Facts
from tuner.model.action import Action


def most_together(facts: Facts, sizes: Mapping[Action, int]) -> dict[str, int]:
    """Bytes of hash relation, by the ids of hints whose broadcasts were measured to take `sizes`: all may grow alike until those
    of queries that ran at once take what one query may together. None for those of a query that has that to itself."""
    taken: Counter[str] = Counter()
    for hint, size in sizes.items():
        taken[hint.query or ""] += size * _times(facts, hint)
    found: dict[str, int] = {}
    for hint, size in sizes.items():
        query = hint.query or ""
        moments = facts.once(RunningTogether).moments_of(query)
        together = max((sum(times * taken[one] for one, times in moment.items()) for moment in moments), default=0)
        if size and together > taken[query]:
            found[hint.id] = max(size, size * facts.cap.query_bytes // together)
    return found


def _times(facts: Facts, hint: Action) -> int:
    """How many joins of one execution a hint reaches at most: 1 where an order beside it will make its join."""
    mine = (query for query in facts.queries if query.fingerprint == hint.query)
    return max((sum(join.signature == hint.target for join in query.joins) for query in mine), default=0) or 1
