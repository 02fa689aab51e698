"""A run as history has it: what of the decision for it did come to be, by its log."""

from __future__ import annotations

from dataclasses import replace

from tuner.model.action import ActionKind
from tuner.model.decision import IN_FORCE, DecidedAction, Decision, Standing
from tuner.model.run import Run
from tuner.replay.cohort_replay import LoggedRun
from tuner.replay.has_action import has_action


def run_in_effect(decision: Decision, logged: LoggedRun) -> Run:
    """In force is only what the log shows that the tuner put there.

    Of a run that the tuner steered, what was to be in force and was not is left out, as it is where a live run cannot
    carry something out. A run that it did not steer had nothing in force: all is proposed.
    """
    if logged.steered:
        kept = [d for d in decision.actions if d.standing not in IN_FORCE or _carried_out(d, logged)]
        ran = decision if len(kept) == len(decision.actions) else Decision.of(decision.mode, kept)
    else:
        ran = replace(decision, actions=tuple(map(_proposed, decision.actions)))
    return Run(
        key=logged.key,
        cohort=logged.cohort,
        try_number=logged.try_number,
        started_at=logged.started_at,
        state=logged.state,
        decision=ran,
        event_log_dir=logged.log,
        ended_at=logged.ended_at,
        outcome=logged.outcome,
        origin=logged.origin,
    )


def _carried_out(decided: DecidedAction, logged: LoggedRun) -> bool:
    """The agent's directives are named in the log; a hint in the text of a SQL job only shows in its plan."""
    action = decided.action
    if action.kind is ActionKind.SET_CONF:
        return logged.outcome.conf.get(action.target) == action.value
    if logged.directed:
        return action.id in logged.directed
    return has_action(logged.outcome, action)


def _proposed(decided: DecidedAction) -> DecidedAction:
    return replace(decided, standing=Standing.PROPOSED) if decided.standing in IN_FORCE else decided
