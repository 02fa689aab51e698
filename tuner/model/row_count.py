"""How many rows a part of a query put out."""

from __future__ import annotations

from typing import NamedTuple


class RowCount(NamedTuple):
    """`part` is a relation below or beside the joins, by its name and number, or a join by its signature and occurrence."""

    part: str
    rows: int
