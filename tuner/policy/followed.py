"""Which of a run's directives its plans followed: the others were not in force, whatever was decided.

What was held, because what it builds was too large in that run or its query had values that it was not measured with, is not
out of force for it: the next run may be another.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from tuner.model.action import ON_JOINS
from tuner.model.agent_record import NOT_LOADED
from tuner.model.decision import IN_FORCE, DecidedAction
from tuner.model.directive_outcome import DirectiveOutcome, DirectiveStatus
from tuner.model.query import Query, QueryStatus
from tuner.model.run import Run


def not_followed(run: Run) -> dict[str, str]:
    """Of what was in force, by action id, why it was not followed: where its queries came to their end without it.

    Of several executions of a query one that followed is enough.
    """
    return {id_: why for id_, (status, why) in _unfollowed(run).items() if status is not DirectiveStatus.HELD}


def held_in(run: Run) -> dict[str, str]:
    """Of what was in force, by action id, why it was held, in this run alone."""
    return {id_: why for id_, (status, why) in _unfollowed(run).items() if status is DirectiveStatus.HELD}


def in_effect(run: Run) -> list[DecidedAction]:
    """What was in force and followed, as far as the run tells."""
    out = _unfollowed(run)
    return [d for d in run.decision.actions if d.standing in IN_FORCE and (not out or d.action.id not in out)]


def _unfollowed(run: Run) -> dict[str, tuple[DirectiveStatus, str]]:
    in_force = [d for d in run.decision.actions if d.standing in IN_FORCE and d.action.kind in ON_JOINS]
    if run.outcome is None or not in_force:
        return {}
    whole = [q for q in run.outcome.queries if q.status is QueryStatus.SUCCEEDED]
    told = _told(run.outcome.queries, {d.action.id: d.action.query for d in in_force})
    ran = {query.fingerprint for query in whole} if run.outcome.agent_missing else set()
    if not told and not ran:
        return {}
    return {d.action.id: why for d in in_force if (why := _why_not(run, d, told.get(d.action.id, ()), ran))}


def _told(queries: Sequence[Query], owners: Mapping[str, str | None]) -> dict[str, list[DirectiveOutcome]]:
    """What became of each action: in its own query where that ran, else in those that the agent took for it."""
    own: dict[str, list[DirectiveOutcome]] = {}
    others: dict[str, list[DirectiveOutcome]] = {}
    for query in queries:
        for outcome in query.directives:
            # A query that did not come to its end may not have had what it was given, but ran without what was held.
            if query.status is QueryStatus.SUCCEEDED or outcome.status is DirectiveStatus.HELD:
                found = own if owners.get(outcome.action_id) == query.fingerprint else others
                found.setdefault(outcome.action_id, []).append(outcome)
    return others | own


def _why_not(
    run: Run, decided: DecidedAction, told: Sequence[DirectiveOutcome], ran: Collection[str]
) -> tuple[DirectiveStatus, str] | None:
    """`ran` are queries that came to their end though the agent did not load."""
    if told:
        return _words(told, run)
    if decided.action.query in ran:
        return DirectiveStatus.IGNORED, f"ignored in run {run.key}: {NOT_LOADED}"
    return None


def _words(told: Sequence[DirectiveOutcome], run: Run) -> tuple[DirectiveStatus, str] | None:
    if any(outcome.status is DirectiveStatus.APPLIED for outcome in told):
        return None
    first = next((o for o in told if o.status is DirectiveStatus.HELD), told[0])
    reason = f": {first.reason}" if first.reason else ""
    return first.status, f"{first.status} in run {run.key}{reason}"
