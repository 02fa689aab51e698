"""Where commands print what people read."""

from __future__ import annotations

import os
import shutil

from rich.console import Console

# Text is no wider: it is read in mails and tickets, too.
MOST_COLUMNS = 100


def console(*, stderr: bool = False) -> Console:
    """As wide as COLUMNS says; where it says nothing, as the terminal, else MOST_COLUMNS.

    `x:id:y` is no picture: SQL has such.
    """
    said = _columns_said()
    found = Console(stderr=stderr, highlight=False, emoji=False, width=said or MOST_COLUMNS)
    if said or not found.is_terminal:
        return found
    # Rich believes in COLUMNS of 0, too.
    width = shutil.get_terminal_size().columns if "COLUMNS" in os.environ else None
    return Console(stderr=stderr, highlight=False, emoji=False, width=width)


def _columns_said() -> int:
    """0 where COLUMNS says nothing that can be meant."""
    text = os.environ.get("COLUMNS", "")
    return int(text) if text.isascii() and text.isdigit() else 0
