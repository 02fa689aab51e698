"""Which cohorts a name or a pattern asks for: one rule, wherever one can be given."""

from __future__ import annotations

from collections.abc import Container, Iterable
from fnmatch import fnmatchcase

from tuner.printable import identifier, listed

ALL = "*"


def is_asked(cohort: str, asked: str, known: Container[str]) -> bool:
    """Whether a cohort is asked for: where one of those known has the very name, that one alone, else each that matches.

    * stands for any text, ? for one character; brackets, which names of jobs hold, for themselves. ALL is always all. More that
    are known never make one asked for that was not.
    """
    if asked in known and asked != ALL:
        return cohort == asked
    return fnmatchcase(cohort, asked.replace("[", "[[]"))


def none_asked(asked: str, known: Iterable[str]) -> str:
    """What is told where none of those known is asked for."""
    return (
        f"no cohort matches {asked!r}; there are: {listed(map(identifier, sorted(known)))}; "
        "give such a name, or a pattern: * stands for any text, ? for one character"
    )
