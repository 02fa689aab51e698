"""Rows of the catalogue that come together: all of its start, a night's new titles, late rows of titles that are there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Batch:
    """`titles` of them, and the rows of tables that are parts of titles.

    `after` is the highest id that each table has before; ids go on from there. `name` goes into every draw, so that another
    batch draws otherwise; that of the start is "". `share` is that of the usual rows for each title. `drawn` is the SQL of
    columns of titles that are drawn otherwise, by name.
    """

    titles: int
    after: Mapping[str, int] = field(default_factory=dict)
    name: str = ""
    share: float = 1.0
    drawn: Mapping[str, str] = field(default_factory=dict)

    def first(self, table: str) -> int:
        """The first id of a table's new rows."""
        return self.after.get(table, 0) + 1
