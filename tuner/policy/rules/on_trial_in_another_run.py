"""One run at a time tries a change."""

from __future__ import annotations

from collections.abc import Sequence

from tuner.model.decision import DecidedChange, Standing
from tuner.model.reason import Reason, ReasonCode
from tuner.model.run import RunState
from tuner.policy.end_of_run import under_way
from tuner.policy.held_back import held_back
from tuner.policy.situation import Situation

# Of so many runs with a change nobody saw the end: it may be what ends them, and their workers.
MOST_UNSEEN = 2


def on_trial_in_another_run(situation: Situation, decided: Sequence[DecidedChange]) -> list[DecidedChange]:
    """Holds trials that a run has which may go on, or that several have which were not heard of since."""
    goes_on = under_way([run.mark for run in situation.runs], situation.now)
    unseen: dict[str, list[str]] = {}
    for run in situation.runs:
        for one in run.decision.in_force if run.state is RunState.RUNNING else ():
            unseen.setdefault(one.id, []).append(run.key)
    tried = {id_: keys[0] for id_, keys in unseen.items() if len(keys) >= MOST_UNSEEN or not goes_on.isdisjoint(keys)}
    return [
        held_back(d, Reason(ReasonCode.ON_TRIAL_IN_ANOTHER_RUN, {"run": tried[d.id]}))
        if d.standing is Standing.TRIAL and d.id in tried
        else d
        for d in decided
    ]
