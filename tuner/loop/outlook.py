"""What was decided for a cohort's next run when its latest one ended."""

from __future__ import annotations

from collections.abc import Sequence

from tuner.history.store import Store
from tuner.model.decision import Decision
from tuner.model.run import Run

# Runs whose outlook is looked for: those since may be running, or lost.
OUTLOOK_AMONG = 10


def outlook_of(store: Store, runs: Sequence[Run]) -> tuple[Decision, Run] | None:
    """What was decided for the next run when one of the newest of these (oldest first) ended, and that run; None where it is not
    known."""
    for run in reversed(runs[-OUTLOOK_AMONG:]):
        if (details := store.details(run.key)) is not None and details.outlook is not None:
            return details.outlook, run
    return None
