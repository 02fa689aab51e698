"""Names of queries for people: what the job called them, where their statement stands, or what they join."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from tuner.model.query import Query
from tuner.model.run import Run
from tuner.plan.job_description import job_description
from tuner.plan.relation import short_name
from tuner.printable import identifier

_MOST_RELATION_CHARACTERS = 40
_MOST_RELATIONS = 2


def query_name(query: Query, *, described: bool = True) -> str:
    """The job's description, or what it called its stream; else the file and line of the statement, else the main relations and
    the query's number.

    One printable line of at most 80 characters. Without `described`, for people who may not read the job's code, it is the
    relations and the number.
    """
    if described and (given := job_description(query.description)):
        return given
    names = [identifier(short_name(r), _MOST_RELATION_CHARACTERS) for r in query.main_relations[:_MOST_RELATIONS]]
    more = ["…"] if len(query.main_relations) > _MOST_RELATIONS else []
    number = f"query {query.id}"
    return f"{' ⋈ '.join([*names, *more])} ({number})" if names else number


class QueryNames(dict[str, str]):
    """The names of queries by their fingerprints. Where two have one name, the later one's ends with its number. A query that
    is not there is called by its fingerprint.
    """

    def __init__(self, queries: Iterable[Query] = (), *, described: bool = True) -> None:
        super().__init__()
        self._described = described
        self._taken: set[str] = set()
        self.add_all(queries)

    @classmethod
    def known(cls, names: Mapping[str, str]) -> QueryNames:
        """Those of an earlier answer."""
        found = cls()
        found.update(names)
        found._taken.update(names.values())
        return found

    def add(self, query: Query) -> str:
        """The query's name: its earlier one, if its fingerprint is there."""
        if query.fingerprint in self:
            return self[query.fingerprint]
        name = query_name(query, described=self._described)
        if name in self._taken and f"query {query.id}" not in name:
            name += f" (query {query.id})"
        if name in self._taken:
            name += f" ({query.fingerprint})"
        self._taken.add(name)
        self[query.fingerprint] = name
        return name

    def add_all(self, queries: Iterable[Query]) -> None:
        for query in queries:
            self.add(query)

    def __missing__(self, fingerprint: str) -> str:
        return f"query {fingerprint}"


# Where no query is mentioned, or none is known.
NO_NAMES = QueryNames()


def names_in(runs: Sequence[Run], *, described: bool = True) -> QueryNames:
    """What the queries of a cohort's runs, oldest first, are called: as they were last."""
    outcomes = (run.outcome for run in reversed(runs) if run.outcome)
    return QueryNames((query for outcome in outcomes for query in outcome.queries), described=described)
