"""A cohort's name on the command line: exit code 2, and one clear line, for what none can be called."""

from __future__ import annotations

import typer

from tuner.history.cohort_name import LONGEST_KNOWN, MOST_CHARACTERS, flaw


def new_name(name: str) -> str:
    """Callback of options that may name a new cohort; "" is one that is not given."""
    return _checked(name, MOST_CHARACTERS) if name else name


def known_name(name: str | None) -> str | None:
    """Callback of what names a cohort of the store."""
    return None if name is None else _checked(name, LONGEST_KNOWN)


def _checked(name: str, most: int) -> str:
    if why := flaw(name, most):
        raise typer.BadParameter(f"this cannot name a cohort: {why}")
    return name
