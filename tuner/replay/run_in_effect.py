"""A run as history has it: what of the decision for it did come to be, by its log."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from tuner.history.blocks_as_written import with_blocks_as_written
from tuner.model.decision import DecidedChange, Decision, Standing
from tuner.model.run import Outcome, Run
from tuner.replay.cohort_replay import LoggedRun
from tuner.replay.has_action import has_action


def after(logged: LoggedRun, past: Iterable[Run]) -> LoggedRun:
    """A run with what those before it, oldest first, tell of its plans."""

    def known() -> list[Outcome]:
        return [run.outcome for run in past if run.outcome]

    return replace(logged, outcome=with_blocks_as_written(logged.outcome, known))


def run_in_effect(decision: Decision, logged: LoggedRun) -> Run:
    """In force is only what the log shows that the tuner put there.

    Of a run that the tuner steered, what was to be in force and was not is left out, as it is where a live run cannot
    carry something out. A run that it did not steer had nothing in force: all is proposed.
    """
    if logged.steered:
        kept = tuple(d for d in decision.changes if not d.is_in_force or _carried_out(d, logged))
        ran = replace(decision, changes=kept)
    else:
        ran = replace(decision, changes=tuple(map(_proposed, decision.changes)))
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


def _carried_out(decided: DecidedChange, logged: LoggedRun) -> bool:
    """The agent's directives are named in the log; a hint in the text of a SQL job only shows in its plan."""
    if not decided.change.is_on_joins:
        return all(logged.outcome.conf.get(action.target) == action.value for action in decided.change.carried_out)
    if logged.directed:
        return decided.id in logged.directed
    return all(has_action(logged.outcome, action) for action in decided.change.actions)


def _proposed(decided: DecidedChange) -> DecidedChange:
    return replace(decided, standing=Standing.PROPOSED) if decided.is_in_force else decided
