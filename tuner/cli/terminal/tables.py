"""Tables that fit the terminal: text is folded, numbers never are, nothing is cut."""

from __future__ import annotations

from rich.table import Column, Table
from rich.text import Text

from tuner.printable import printable


def table(*columns: Column, title: str = "") -> Table:
    """A table without lines; `title` stands at its left."""
    return Table(*columns, title=Text(title) if title else None, title_justify="left", box=None)


def text_column(header: str) -> Column:
    return Column(header, overflow="fold")


def number_column(header: str) -> Column:
    return Column(header, justify="right", no_wrap=True)


def text_cell(text: str) -> Text:
    """What logs and people wrote: no markup, and nothing that a terminal acts on."""
    return Text(printable(text))
