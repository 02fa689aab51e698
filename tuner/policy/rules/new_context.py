"""The first run by another Spark or another cluster is observed: without it, nothing could be judged there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tuner.model.decision import DecidedChange, Standing
from tuner.model.reason import Reason, ReasonCode
from tuner.model.run import Run
from tuner.policy.context import context_of
from tuner.policy.held_back import held_back
from tuner.policy.situation import Situation
from tuner.policy.usable import usable

# After so many runs in a context it is known, whatever was in force in them.
KNOWN_AFTER = 2


def new_context(situation: Situation, decided: Sequence[DecidedChange]) -> list[DecidedChange]:
    """Holds everything, where the context of the run to come is a new one that has not been observed."""
    difference = context_difference(situation)
    if not difference:
        return list(decided)
    why = Reason(ReasonCode.NEW_CONTEXT, {"difference": difference})
    return [held_back(d, why) for d in decided]


def context_difference(situation: Situation) -> str:
    """What makes the context of the run to come a new one, in words; "" where it is not, or has been observed."""
    measured = [run for run in situation.runs if usable(run)]
    context = situation.context
    contexts = {
        run.key: replace(context_of(run.outcome, run.decision.cuts), runtime=run.decision.runtime)
        for run in measured
        if run.outcome
    }
    differences = {key: context.difference(before) for key, before in contexts.items()}
    # A run whose submission told nothing may have been by any, unless none has told anything yet.
    runtime = context.runtime if any(run.decision.runtime for run in measured) else ""
    alike = [run for run in measured if not differences[run.key] and runtime in ("", run.decision.runtime)]
    if len(alike) >= KNOWN_AFTER or any(_is_observed(run) for run in alike):
        return ""
    return next((differences[run.key] for run in reversed(measured) if differences[run.key]), "")


def _is_observed(run: Run) -> bool:
    """Whether nothing was in force but what people pinned."""
    return all(d.standing is Standing.PINNED for d in run.decision.in_force)
