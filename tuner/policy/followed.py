"""Which of a run's directives its plans followed: the others were not in force, whatever was decided."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from tuner.advice.model import ON_JOINS
from tuner.eventlog.steering import NOT_LOADED, DirectiveStatus
from tuner.history.model import IN_FORCE, DecidedAction, Run
from tuner.plan.model import DirectiveOutcome, QueryStatus


def not_followed(run: Run) -> dict[str, str]:
    """Of what was in force, by action id, why it was not followed: where its queries came to their end without it.

    Of several executions of a query one that followed is enough.
    """
    in_force = [d for d in run.decision.actions if d.standing in IN_FORCE and d.action.kind in ON_JOINS]
    if run.outcome is None or not in_force:
        return {}
    whole = [q for q in run.outcome.queries if q.status is QueryStatus.SUCCEEDED]
    told: dict[str, list[DirectiveOutcome]] = {}
    for outcome in (outcome for query in whole for outcome in query.directives):
        told.setdefault(outcome.action_id, []).append(outcome)
    ran = {query.fingerprint for query in whole} if run.outcome.agent_missing else set()
    return {d.action.id: why for d in in_force if (why := _why_not(run, d, told.get(d.action.id, ()), ran))}


def in_effect(run: Run) -> list[DecidedAction]:
    """What was in force and followed, as far as the run tells."""
    out = not_followed(run)
    return [d for d in run.decision.actions if d.standing in IN_FORCE and d.action.id not in out]


def _why_not(run: Run, decided: DecidedAction, told: Sequence[DirectiveOutcome], ran: Collection[str]) -> str:
    """`ran` are queries that came to their end though the agent did not load."""
    if told:
        return _words(told, run)
    return f"ignored in run {run.key}: {NOT_LOADED}" if decided.action.query in ran else ""


def _words(told: Sequence[DirectiveOutcome], run: Run) -> str:
    if any(outcome.status is DirectiveStatus.APPLIED for outcome in told):
        return ""
    first = told[0]
    reason = f": {first.reason}" if first.reason else ""
    return f"{first.status} in run {run.key}{reason}"
