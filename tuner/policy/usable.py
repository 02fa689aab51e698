"""Which runs have times to be compared."""

from __future__ import annotations

from collections.abc import Sequence

from tuner.model.run import Outcome, Run, RunState


def usable(run: Run) -> bool:
    """Whether a run's times may be compared: it succeeded and its log is whole."""
    return run.state is RunState.SUCCEEDED and run.outcome is not None


def latest_usable(runs: Sequence[Run]) -> Run | None:
    """The latest of these runs, oldest first, whose times may be compared."""
    return next((run for run in reversed(runs) if usable(run)), None)


def latest_outcome(runs: Sequence[Run]) -> Outcome | None:
    """What that run measured."""
    latest = latest_usable(runs)
    return latest.outcome if latest else None
