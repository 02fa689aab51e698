"""A table as data: how many rows it has, and how each column is drawn."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Column:
    """A column and the SQL that draws it, over `id`, the columns before it, and those of the table it is a part of.

    `references` names the table whose `id` it holds. A name that begins with "_" is of use for other columns, and not written.
    """

    name: str
    drawn: str
    references: str = ""

    @property
    def written(self) -> bool:
        return not self.name.startswith("_")


@dataclass(frozen=True, slots=True)
class Table:
    """A table with an `id` and columns. `alias` is what queries call it.

    Its rows are the `listed` ones; or `rows` at scale factor 1; or of each row of the table `part_of` as many as `fan_out` says,
    in SQL over the columns of that row (their mean: the fraction is drawn). A part's column `<part_of>_id` leads to the whole,
    and it sees the whole's other columns as `<part_of>_<name>`.
    """

    name: str
    alias: str
    columns: tuple[Column, ...]
    listed: tuple[tuple[str | int, ...], ...] = ()
    rows: int = 0
    part_of: str = ""
    fan_out: str = ""

    @property
    def written(self) -> tuple[str, ...]:
        """Names of the columns that queries see."""
        whole = (f"{self.part_of}_id",) if self.part_of else ()
        return ("id", *whole, *(column.name for column in self.columns if column.written))

    @property
    def references(self) -> tuple[tuple[str, str], ...]:
        """Foreign keys, with the table that each leads to."""
        whole = ((f"{self.part_of}_id", self.part_of),) if self.part_of else ()
        return (*whole, *((column.name, column.references) for column in self.columns if column.references))
