"""The executions of a run's queries."""

from __future__ import annotations

from collections.abc import Iterator

from tuner.model.query import Query
from tuner.model.run import Run


def executions(run: Run, query: str | None = None) -> Iterator[Query]:
    """Those of a run, as far as its log tells; of one query (its fingerprint) its own."""
    queries = run.outcome.queries if run.outcome else ()
    return (q for q in queries if query is None or q.fingerprint == query)
