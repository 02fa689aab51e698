"""A run of the demo that left nothing to look at ends it: those after it would not, either."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tuner.demo.table import rows
from tuner.errors import TunerError
from tuner.model.run import Run, RunState
from tuner.words.decisions import decision_summary
from tuner.words.states import run_state_words


def require_measured(runs: Sequence[Run], number: int, log: Path) -> None:
    """TunerError where the newest of the stored runs, oldest first, is not run `number`, or has ended without a query measured.
    One that is not harvested yet will be before the next is decided."""
    if len(runs) < number:
        raise TunerError(f"run {number} was not stored in the history; see {log}")
    newest = runs[-1]
    if newest.state is not RunState.RUNNING and not rows([newest])[0].seconds:
        why = f"{run_state_words(newest.state)}; its decision: {decision_summary(newest.decision)}"
        raise TunerError(f"run {number} could not be measured: {why}; see {log}")
