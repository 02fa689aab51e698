"""The columns whose values are others in each run, and move its rows: no run will ever have such values again.

A change that acts on measured values alone never acts on such a query. So it is measured over all of its values together, which
is less sure; orders of joins alone act on any of them.
"""

from __future__ import annotations

from collections.abc import Sequence

from tuner.model.query_values import FilterCondition
from tuner.policy.latest_executions import Ran, latest_executions
from tuner.policy.neutral_columns import LEAST_ADVANCES, rows_apart

# Of the nights with other values than the night before, this share has to have values that were never there: what comes back is
# measured by itself, as days of a week are.
NEW_SHARE = 0.8
# Where no more than this share of the runs had other rows than usual, these are days apart (a back-fill) of what is else the
# same: what the usual ones show says nothing of them.
APART = 0.2


def fleeting_columns(executions: Sequence[Ran], neutral: frozenset[str]) -> frozenset[str]:
    """Of the executions of one query, oldest first, each with the number of its night: the columns (`FilterCondition.columns`)
    besides the `neutral` ones whose values moved; none where values come back, where one night has several, where it is not
    known of which columns they are, and where few of them move rows."""
    latest = latest_executions(executions)
    since, before, seen = latest[0][0], frozenset[FilterCondition](), set[frozenset[FilterCondition]]()
    others: list[frozenset[FilterCondition]] = []
    fresh = 0
    for night, several in _asked(executions, neutral).items():
        if night >= since:
            if len(several) > 1:
                return frozenset()
            (now,) = several
            if now != before:
                others.append(now)
                fresh += now not in seen
            before = now
        seen |= several
    if fresh < max(LEAST_ADVANCES, NEW_SHARE * len(others)):
        return frozenset()
    always = frozenset.intersection(*others)
    moved = frozenset(one.columns for values in others for one in values - always)
    return frozenset() if "" in moved or rows_apart([query for _, query in latest]) <= APART else moved


def _asked(executions: Sequence[Ran], neutral: frozenset[str]) -> dict[int, set[frozenset[FilterCondition]]]:
    """By night what its executions asked for."""
    found: dict[int, set[frozenset[FilterCondition]]] = {}
    for night, query in executions:
        if query.conditions is not None:
            asked = (one for one in query.conditions if one.columns not in neutral)
            found.setdefault(night, set()).add(frozenset(FilterCondition(c.read_columns, c.values) for c in asked))
    return found
