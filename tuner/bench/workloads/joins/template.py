"""A query without its literals, as data."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Shape(Enum):
    """How a filter compares a column with what a row of the join has in it."""

    EQUAL = "= value"
    ONE_OF = "IN (value and others of the column)"
    AT_LEAST = ">= something below value"
    AT_MOST = "<= something above value"
    AROUND = "BETWEEN something below and something above value"
    CONTAINS = "LIKE '%a word of value%'"
    STARTS = "LIKE 'the first letters of value%'"
    PRESENT = "IS NULL or IS NOT NULL, as value is"


@dataclass(frozen=True, slots=True)
class Filter:
    """A filter on a column of the relation with that alias. `spread`: how far a range may reach beyond the value."""

    alias: str
    column: str
    shape: Shape
    spread: int = 0


@dataclass(frozen=True, slots=True)
class Template:
    """A tree of joins from the table title: each path names the tables along it, paths that begin alike share these.

    `least` are the columns whose least value is selected, as `alias.column`; `variants` the number of queries made of it.
    """

    number: int
    variants: int
    paths: tuple[str, ...]
    filters: tuple[Filter, ...]
    least: tuple[str, ...]
