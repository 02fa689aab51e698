"""What join graphs are made of: relations, predicates, and what each set of relations was measured to give."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from tuner.model.strategy import BuildSide, Strategy


class Joined(NamedTuple):
    """A join of two orders."""

    left: Order
    right: Order


# A column of the predicates: the relations that make it, and its name.
Column = tuple[int, str]
# An order of relations: one of them by its number, or a join of two orders.
Order = int | Joined


class RelationKind(StrEnum):
    """What an item of a block is: only a scan is a table; the others are joined as they come."""

    SCAN = "scan"
    AGGREGATE = "aggregate"
    JOIN = "join"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class GraphRelation:
    """An item of a block, after its filters and projections.

    `label` tells it apart from the block's others in every run and order; items that only their literals tell apart
    share one. `relations` are the tables below. `row_bytes` are those of a row in memory: measured where an exchange
    counted them, else by the types of the columns. `scanned_rows` are those of a scan before its filters.
    `runtime_filtered` says that a semi-join with other relations has already left rows out (dynamic pruning, bloom
    filters). `leaf_bytes` are as `JoinSide` has them, of this reading of the tables: another in the same query may have others.

    `identity` tells it apart from what puts out other rows or columns in this run, by its literals too; it may be the
    same for several. `partitioned` holds the columns, by the names that predicates have, on any of which its rows come
    hashed already (on none where all are in one partition), `sorted` those that each of its partitions is sorted by.
    """

    label: str
    relations: tuple[str, ...]
    kind: RelationKind
    rows: int | None = None
    row_bytes: float = 0
    scanned_rows: int | None = None
    file_bytes: int | None = None
    runtime_filtered: bool = False
    identity: str = ""
    partitioned: tuple[tuple[str, ...], ...] = ()
    sorted: tuple[tuple[str, ...], ...] = ()
    leaf_bytes: int | None = None


@dataclass(frozen=True, slots=True)
class Predicate:
    """`left_key = right_key`, between two sets of relations (bit i is relation i); most often of one each."""

    left: int
    right: int
    left_key: str
    right_key: str


@dataclass(frozen=True, slots=True)
class Condition:
    """Any other condition of a join, over a set of relations."""

    relations: int
    text: str


@dataclass(frozen=True, slots=True)
class MeasuredJoin:
    """What the join of a set of relations put out, and how it ran. `bytes` where an exchange counted them."""

    rows: int
    bytes: int | None = None
    strategy: Strategy | None = None
    build_side: BuildSide | None = None


@dataclass(frozen=True, slots=True)
class JoinGraph:
    """A block of inner joins. Sets of relations are numbers whose bit i is relation i.

    `measured` holds what ran; `written` is the order that ran.
    """

    signature: str
    relations: tuple[GraphRelation, ...]
    predicates: tuple[Predicate, ...]
    conditions: tuple[Condition, ...]
    measured: Mapping[int, MeasuredJoin]
    written: Order

    @property
    def everything(self) -> int:
        return (1 << len(self.relations)) - 1

    def keys(self, left: int, right: int) -> Iterator[tuple[Column, Column]]:
        """The pairs of columns that a join of two sets compares, the left one's first."""
        for p in self.predicates:
            one, other = (p.left, p.left_key), (p.right, p.right_key)
            if p.left & left == p.left and p.right & right == p.right:
                yield one, other
            elif p.left & right == p.left and p.right & left == p.right:
                yield other, one

    def tables(self, relations: int) -> tuple[str, ...]:
        """The tables below a set of relations, sorted, repeated as often as they are read."""
        return tuple(sorted(table for number in members(relations) for table in self.relations[number].relations))


def members(relations: int) -> Iterator[int]:
    """The relations of a set, ascending."""
    while relations:
        lowest = relations & -relations
        yield lowest.bit_length() - 1
        relations ^= lowest
