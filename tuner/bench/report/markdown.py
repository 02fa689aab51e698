"""Tables, lists and ratios as Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

Row = Sequence[str]


def md_table(heads: Row, rows: Iterable[Row]) -> str:
    """The first column reads from the left, the others from the right."""
    lines = [_row(heads), _row(["---", *["--:"] * (len(heads) - 1)]), *map(_row, rows)]
    return "\n".join(lines)


def md_list(items: Iterable[str]) -> str:
    return "\n".join(f"- {item}" for item in items) or "- none"


def times(ratio: float) -> str:
    return f"{ratio:.2f}x"


def _row(cells: Row) -> str:
    return f"| {' | '.join(cell.replace('|', '&#124;') for cell in cells)} |"
