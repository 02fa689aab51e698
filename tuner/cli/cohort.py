"""A cohort's name on the command line: exit code 2, and one clear line, for what none can be called."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import typer

from tuner.errors import TunerError
from tuner.history.cohort_name import LONGEST_KNOWN, MOST_CHARACTERS, flaw

if TYPE_CHECKING:
    from tuner.history.store import Store
    from tuner.model.decision import Decision
    from tuner.model.run import Run

# Runs whose outlook is looked for: those since may be running, or lost.
_DETAILS_AMONG = 10


def new_name(name: str) -> str:
    """Callback of options that may name a new cohort; "" is one that is not given."""
    return _checked(name, MOST_CHARACTERS) if name else name


def known_name(name: str | None) -> str | None:
    """Callback of what names a cohort of the store."""
    return None if name is None else _checked(name, LONGEST_KNOWN)


def known_runs(store: Store, cohort: str, most: int | None = None) -> list[Run]:
    """A cohort's newest runs, oldest first. Raises TunerError where the store has none."""
    require_known(store, cohort)
    return store.runs(cohort) if most is None else store.runs(cohort, most)


def outlook_of(store: Store, runs: Sequence[Run]) -> tuple[Decision, Run] | None:
    """What was decided for the next run when one of the newest of these (oldest first) ended, and that run; None where it is not
    known."""
    for run in reversed(runs[-_DETAILS_AMONG:]):
        if (details := store.details(run.key)) is not None and details.outlook is not None:
            return details.outlook, run
    return None


def require_known(store: Store, cohort: str) -> None:
    """Raises TunerError where the store has no run of a cohort."""
    if not store.count(cohort):
        raise TunerError(f"no run of cohort {cohort!r} in the store; `spark-tuner status` lists the cohorts")


def _checked(name: str, most: int) -> str:
    if why := flaw(name, most):
        raise typer.BadParameter(f"this cannot name a cohort: {why}")
    return name
