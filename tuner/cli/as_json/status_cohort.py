"""What `status COHORT --json` prints: its next run and its runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tuner.loop.decision_now import DecisionNow
from tuner.model.action import Action
from tuner.model.decision import DecidedChange
from tuner.model.run import Run
from tuner.words.actions import action_words
from tuner.words.decisions import decision_summary
from tuner.words.failures import failure_words
from tuner.words.literal_rungs import values_words
from tuner.words.query_names import NO_NAMES, QueryNames
from tuner.words.reasons import reason_words, why_words
from tuner.words.short_ids import short_id
from tuner.words.states import UNBORN


def next_json(coming: DecisionNow, names: QueryNames) -> dict[str, Any]:
    """What the next run will have, and what waits for a person; `may_change`: a run has ended since that was decided;
    `mode_is_known` not where a person gave the cohort back to its job's own mode, and no run has started since; `steering_off`:
    no mode changes anything."""
    decision = coming.decision
    return {
        "decision": decision_summary(decision),
        "state": decision.state,
        "mode": decision.mode,
        "mode_is_known": coming.mode_is_known,
        "steering_off": decision.steering_off,
        "objective": decision.objective,
        "may_change": coming.may_change,
        "actions": _actions_json(decision.changes, names),
        "sizes": [
            {"property": one.property, "value": one.value, "was": one.was or None, "reason": reason_words(one.why)}
            for one in decision.sizes
        ],
    }


def unborn_json(cohort: str, imported: Sequence[DecidedChange]) -> dict[str, Any]:
    """Of a cohort that has no run yet; the same fields as of others, null where only a run tells."""
    told = dict.fromkeys(("state", "mode", "objective"))
    coming = {
        "decision": UNBORN,
        **told,
        "mode_is_known": False,
        "steering_off": False,
        "may_change": False,
        "actions": _actions_json(imported, NO_NAMES),
        "sizes": [],
    }
    return {"cohort": cohort, "summary": None, "next": coming, "runs": []}


def run_json(run: Run, names: QueryNames, core_hour_price: float | None) -> dict[str, Any]:
    """A run with what steered it and what it measured."""
    outcome = run.outcome
    return {
        "key": run.key,
        "try_number": run.try_number,
        "state": run.state,
        "started_at": run.started_at,
        "ended_at": run.ended_at,
        "duration_ms": outcome.duration_ms if outcome else None,
        "allocated_core_hours": outcome.allocated_core_hours if outcome else None,
        "allocated_gib_hours": outcome.allocated_gib_hours if outcome else None,
        "cost": outcome.cost(core_hour_price) if outcome else None,
        "app_id": outcome.app_id if outcome else None,
        "failure": _failure_json(run, names),
        "decision": decision_summary(run.decision),
        "mode": run.decision.mode,
        "objective": run.decision.objective,
        "actions": _actions_json(run.decision.changes, names),
        "queries": [
            {
                "fingerprint": q.fingerprint,
                "name": names[q.fingerprint],
                "duration_ms": q.duration_ms,
                "status": q.status,
                "directives": [{"id": d.action_id, "status": d.status, "reason": d.reason} for d in q.directives],
            }
            for q in outcome.queries
        ]
        if outcome
        else [],
    }


def _failure_json(run: Run, names: QueryNames) -> dict[str, Any] | None:
    if (failure := run.failure) is None:
        return None
    return {
        "kind": failure.kind,
        "query": failure.query,
        "name": names[failure.query] if failure.query else None,
        "words": failure_words(failure, names),
    }


def _actions_json(changes: Sequence[DecidedChange], names: QueryNames) -> list[dict[str, Any]]:
    return [_action_json(decided, action, names) for decided in changes for action in decided.change.actions]


def _action_json(decided: DecidedChange, action: Action, names: QueryNames) -> dict[str, Any]:
    return {
        "id": action.id,
        "change": decided.id,
        "short_id": short_id(decided.id),
        "words": action_words(action, names),
        "standing": decided.standing,
        "reason": why_words(decided, names),
        "values": values_words(decided),
        "gained_seconds": decided.gained_seconds,
    }
