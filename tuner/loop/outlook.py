"""What was decided for a cohort's next run when its latest one ended."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from tuner.history.store import Store
from tuner.model.decision import Decision
from tuner.model.run import Run

# Runs whose outlook is looked for: those since may be running, or lost.
OUTLOOK_AMONG = 10


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
    # A retry has no changes; what is decided for the next run is another thing.
    knew = [one for one in later if first_end and one.started_at >= first_end and one.try_number == 1]
    return (knew[-1].decision, knew[-1].started_at) if knew else (decision, run.ended_at or run.started_at)


def may_change(runs: Sequence[Run], made_at: datetime) -> bool:
    """Whether runs have ended since that may change what was decided then."""
    return any(run.ended_at and run.ended_at > made_at for run in runs)


def outlook_of(store: Store, runs: Sequence[Run]) -> tuple[Decision, Run] | None:
    """What was decided for the next run when one of the newest of these (oldest first) ended, and that run; None where it is not
    known."""
    for run in reversed(runs[-OUTLOOK_AMONG:]):
        if (details := store.details(run.key)) is not None and details.outlook is not None:
            return details.outlook, run
    return None
