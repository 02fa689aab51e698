"""One run at a time tries a change."""

from __future__ import annotations

from collections.abc import Sequence

from tuner.model.decision import DecidedChange, Standing
from tuner.model.reason import Reason, ReasonCode
from tuner.policy.held_back import held_back
from tuner.policy.situation import Situation
from tuner.policy.unseen_ends import in_runs_not_ended


def on_trial_in_another_run(situation: Situation, decided: Sequence[DecidedChange]) -> list[DecidedChange]:
    """Holds trials that a run has which may go on, or that several have which were not heard of since."""
    tried = in_runs_not_ended(situation.runs, situation.now, lambda run: (one.id for one in run.decision.in_force))
    return [
        held_back(d, Reason(ReasonCode.ON_TRIAL_IN_ANOTHER_RUN, {"run": tried[d.id]}))
        if d.standing is Standing.TRIAL and d.id in tried
        else d
        for d in decided
    ]
