"""Tables that fit the terminal: text is folded, numbers never are, nothing is cut."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.measure import Measurement
from rich.table import Column, Table
from rich.text import Text

from tuner.cli.terminal.print_lines import folded
from tuner.printable import visible

# Text that is folded into less is no longer read.
_LEAST_TEXT = 8
# White space on both sides of a cell.
_PADDING = 2
_ANY_WIDTH = 10_000


class FittingTable(Table):
    """A table where its columns have room, else a line for each cell: `column: value`."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        if sum(_least_width(column, console, options) for column in self.columns) <= options.max_width:
            yield from super().__rich_console__(console, options)
            return
        for line in self._lines():
            yield from map(Text, folded(console, line))

    def _lines(self) -> Iterator[str]:
        if self.title:
            yield _plain(self.title)
        heads = [_plain(column.header) for column in self.columns]
        for row in zip(*(column.cells for column in self.columns), strict=True):
            cells = [(head, text) for head, cell in zip(heads, row, strict=True) if (text := _plain(cell))]
            yield from (f"{'  ' if number else ''}{head}: {text}" for number, (head, text) in enumerate(cells))


def table(*columns: Column, title: str = "") -> Table:
    """A table without lines; `title` stands at its left."""
    return FittingTable(*columns, title=Text(title) if title else None, title_justify="left", box=None)


def text_column(header: str) -> Column:
    return Column(header, overflow="fold")


def number_column(header: str) -> Column:
    return Column(header, justify="right", no_wrap=True)


def text_cell(text: str) -> Text:
    """What logs and people wrote: no markup, nothing that a terminal acts on, nothing hidden."""
    return Text(visible(text))


def _least_width(column: Column, console: Console, options: ConsoleOptions) -> int:
    """A column of numbers has them whole."""
    cells = (column.header, *column.cells)
    widest = max(Measurement.get(console, options.update(max_width=_ANY_WIDTH), cell).maximum for cell in cells)
    return _PADDING + (widest if column.no_wrap else min(widest, _LEAST_TEXT))


def _plain(cell: RenderableType) -> str:
    """On one line."""
    text = cell.plain if isinstance(cell, Text) else str(cell)
    return text.replace("-\n", "-").replace("\n", " ").strip()
