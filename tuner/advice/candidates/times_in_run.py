"""How often a run has an execution of a query: what each saves is little, what all of a loop save may be much."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

from tuner.advice.facts import Facts
from tuner.model.query import Query


def times_in_run(facts: Facts, query: Query) -> float:
    """In how many executions like this one its query took what all of its executions did; 1 where it has but this one."""
    every = facts.once(_seconds).get(query.fingerprint, 0.0)
    return max(1.0, every / query.seconds) if query.seconds else 1.0


def _seconds(facts: Facts) -> Mapping[str, float]:
    """What queries took in all executions, by fingerprint."""
    found: defaultdict[str, float] = defaultdict(float)
    for query in facts.succeeded:
        found[query.fingerprint] += query.seconds
    return found
