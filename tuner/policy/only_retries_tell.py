"""Jobs whose first tries never get what they ask of others: only their retries can try anything."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tuner.model.run import Run, RunState, are_two_tries
from tuner.policy.decided_advice import RUNS_OF_LATE
from tuner.policy.suspects import was_refused
from tuner.policy.usable import usable


def only_retries_tell(runs: Sequence[Run], earlier_tries: Iterable[Run], key: str, try_number: int) -> bool:
    """Whether the run that `key` is a try of (its last part) was refused what it asked for in each try before, and of late no
    first try of the cohort's `runs`, oldest first, could be measured."""
    before = [run for run in (*runs, *earlier_tries) if are_two_tries(run.key, key)]
    if {run.try_number for run in before} != set(range(1, try_number)) or not all(map(was_refused, before)):
        return False
    first = [run for run in runs if run.try_number == 1 and run.state is not RunState.RUNNING][-RUNS_OF_LATE:]
    return len(first) == RUNS_OF_LATE and not any(map(usable, first))
