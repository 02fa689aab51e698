"""A cohort's name on the command line: exit code 2, and one clear line, for what none can be called."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from tuner.errors import TunerError
from tuner.history.cohort_name import LONGEST_KNOWN, MOST_CHARACTERS, flaw

if TYPE_CHECKING:
    from tuner.history.store import Store
    from tuner.model.run import Run


def new_name(name: str) -> str:
    """Callback of options that may name a new cohort; "" is one that is not given."""
    return _checked(name, MOST_CHARACTERS) if name else name


def given_name(name: str | None) -> str | None:
    """Callback of options that may name a new cohort, None where they are left out: a name that is given is not blank."""
    return None if name is None else _checked(name, MOST_CHARACTERS)


def known_name(name: str | None) -> str | None:
    """Callback of what names a cohort of the store."""
    return None if name is None else _checked(name, LONGEST_KNOWN)


# What tuner.history.asked_cohorts does, in words.
ASKED = "Only the cohort of this name; where there is none, those that match: * is any text, ? one character."
CohortGlob = Annotated[str, typer.Option("--cohort", metavar="GLOB", help=ASKED)]
Cohort = Annotated[str, typer.Argument(callback=known_name, help="The cohort, as `spark-tuner status` lists it.")]


def known_runs(store: Store, cohort: str, most: int | None = None) -> list[Run]:
    """A cohort's newest runs, oldest first. Raises TunerError where the store has none, or none of these can be read."""
    require_known(store, cohort)
    return readable(store.runs(cohort) if most is None else store.runs(cohort, most), cohort)


def readable(runs: list[Run], cohort: str) -> list[Run]:
    """The newest runs of a cohort that has some. Raises TunerError for none: the store leaves out what it cannot read."""
    if not runs:
        raise TunerError(
            f"the newest runs of cohort {cohort!r} cannot be read; another version stored them, or they are damaged: see what "
            "is said of each, and use the newest version that its jobs have"
        )
    return runs


def only_imported(store: Store, cohort: str) -> bool:
    """Whether something was imported for a cohort that has not run yet."""
    return not store.count(cohort) and bool(store.imports(cohort))


def runs_if_known(store: Store, cohort: str, most: int | None = None) -> list[Run]:
    """As `known_runs`, but none of a cohort that was imported alone."""
    return [] if only_imported(store, cohort) else known_runs(store, cohort, most)


def require_known(store: Store, cohort: str) -> None:
    """Raises TunerError where the store has no run of a cohort."""
    if not store.count(cohort):
        raise TunerError(
            f"no run of cohort {cohort!r} in the store {store.place}; `spark-tuner status` lists its cohorts"
        )


def _checked(name: str, most: int) -> str:
    if why := flaw(name, most):
        raise typer.BadParameter(f"this cannot name a cohort: {why}")
    return name
