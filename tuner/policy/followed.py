"""Which of a run's directives its plans followed: the others were not in force, whatever was decided."""

from __future__ import annotations

from collections.abc import Sequence

from tuner.advice.model import ActionKind
from tuner.eventlog.steering import NOT_LOADED, DirectiveStatus
from tuner.history.model import IN_FORCE, DecidedAction, Run
from tuner.plan.model import DirectiveOutcome, QueryStatus

_BY_AGENT = frozenset({ActionKind.HINT_JOIN, ActionKind.ORDER_JOINS})


def not_followed(run: Run) -> dict[str, str]:
    """Of what was in force, by action id, why it was not followed: where its queries came to their end without it.

    Of several executions of a query one that followed is enough.
    """
    in_force = [d for d in run.decision.actions if d.standing in IN_FORCE and d.action.kind in _BY_AGENT]
    return {d.action.id: why for d in in_force if (why := _why_not(run, d))} if run.outcome else {}


def in_effect(run: Run) -> list[DecidedAction]:
    """What was in force and followed, as far as the run tells."""
    out = not_followed(run)
    return [d for d in run.decision.actions if d.standing in IN_FORCE and d.action.id not in out]


def _why_not(run: Run, decided: DecidedAction) -> str:
    outcome = run.outcome
    whole = [q for q in outcome.queries if q.status is QueryStatus.SUCCEEDED] if outcome else []
    told = [d for query in whole for d in query.directives if d.action_id == decided.action.id]
    if told:
        return _words(told, run)
    ran = any(query.fingerprint == decided.action.query for query in whole)
    if ran and outcome is not None and outcome.agent_missing:
        return f"ignored in run {run.key}: {NOT_LOADED}"
    return ""


def _words(told: Sequence[DirectiveOutcome], run: Run) -> str:
    if any(outcome.status is DirectiveStatus.APPLIED for outcome in told):
        return ""
    first = told[0]
    reason = f": {first.reason}" if first.reason else ""
    return f"{first.status} in run {run.key}{reason}"
