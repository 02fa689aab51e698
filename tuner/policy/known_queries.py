"""The queries that a cohort's next run may have: those of its latest one, and those that come back."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from tuner.model.query import Query
from tuner.model.run import Run
from tuner.plan.literals import literal_class
from tuner.policy.instances import latest_of_instance
from tuner.policy.literal_classes import with_literal_classes
from tuner.policy.usable import usable

# A query that so many runs had comes back, also if the latest one did not have it; most that ran once never do.
COMES_BACK = 2


@dataclass(frozen=True, slots=True)
class KnownQueries:
    """`of_latest` are those of a cohort's latest usable run, and before them the same queries with other values, as they last
    ran, and with these, where they last had what that run did not join, for there was nothing to join; `absent` those that
    earlier runs had, `COMES_BACK` or more of them, and the latest one did not: a job may do more on Mondays. Each oldest first.
    `of_earlier` are those of each other usable run, oldest first; `executions` how many of each query the latest had."""

    of_latest: tuple[Query, ...] = ()
    absent: tuple[Query, ...] = ()
    of_earlier: tuple[tuple[Query, ...], ...] = ()
    executions: Mapping[str, int] = field(default_factory=dict)

    @property
    def all(self) -> tuple[Query, ...]:
        """Both, what is absent first."""
        return (*self.absent, *self.of_latest)


def newest_of_each(runs: Sequence[Run], instance: str = "") -> KnownQueries:
    """The queries of a cohort's runs, oldest first, as each last ran with each of its values. The latest run is that of an
    `instance` (`latest_of_instance`)."""
    return newest_of_classed(with_literal_classes(runs), instance)


def newest_of_classed(runs: Sequence[Run], instance: str = "") -> KnownQueries:
    """The same, of runs that have their classes already."""
    latest = latest_of_instance(runs, instance)
    if latest is None or latest.outcome is None:
        return KnownQueries()
    found: list[Query] = []
    known = {_values_of(q) for q in latest.outcome.queries}
    joined = _Joined(latest.outcome.queries)
    before: list[Query] = []
    for run in reversed([run for run in runs if usable(run) and run is not latest]):
        for query in run.outcome.queries if run.outcome else ():
            key = _values_of(query)
            # Of the oldest runs joins are not at hand.
            if query.literals and query.joins and key not in known:
                known.add(key)
                found.append(query)
            elif joined.lack(query):
                joined.add(query)
                before.append(query)
    runs_of = Counter(fingerprint for run in runs if usable(run) for fingerprint in run.fingerprints)
    ran = latest.fingerprints
    told = {q.fingerprint for q in latest.outcome.queries if q.literals}
    earlier = [query for query in reversed(found) if query.fingerprint in told] + before[::-1]
    back = {f for f, number in runs_of.items() if number >= COMES_BACK} - ran
    absent = [query for query in reversed(found) if query.fingerprint in back]
    of_earlier = (run.outcome.queries for run in runs if usable(run) and run.outcome and run is not latest)
    executions = Counter(query.fingerprint for query in latest.outcome.queries)
    return KnownQueries((*earlier, *latest.outcome.queries), tuple(absent), tuple(of_earlier), executions)


class _Joined:
    """What executions had joins, by their queries and values, and which blocks."""

    def __init__(self, queries: Sequence[Query]) -> None:
        self._blocks: dict[tuple[str, str], set[str]] = {_values_of(query): set() for query in queries}
        self._have_joins: set[tuple[str, str]] = set()
        for query in queries:
            self.add(query)

    def add(self, query: Query) -> None:
        self._blocks[_values_of(query)].update(graph.signature for graph in query.graphs)
        if query.joins:
            self._have_joins.add(_values_of(query))

    def lack(self, query: Query) -> bool:
        """Whether another execution of one of them had what none of these had."""
        key = _values_of(query)
        if key not in self._blocks or not query.joins:
            return False
        return key not in self._have_joins or any(g.signature not in self._blocks[key] for g in query.graphs)


def _values_of(query: Query) -> tuple[str, str]:
    """A query with its values; where these are others in each run, with those of the run alone."""
    if query.fleeting and query.conditions is not None:
        return query.fingerprint, literal_class(query.conditions)
    return query.fingerprint, query.literals
