"""The values that a change to a join was measured with: it acts on a query that has these, and on no other."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace

from tuner.model.action import ON_JOINS, Action
from tuner.model.decision import DecidedAction
from tuner.model.directive_outcome import DirectiveStatus
from tuner.model.query import Query, QueryStatus
from tuner.model.run import Run
from tuner.policy.followed import in_effect
from tuner.policy.measure import latest_usable, usable

# A loop over more of them than this is measured piece by piece: the latest count.
MOST_LITERALS = 500


def with_measured_values(
    decided: Sequence[DecidedAction], runs: Sequence[Run], advised: Collection[str]
) -> list[DecidedAction]:
    """The same with the ids of values (`tuner.plan.literals`) that each change to a join may act on.

    They are those of the executions that had it and succeeded, and, of an action (by id) that is `advised` by the latest
    usable run, those of its query in that run: a trial is tried on what it was advised from. `runs` are oldest first.
    """
    found: dict[str, dict[str, None]] = {d.action.id: {} for d in decided if d.action.kind in ON_JOINS}
    if not found:
        return list(decided)
    for run in filter(usable, runs):
        for action in (d.action for d in in_effect(run) if d.action.id in found):
            _add(found[action.id], (q for q in _ran(run, action) if _had(q, action)))
    if latest := latest_usable(runs):
        for action in (d.action for d in decided if d.action.id in found and d.action.id in advised):
            _add(found[action.id], _ran(latest, action))
    literals = {id_: tuple(sorted(list(ids)[-MOST_LITERALS:])) for id_, ids in found.items()}
    return [replace(d, literals=literals.get(d.action.id, ())) for d in decided]


def for_others(one: DecidedAction, other: DecidedAction) -> bool:
    """Whether two changes act on different values, so that neither meets the other."""
    return bool(one.literals and other.literals) and set(one.literals).isdisjoint(other.literals)


def newest_of_each(runs: Sequence[Run]) -> list[Query]:
    """The queries of the latest usable run, and before them those of earlier runs that had other values: the newest of each."""
    latest = latest_usable(runs)
    if latest is None or latest.outcome is None:
        return []
    found: list[Query] = []
    known = {(q.fingerprint, q.literals) for q in latest.outcome.queries}
    fingerprints = {q.fingerprint for q in latest.outcome.queries if q.literals}
    for run in reversed([run for run in runs if usable(run) and run is not latest]):
        for query in run.outcome.queries if run.outcome else ():
            key = query.fingerprint, query.literals
            # Of the oldest runs joins are not at hand.
            if query.literals and query.joins and query.fingerprint in fingerprints and key not in known:
                known.add(key)
                found.append(query)
    return [*reversed(found), *latest.outcome.queries]


def _add(ids: dict[str, None], queries: Iterable[Query]) -> None:
    for query in queries:
        ids.pop(query.literals, None)
        ids[query.literals] = None


def _ran(run: Run, action: Action) -> Iterator[Query]:
    """The executions of an action's query whose values are known."""
    for query in run.outcome.queries if run.outcome else ():
        if query.fingerprint == action.query and query.status is QueryStatus.SUCCEEDED and query.literals:
            yield query


def _had(query: Query, action: Action) -> bool:
    """Whether an execution had a change that its run had; of a hint in SQL text nothing is told."""
    told = [outcome.status for outcome in query.directives if outcome.action_id == action.id]
    return not told or DirectiveStatus.APPLIED in told
