"""Where commands print what people read."""

from __future__ import annotations

import os

from rich.console import Console

# Text is no wider: it is read in mails and tickets, too.
MOST_COLUMNS = 100


def console(*, stderr: bool = False) -> Console:
    """As wide as the terminal; where the output is none, as COLUMNS says, else MOST_COLUMNS.

    `x:id:y` is no picture: SQL has such.
    """
    found = Console(stderr=stderr, highlight=False, emoji=False)
    if found.is_terminal or os.environ.get("COLUMNS", "").isdigit():
        return found
    return Console(stderr=stderr, highlight=False, emoji=False, width=MOST_COLUMNS)
