"""The two runs of a cohort that are to be compared."""

from __future__ import annotations

from tuner.errors import TunerError
from tuner.model.run import Run
from tuner.panel.facts import CohortFacts
from tuner.words.states import PLANS_LET_GO

UNKNOWN_RUN = "no such run of this cohort, or none that was measured; list_runs has its runs"
NOT_MEASURED = "no run of this cohort has been measured yet; one is when its event log was read"
NONE_BEFORE = (
    "none of the newest runs before it succeeded and was measured; name the run to compare it with as `before`"
)


def two_runs(facts: CohortFacts, before: str, after: str) -> tuple[Run, Run]:
    """By key; "" is the newest measured run for `after`, and for `before` the newest before it that succeeded, of a mapped task
    the same instance's.

    Raises TunerError where there is no such run.
    """
    later = after or next((run.key for run in reversed(facts.runs) if run.outcome), "")
    if not later:
        raise TunerError(NOT_MEASURED)
    earlier = before or facts.key_before(later)
    if earlier is None:
        raise TunerError(NONE_BEFORE)
    return _measured(facts, earlier), _measured(facts, later)


def _measured(facts: CohortFacts, key: str) -> Run:
    if (run := facts.measured(key)) is None:
        raise TunerError(UNKNOWN_RUN)
    if facts.plans_let_go(key):
        raise TunerError(f"run {key} cannot be compared: {PLANS_LET_GO}; name another one")
    return run
