"""The two runs of a cohort that are to be compared."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile

from tuner.errors import TunerError
from tuner.model.run import Run, RunState
from tuner.panel.facts import CohortFacts
from tuner.words.states import PLANS_LET_GO

UNKNOWN_RUN = "no such run of this cohort, or none that was measured; list_runs has its runs"
NOT_MEASURED = "no run of this cohort has been measured yet; one is when its event log was read"
NONE_BEFORE = (
    "none of the newest runs before it succeeded and was measured; name the run to compare it with as `before`"
)


def two_runs(facts: CohortFacts, before: str, after: str) -> tuple[Run, Run]:
    """By key; "" is the newest measured run for `after`, and the newest before it that succeeded for `before`.

    Raises TunerError where there is no such run.
    """
    later = after or next((run.key for run in reversed(facts.runs) if run.outcome), "")
    if not later:
        raise TunerError(NOT_MEASURED)
    return _measured(facts, before or _key_before(facts.runs, later)), _measured(facts, later)


def _key_before(runs: Sequence[Run], key: str) -> str:
    earlier = list(takewhile(lambda run: run.key != key, runs))
    succeeded = (run.key for run in reversed(earlier) if run.outcome and run.state is RunState.SUCCEEDED)
    found = next(succeeded, "") if len(earlier) < len(runs) else ""
    if not found:
        raise TunerError(NONE_BEFORE)
    return found


def _measured(facts: CohortFacts, key: str) -> Run:
    if (run := facts.measured(key)) is None:
        raise TunerError(UNKNOWN_RUN)
    if facts.plans_let_go(key):
        raise TunerError(f"run {key} cannot be compared: {PLANS_LET_GO}; name another one")
    return run
