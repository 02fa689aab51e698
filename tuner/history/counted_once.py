"""Queries whose seconds are told twice: by the execution that ran them, and by the one in which that ran."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import accumulate

from tuner.model.query import Query, QueryStatus


def counted_once(queries: Sequence[Query]) -> tuple[Query, ...]:
    """The queries of an application, without those whose work executions within them did.

    Such are a micro-batch, whose sink runs its plan or other queries, a table of the second API made of a query, and a command
    of Databricks that shows the plan of the query that it runs. An execution tells which one began it since Spark 3.4
    (rootExecutionId); before, only the same query within one without tasks is known to be its. What has tasks of its own
    stays, unless it is the same query as what it began; so does what did not succeed.
    """
    by_root: dict[int, list[Query]] = {}
    by_plan: dict[str, list[Query]] = {}
    for query in queries:
        if query.duration_ms is not None:
            by_root.setdefault(query.root_id, []).append(query)
            by_plan.setdefault(query.fingerprint, []).append(query)
    hosts = {
        *(id(host) for group in (*by_root.values(), *by_plan.values()) for host in _without_tasks(group)),
        *(id(host) for group in by_root.values() for host in _shown_twice(group)),
    }
    return tuple(query for query in queries if id(query) not in hosts)


def _without_tasks(group: Sequence[Query]) -> Iterator[Query]:
    """Of executions that one began, or that are the same query, those without tasks within which another had some."""
    workers = sorted((query for query in group if query.task_count), key=lambda query: query.start_ms)
    if len(workers) == len(group):
        return
    starts = [worker.start_ms for worker in workers]
    # The first end of those that began as late as one, or later.
    first_ends = [*accumulate((worker.end_ms for worker in reversed(workers)), min)][::-1]
    for query in group:
        if query.task_count or query.status is not QueryStatus.SUCCEEDED:
            continue
        at = bisect_left(starts, query.start_ms)
        if at < len(starts) and first_ends[at] <= query.end_ms:
            yield query


def _shown_twice(group: Sequence[Query]) -> Iterator[Query]:
    """Of executions that one began, that one where it shows the same query as another within it, which had tasks."""
    for root in group:
        if root.id == root.root_id and root.status is QueryStatus.SUCCEEDED:
            same = (query for query in group if query.fingerprint == root.fingerprint and query.id != root.id)
            if any(root.start_ms <= q.start_ms and q.end_ms <= root.end_ms for q in same if q.task_count):
                yield root
