"""States of cohorts and of runs, in words: the panel has the same."""

from __future__ import annotations

from tuner.model.decision import CohortState
from tuner.model.run import RunState

# Of a run of which its times are left.
PLANS_LET_GO = "its plans were let go (spark-tuner db prune)"
# Of a cohort that something was imported for.
UNBORN = "waits for its first run, which is observed"
_RUN_STATES = {RunState.PARTIAL: "partial log", RunState.LOST: "no log"}
_SEEN_TO_SUCCEED = "ended, log not read yet"


def cohort_state_words(state: CohortState) -> str:
    """As people read it."""
    return state.value.replace("_", " ")


def run_state_words(state: RunState, *, has_ended: bool = False) -> str:
    """How a run ended, or that it has not; where its log does not tell, what is with that. Of one that is running, whether it
    `has_ended` as its task saw."""
    if state is RunState.RUNNING and has_ended:
        return _SEEN_TO_SUCCEED
    return _RUN_STATES.get(state, state.value)
