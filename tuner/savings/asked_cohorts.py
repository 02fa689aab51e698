"""The cohorts that a pattern asks for."""

from __future__ import annotations

from fnmatch import fnmatchcase


def is_asked(cohort: str, pattern: str) -> bool:
    """Whether a name matches: * stands for any text, ? for one character; brackets, which names of jobs hold, for themselves."""
    return fnmatchcase(cohort, pattern.replace("[", "[[]"))
