"""Failed runs of a change with which a job failed, without it succeeded, and with it failed again: it takes all three to tell."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

from tuner.model.decision import DecidedChange, Standing
from tuner.model.reason import ReasonCode
from tuner.model.run import Run, RunState
from tuner.policy.changes_in_effect import changes_in_effect
from tuner.policy.failed_run import FailedRun, Making


def failed_twice(runs: Sequence[Run]) -> dict[str, set[str]]:
    """By the key of a failed run, the ids of changes that decisions since had taken out for that: of the run that showed it, and
    of the one before that, which made them suspect. `runs` are oldest first."""
    places = {run.key: place for place, run in enumerate(runs)}
    told = {(d.id, str(d.why.numbers.get("run"))) for run in runs for d in run.decision.changes if _is_out_for_it(d)}
    found: dict[str, set[str]] = {}
    for id_, key in told:
        for place in _failed_for(runs, places[key], id_) if key in places else ():
            found.setdefault(runs[place].key, set()).add(id_)
    return found


def _failed_for(runs: Sequence[Run], shown: int, id_: str) -> list[int]:
    """The places of both failed runs; none where the job has failed in the same way without the change since."""
    again = _failed_with(runs, shown, id_)
    if again is None or again[0].failed_without(again[1]):
        return []
    earlier = (place for place in range(shown - 1, -1, -1) if _succeeded_without(_failed_with(runs, place, id_)))
    return [shown, *islice(earlier, 1)]


def _is_out_for_it(decided: DecidedChange) -> bool:
    is_failure = decided.standing is Standing.ROLLED_BACK and decided.why.code is ReasonCode.RUN_FAILED
    return is_failure and decided.why.numbers.get("making") == Making.FAILED_TWICE


def _failed_with(runs: Sequence[Run], place: int, id_: str) -> tuple[FailedRun, DecidedChange] | None:
    """A run that failed with a change in effect; None where it did not."""
    run = runs[place]
    if run.state is not RunState.FAILED:
        return None
    had = next((decided for decided in changes_in_effect(run) if decided.id == id_), None)
    return (FailedRun(run, runs[:place], runs[place + 1 :]), had) if had else None


def _succeeded_without(failed: tuple[FailedRun, DecidedChange] | None) -> bool:
    return failed is not None and failed[0].succeeded_without(failed[1])
