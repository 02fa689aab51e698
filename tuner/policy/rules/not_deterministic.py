"""What could change what a job returns, not only when, is held."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tuner.model.action import ActionKind
from tuner.model.change import Change
from tuner.model.decision import DecidedChange
from tuner.model.query import Query
from tuner.model.reason import Reason, ReasonCode
from tuner.policy.held_back import held_back
from tuner.policy.situation import Situation


def not_deterministic(situation: Situation, decided: Sequence[DecidedChange]) -> list[DecidedChange]:
    """Holds changes that could change the rows of a query that is not deterministic, as it last ran."""
    # Not of the latest run alone: what comes once a week comes again.
    queries = {query.fingerprint: query for run in situation.runs if run.outcome for query in run.outcome.queries}
    found = [query for query in queries.values() if query.not_deterministic]
    return [held_back(d, why) if (why := changes_results(d.change, found)) else d for d in decided]


def changes_results(change: Change, queries: Iterable[Query]) -> Reason | None:
    """Which query's rows a change could change; None where there is none.

    Numbers drawn or counted by the places of rows are others where joins or partitions are others. A property reaches every
    query, a hint or an order its own.
    """
    properties = any(action.kind is ActionKind.SET_CONF for action in change.actions)
    for query in queries:
        reached = properties or (change.is_on_joins and change.query == query.fingerprint)
        if reached and query.not_deterministic:
            numbers = {"query": query.fingerprint, "what": query.not_deterministic}
            return Reason(ReasonCode.NOT_DETERMINISTIC, numbers)
    return None
