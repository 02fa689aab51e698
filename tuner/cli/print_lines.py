"""Lines of text on the terminal."""

from __future__ import annotations

from collections.abc import Iterable

from rich.console import Console

from tuner.printable import printable


def print_lines(console: Console, lines: Iterable[str], limit: int | None = None) -> None:
    """Print each as one printable line of at most `limit` characters: what a log holds is no markup, and cannot steer the
    terminal."""
    for line in lines:
        console.print(printable(line, limit), markup=False, soft_wrap=True)
