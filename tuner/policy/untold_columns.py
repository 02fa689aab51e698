"""Executions whose log told other conditions than the agent did in other runs of the same query.

A source of Spark's second API takes a filter on its partitions over (`SupportsPushDownV2Filters`; Iceberg does), and nothing of
it is left in the plan that the log has. Rows that stand in a query are filtered while it is planned. The agent looks before that;
in a run without it the log alone tells. `Query.logged_conditions` are what the log of a run with it would have told alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from tuner.model.query import Query
from tuner.model.query_values import FilterCondition
from tuner.policy.latest_executions import Ran
from tuner.policy.neutral_columns import FEW_ROWS, ROWS_BOUND

ClassOf = Callable[[tuple[FilterCondition, ...]], str]
# Beside the parts of `Query.row_counts`.
_READ = "bytes"


def told_in_full(executions: Sequence[Ran]) -> list[Ran]:
    """Those of one query's executions but for the ones whose log told other columns than the agent would have."""
    unlike = [query for _, query in executions if _log_told_other(query)]
    others = {_columns(query.logged_conditions) for query in unlike} - {_columns(query.conditions) for query in unlike}
    return [one for one in executions if _is_told_by_agent(one[1]) or _columns(one[1].conditions) not in others]


def classes_in_full(executions: Sequence[Ran], class_of: ClassOf) -> dict[str, str]:
    """The class that each class which a log alone told stands for: that of the executions which the agent told of, and whose log
    alone would have told the same, where they are of one class and kept about as many rows.

    A class that the agent has seen, too, stands for itself.
    """
    unlike = [query for _, query in executions if _log_told_other(query)]
    if not unlike:
        return {}
    seen: set[str] = set()
    alone: dict[str, list[Query]] = {}
    for _, query in executions:
        class_ = class_of(query.conditions or ())
        if _is_told_by_agent(query):
            seen.add(class_)
        else:
            alone.setdefault(class_, []).append(query)
    in_full: dict[str, dict[str, list[Query]]] = {}
    for query in unlike:
        by_class = in_full.setdefault(class_of(query.logged_conditions or ()), {})
        by_class.setdefault(class_of(query.conditions or ()), []).append(query)
    found: dict[str, str] = {}
    for logged in (in_full.keys() & alone.keys()) - seen:
        if len(in_full[logged]) == 1:
            ((class_, queries),) = in_full[logged].items()
            if _keep_as_many_rows(alone[logged], queries):
                found[logged] = class_
    return found


def _is_told_by_agent(query: Query) -> bool:
    return query.logged_conditions is not None


def _log_told_other(query: Query) -> bool:
    return query.logged_conditions is not None and query.logged_conditions != query.conditions


def _columns(conditions: Iterable[FilterCondition] | None) -> frozenset[str]:
    return frozenset(one.columns for one in conditions or ())


def _keep_as_many_rows(queries: Iterable[Query], others: Iterable[Query]) -> bool:
    """Whether each relation and join had rows within the bounds of values that move none, beside the fewest and the most that
    the others had; where no rows were counted, whether they read as much."""
    mine, theirs = _amounts(queries), _amounts(others)
    counted = (mine.keys() & theirs.keys()) - {_READ}
    pairs = [(mine[part], theirs[part]) for part in counted or mine.keys() & theirs.keys()]
    return all(min(rows) * ROWS_BOUND >= min(among) and max(rows) <= max(among) * ROWS_BOUND for rows, among in pairs)


def _amounts(queries: Iterable[Query]) -> dict[str, list[int]]:
    """Rows by part of its joins, and bytes read."""
    found: dict[str, list[int]] = {}
    for query in queries:
        found.setdefault(_READ, []).append(query.data_bytes)
        for count in query.row_counts:
            if not count.is_aside:
                found.setdefault(count.part, []).append(count.rows + FEW_ROWS)
    return found
