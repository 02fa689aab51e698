"""The values that a change to a join was measured with: it acts on a query that has these, and on no other."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace

from tuner.advice.model import ON_JOINS, Action
from tuner.eventlog.steering import DirectiveStatus
from tuner.history.model import IN_FORCE, Decision, Run
from tuner.plan.model import Query, QueryStatus
from tuner.policy.followed import in_effect
from tuner.policy.measure import latest_usable, usable

# A loop over more of them than this is measured piece by piece: the latest count.
MOST_LITERALS = 500


def with_measured_values(decision: Decision, runs: Sequence[Run], advised: Collection[str]) -> Decision:
    """The decision with the ids of values (`tuner.plan.literals`) that each change to a join may act on.

    They are those of the executions that had it and succeeded, and, of an action (by id) that is `advised` by the latest
    usable run, those of its query in that run: a trial is tried on what it was advised from. `runs` are oldest first.
    """
    found: dict[str, dict[str, None]] = {
        d.action.id: {} for d in decision.actions if d.standing in IN_FORCE and d.action.kind in ON_JOINS
    }
    if not found:
        return decision
    for run in filter(usable, runs):
        for action in (d.action for d in in_effect(run) if d.action.id in found):
            _add(found[action.id], (q for q in _ran(run, action) if _had(q, action)))
    if latest := latest_usable(runs):
        for decided in decision.actions:
            if decided.action.id in found and decided.action.id in advised:
                _add(found[decided.action.id], _ran(latest, decided.action))
    literals = {id_: tuple(sorted(list(ids)[-MOST_LITERALS:])) for id_, ids in found.items()}
    return replace(
        decision, actions=tuple(replace(d, literals=literals.get(d.action.id, ())) for d in decision.actions)
    )


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
