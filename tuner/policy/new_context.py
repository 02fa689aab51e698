"""The first run by another Spark or another cluster is observed: without it, nothing could be judged there."""

from __future__ import annotations

from tuner.model.decision import IN_FORCE, Standing
from tuner.model.run import Run
from tuner.policy.context import context_of
from tuner.policy.measure import usable
from tuner.policy.situation import Situation

# After so many runs in a context it is known, whatever was in force in them.
KNOWN_AFTER = 2


def new_context(situation: Situation) -> str:
    """What makes the context of the run to come a new one, in words; "" where it is not, or has been observed."""
    measured = [run for run in situation.runs if usable(run)]
    differences = {run.key: situation.context.difference(context_of(run.outcome)) for run in measured if run.outcome}
    alike = [run for run in measured if not differences[run.key]]
    if len(alike) >= KNOWN_AFTER or any(_is_observed(run) for run in alike):
        return ""
    return next((differences[run.key] for run in reversed(measured) if differences[run.key]), "")


def _is_observed(run: Run) -> bool:
    """Whether nothing was in force but what people pinned."""
    return all(d.standing is Standing.PINNED for d in run.decision.actions if d.standing in IN_FORCE)
