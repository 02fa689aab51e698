"""One run at a time tries a change."""

from __future__ import annotations

from collections.abc import Sequence

from tuner.model.decision import DecidedChange, Standing
from tuner.model.reason import Reason, ReasonCode
from tuner.model.run import RunState
from tuner.policy.held_back import held_back
from tuner.policy.situation import Situation


def on_trial_in_another_run(situation: Situation, decided: Sequence[DecidedChange]) -> list[DecidedChange]:
    """Holds trials that a run has which has not ended, or was not heard of since."""
    running = [run for run in situation.runs if run.state is RunState.RUNNING]
    tried: dict[str, str] = {}
    for run in running:
        for one in run.decision.in_force:
            tried.setdefault(one.id, run.key)
    return [
        held_back(d, Reason(ReasonCode.ON_TRIAL_IN_ANOTHER_RUN, {"run": tried[d.id]}))
        if d.standing is Standing.TRIAL and d.id in tried
        else d
        for d in decided
    ]
