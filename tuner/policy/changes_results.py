"""What could change what a job returns, not only when: nothing of it is put in force."""

from __future__ import annotations

from tuner.model.action import ON_JOINS, Action, ActionKind
from tuner.model.run import Outcome


def changes_results(action: Action, latest: Outcome | None) -> str:
    """Why an action could change the rows of a query that is not deterministic, as it last ran; "" where it could not.

    Numbers drawn or counted by the places of rows are others where joins or partitions are others. A property reaches every
    query, a hint or an order its own.
    """
    for query in latest.queries if latest else ():
        reached = action.kind is ActionKind.SET_CONF or (action.kind in ON_JOINS and action.query == query.fingerprint)
        if reached and query.not_deterministic:
            name = query.description or f"query {query.fingerprint}"
            return f"{name} is not deterministic ({query.not_deterministic}): its rows could change"
    return ""
