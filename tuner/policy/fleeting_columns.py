"""The columns whose values are others in each run, and move its rows: no run will ever have such values again.

A change that acts on measured values alone never acts on such a query. So it is measured over all of its values together, which
is less sure; what depends on rows is counted before it acts.
"""

from __future__ import annotations

from collections.abc import Sequence

from tuner.model.query_values import FilterCondition
from tuner.policy.neutral_columns import LEAST_ADVANCES, Ran, latest_of, rows_apart

# Of the runs with other values than the run before, this share has to have values that were never there: what comes back is
# measured by itself, as days of a week are.
NEW_SHARE = 0.8
# Where no more than this share of the runs had other rows than usual, these are days apart (a back-fill) of what is else the
# same: what the usual ones show says nothing of them.
APART = 1 / 3


def fleeting_columns(executions: Sequence[Ran], neutral: frozenset[str]) -> frozenset[str]:
    """Of the executions of one query, oldest first: the columns (`FilterCondition.columns`) besides the `neutral` ones whose
    values moved; none where values come back, where one run has several, or where it is not known of which columns they are;
    and where few of them move rows."""
    latest, by_night = latest_of(executions), dict[int, set[frozenset[FilterCondition]]]()
    for night, query in latest:
        if query.conditions is None:
            return frozenset()
        asked = frozenset(one for one in query.conditions if one.columns not in neutral)
        by_night.setdefault(night, set()).add(asked)
    if any(len(several) > 1 for several in by_night.values()):
        return frozenset()
    taken = [one for several in by_night.values() for one in several]
    others = [now for before, now in zip([None, *taken], taken, strict=False) if now != before]
    if len(set(others)) < max(LEAST_ADVANCES, NEW_SHARE * len(others)):
        return frozenset()
    always = frozenset.intersection(*others)
    moved = frozenset(one.columns for values in others for one in values - always)
    return frozenset() if "" in moved or rows_apart([query for _, query in latest]) <= APART else moved
