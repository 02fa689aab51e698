"""The values that a query's conditions hold, as they are kept: digests, by the columns that they are asked of."""

from __future__ import annotations

from typing import NamedTuple


class FilterCondition(NamedTuple):
    """`columns` are `relation.column`, sorted, with "," between them; "" where it is on anything but columns that are read (a
    limit, an inline row, what is computed). `values` is a digest of the condition with its literals, which are never kept."""

    columns: str
    values: str


class QueryValues(NamedTuple):
    """`literals` is one id of all conditions, as before these were told apart; "" and None where they are not known."""

    literals: str = ""
    conditions: tuple[FilterCondition, ...] | None = None


UNKNOWN_VALUES = QueryValues()
