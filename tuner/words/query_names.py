"""Names of queries for people: what the job called them, where their statement stands, or what they join."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from tuner.model.query import Query
from tuner.model.run import Run
from tuner.plan.relation import short_name
from tuner.printable import identifier, printable

_MOST_CHARACTERS = 80
_MOST_RELATION_CHARACTERS = 40
_MOST_RELATIONS = 2

# Spark describes a query without a description by its call site (CallSite.shortForm). Where Python, R or a thread pool called,
# that is a frame of the JVM, the same for every query.
_FRAME_OF_THE_JVM = re.compile(
    r"\S+ at (?:(?:NativeMethodAccessorImpl|DirectMethodHandleAccessor|GeneratedMethodAccessor\d*|Method|FutureTask"
    r"|ThreadPoolExecutor|ForkJoinTask|CompletableFuture|Thread)\.java|<unknown>|null):-?\d+"
)
# What Spark Connect calls each request (ExecuteThreadRunner): the start of its message, with ids of the session in it.
_OF_REQUEST = "Spark Connect - "
# What Spark describes the queries of each batch of a stream by (StreamExecution.getBatchDescriptionString): ids, one of which is
# another in each run, behind the name that the job gave the stream, if any.
_OF_BATCH = re.compile(r"(?:^|\s+)id = [0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\s+runId = .*", re.DOTALL)


def query_name(query: Query, *, described: bool = True) -> str:
    """The job's description, or what it called its stream; else the file and line of the statement, else the main relations and
    the query's number.

    One printable line of at most 80 characters. Without `described`, for people who may not read the job's code, it is the
    relations and the number.
    """
    given = printable(_OF_BATCH.sub("", query.description.strip()), _MOST_CHARACTERS) if described else ""
    if given and not _FRAME_OF_THE_JVM.fullmatch(given) and not given.startswith(_OF_REQUEST):
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
