"""What could change what a job returns, not only when, is held."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from datetime import timedelta

from tuner.model.action import ActionKind
from tuner.model.change import Change
from tuner.model.decision import DecidedChange
from tuner.model.query import Query
from tuner.model.reason import Reason, ReasonCode
from tuner.model.run import Run
from tuner.policy.held_back import held_back
from tuner.policy.situation import Situation
from tuner.policy.usable import usable

# What a job of each night does once a month comes again, and so does what one of each hour does once a day.
LEAST_RUNS_AWAY = 7
LEAST_AWAY = timedelta(days=35)


def not_deterministic(situation: Situation, decided: Sequence[DecidedChange]) -> list[DecidedChange]:
    """Holds changes that could change the rows of a query that is not deterministic, as it last ran; a property as long as such
    a query may come back."""
    queries = {query.fingerprint: query for run in situation.runs if run.outcome for query in run.outcome.queries}
    found = [query for query in queries.values() if query.not_deterministic]
    if not found:
        return list(decided)
    are_away = _are_away({query.fingerprint for query in found}, situation.runs)

    def why(change: Change) -> Reason | None:
        return changes_results(change, () if are_away and not change.is_on_joins else found)

    return [held_back(d, reason) if (reason := why(d.change)) else d for d in decided]


def _are_away(queries: Collection[str], runs: Sequence[Run]) -> bool:
    """Whether none of these queries (fingerprints) ran for longer than ever before, and than a month: whoever looks at ten rows
    of a table once does not do so each night."""
    longest = away = 0
    latest: Run | None = None
    for run in runs:
        if not run.fingerprints.isdisjoint(queries):
            longest, away, latest = max(longest, away), 0, run
        elif latest is not None and usable(run):
            away += 1
    if latest is None or away <= longest or away < LEAST_RUNS_AWAY:
        return False
    return runs[-1].started_at - latest.started_at >= LEAST_AWAY


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
