"""Lines of text on the terminal."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from tuner.cli.terminal.console import MOST_COLUMNS
from tuner.printable import printable, visible

_HANGING = 2
# A number and its unit stay on one line.
_UNIT = re.compile(r"(?<=\d) (?=(?:s|ms|min|h|B|kB|MB|GB|TB|rows)\b)")
_UNBROKEN = "\ue000"


def print_lines(console: Console, lines: Iterable[str], limit: int | None = None) -> None:
    """Print each as a printable line of at most `limit` characters: what a log holds is no markup, and cannot steer the terminal.

    What is wider than the console is folded, and goes on behind the line's own indent.
    """
    for line in lines:
        for row in folded(console, visible(line, limit)):
            console.print(row, markup=False, soft_wrap=True)


def print_to_copy(console: Console, lines: Iterable[str]) -> None:
    """Print each as one printable line, however long: a command, an address, a statement."""
    for line in lines:
        console.print(printable(line), markup=False, soft_wrap=True)


def folded(console: Console, line: str) -> Iterator[str]:
    """A printable line as rows that fit the console; each but the first goes on behind the line's own indent."""
    columns = min(console.width, MOST_COLUMNS)
    if cell_len(line) <= columns:
        yield line
        return
    text = line.lstrip(" ")
    indent = " " * min(len(line) - len(text), columns // 2)
    rows = Text(_UNIT.sub(_UNBROKEN, text)).wrap(console, max(1, columns - len(indent) - _HANGING), overflow="fold")
    for number, row in enumerate(rows):
        yield f"{indent}{' ' * _HANGING if number else ''}{row.plain.rstrip().replace(_UNBROKEN, ' ')}"
