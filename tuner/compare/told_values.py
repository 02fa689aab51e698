"""The conditions of two executions as far as both of them tell: of one by the agent and one by its log alone, what logs tell."""

from __future__ import annotations

from tuner.model.query import Query
from tuner.model.query_values import FilterCondition

Conditions = frozenset[FilterCondition]


def told_values(before: Query, after: Query) -> tuple[Conditions, Conditions] | None:
    """None where those of one are not known."""
    by_logs = before.logged_conditions is None or after.logged_conditions is None
    old, new = (_told(query, by_log=by_logs) for query in (before, after))
    return None if old is None or new is None else (old, new)


def _told(query: Query, *, by_log: bool) -> Conditions | None:
    told = query.logged_conditions if by_log and query.logged_conditions is not None else query.conditions
    return None if told is None else frozenset(FilterCondition(one.read_columns, one.values) for one in told)
