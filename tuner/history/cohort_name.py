"""What a cohort may be called: checked where a name comes in, for it is shown, logged, and part of directories' names."""

from __future__ import annotations

import re

from tuner.printable import identifier, printable

MOST_CHARACTERS = 250
# Airflow's own: a dag_id and a task_id of up to 250 characters each.
LONGEST_KNOWN = 2 * MOST_CHARACTERS + 1

# PostgreSQL takes no NUL, and no database a half of a surrogate pair.
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


def flaw(name: str, most: int = MOST_CHARACTERS) -> str:
    """Why this cannot be the name of a cohort, in words without the name; "" where it can."""
    if not name.strip():
        return "it is blank"
    if len(name) > most:
        return f"it has {len(name)} characters, more than {most}"
    if printable(name) != name:
        return "it has characters that cannot be printed"
    return ""


def made_safe(name: str, most: int = MOST_CHARACTERS) -> str:
    """A name without a flaw for one that may have some, the same each time; "" for a blank one.

    Names that become alike in print are one cohort.
    """
    return identifier(name, most) if printable(name).strip() else ""


def is_storable(text: str) -> bool:
    """Whether databases take a text, so that it can be asked for."""
    return not _UNSTORABLE.search(text)
