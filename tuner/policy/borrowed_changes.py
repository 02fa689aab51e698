"""What a first run had of what other jobs lent it: only its log tells which of their queries it asked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from tuner.model.action import Action
from tuner.model.change import Change, change_id
from tuner.model.decision import DecidedChange, Decision
from tuner.model.query import Query
from tuner.model.run import Run


def with_borrowed(run: Run) -> Run:
    """The run with trials of its own in place of what was lent: of the queries that it ran, and nothing of the others.

    A query that reads and joins the same as one of another job, but is not the same, was given that one's changes: they are
    called by the query that had them. A run without an outcome keeps what was lent: what it had of that is not known.
    """
    if not run.decision.lent or run.outcome is None:
        return run
    given = [(query, _given(query, run.decision)) for query in run.outcome.queries]
    borrowed = {d.id: d for query, lent in given for d in _of_query(lent, query.fingerprint)}
    queries = tuple(_renamed(query, lent) for query, lent in given)
    changes = (*run.decision.changes, *borrowed.values())
    return replace(
        run, decision=replace(run.decision, changes=changes, lent=()), outcome=replace(run.outcome, queries=queries)
    )


def _given(query: Query, decision: Decision) -> list[DecidedChange]:
    """What a query had of what was lent."""
    trials = {
        d.change.trial
        for d in decision.lent
        if d.change.query == query.fingerprint or any(action.id in query.followed for action in d.change.actions)
    }
    return [d for d in decision.lent if d.change.trial in trials]


def _of_query(lent: Sequence[DecidedChange], fingerprint: str) -> Iterator[DecidedChange]:
    ids = {d.id: change_id(_actions(d.change, fingerprint)) for d in lent}
    for d in lent:
        needs = ids.get(d.change.needs, "")
        actions = _actions(d.change, fingerprint)
        yield replace(d, change=replace(d.change, id=ids[d.id], actions=actions, queries=(fingerprint,), needs=needs))


def _actions(change: Change, fingerprint: str) -> tuple[Action, ...]:
    return tuple(replace(action, query=fingerprint) for action in change.actions)


def _renamed(query: Query, lent: Sequence[DecidedChange]) -> Query:
    """With what the agent said of it under the names of its own changes."""
    own = {a.id: replace(a, query=query.fingerprint).id for d in lent for a in d.change.actions}
    if all(id_ == name for id_, name in own.items()):
        return query
    told = tuple(replace(one, action_id=own.get(one.action_id, one.action_id)) for one in query.directives)
    return replace(query, directives=told)
