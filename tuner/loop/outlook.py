"""What was decided for a cohort's next run when its latest one ended."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from itertools import islice

from tuner.history.store import Store
from tuner.model.decision import Decision
from tuner.model.reason import ReasonCode
from tuner.model.run import Run, RunDetails, RunState

# Runs that have ended whose outlook is looked for: those since may be lost.
OUTLOOK_AMONG = 10
# They are looked for among so many of the newest: instances of a mapped task run at once.
MOST_RUNNING = 200
# Why a run was not steered where there was nothing to decide on yet.
_NOTHING_KNOWN = frozenset({ReasonCode.FIRST_RUN, ReasonCode.NOTHING_HARVESTED})


def decided_last(runs: Sequence[Run], outlook: tuple[Decision, Run] | None) -> tuple[Decision, datetime]:
    """What was decided last of these runs (oldest first, one at least), and when.

    That is the `outlook` of one of them, or what steered a later one, if that began after others had ended that left no outlook:
    it knew of them. Where there is no outlook, what steered the newest.
    """
    if outlook is None:
        return runs[-1].decision, runs[-1].started_at
    decision, run = outlook
    later = [one for one in runs if one.started_at > run.started_at]
    first_end = min((one.ended_at for one in later if one.ended_at), default=None)
    knew = [one for one in later if first_end and one.started_at >= first_end and tells_standings(one)]
    return (knew[-1].decision, knew[-1].started_at) if knew else (decision, run.ended_at or run.started_at)


def tells_standings(run: Run) -> bool:
    """Whether what steered a run tells where changes stand: a retry, or a run that was not steered, is without some that the next
    run has all the same."""
    why = run.decision.unsteered
    return run.try_number == 1 and (why is None or why.code in _NOTHING_KNOWN)


def may_change(runs: Sequence[Run], made_at: datetime) -> bool:
    """Whether runs have ended since that may change what was decided then."""
    return any(run.ended_at and run.ended_at > made_at for run in runs)


def runs_to_look_at(store: Store, cohort: str) -> list[Run]:
    """A cohort's newest runs, in brief and oldest first, as far back as their outlooks are looked for."""
    newest_first = store.marks(cohort, MOST_RUNNING)[::-1]
    ended = (place for place, mark in enumerate(newest_first, 1) if mark.state != RunState.RUNNING)
    oldest = next(islice(ended, OUTLOOK_AMONG - 1, None), len(newest_first))
    return store.runs(cohort, oldest, brief=True)


def outlook_of(runs: Sequence[Run], details_of: Callable[[Run], RunDetails | None]) -> tuple[Decision, Run] | None:
    """What was decided for the next run when one of the newest of these (oldest first) ended, and that run; None where it is not
    known."""
    ended = (run for run in reversed(runs) if run.state is not RunState.RUNNING)
    for run in islice(ended, OUTLOOK_AMONG):
        if (details := details_of(run)) is not None and details.outlook is not None:
            return details.outlook, run
    return None
