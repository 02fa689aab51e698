"""The values that a query's conditions hold, as they are kept: digests, by the columns that they are asked of."""

from __future__ import annotations

from typing import NamedTuple

# Before the digest that stands for columns which no relation has.
COMPUTED = "computed:"


class FilterCondition(NamedTuple):
    """`columns` are `relation.column`, sorted, with "," between them; `computed:` and a digest of the names where one is
    computed, or of rows in the query's text, for such a name may be made of a value; "" where it is on none (a limit). `values`
    is a digest of the condition with its literals, which are never kept."""

    columns: str
    values: str

    @property
    def read_columns(self) -> str:
        """Its columns where relations have all of them, else ""."""
        return "" if is_computed(self.columns) else self.columns


def is_computed(columns: str) -> bool:
    """Of the `columns` of a condition, whether no relation has all of them."""
    return columns.startswith(COMPUTED)


class QueryValues(NamedTuple):
    """`literals` is one id of all conditions, as before these were told apart; "" and None where they are not known."""

    literals: str = ""
    conditions: tuple[FilterCondition, ...] | None = None


UNKNOWN_VALUES = QueryValues()
