"""How many rows a part of a query put out."""

from __future__ import annotations

from typing import NamedTuple

# Before a relation beside the joins, and before a side of a join.
BESIDE, SIDE = "beside:", "side:"


class RowCount(NamedTuple):
    """`part` is a relation below the joins, by its name and number, or beside them (`beside:`), a join by its signature and
    occurrence, or a side of it (`side:`)."""

    part: str
    rows: int

    @property
    def relation(self) -> str:
        """Its name; "" of a join, or a side of it."""
        return self.part.rpartition("#")[0].removeprefix(BESIDE)

    @property
    def is_aside(self) -> bool:
        """Whether it tells of the values that may move it alone: sizes of a night move it, too, whatever a query asks."""
        return self.part.startswith((BESIDE, SIDE))
