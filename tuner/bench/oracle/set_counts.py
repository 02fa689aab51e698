"""The true rows of every connected set of a block's relations."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from threading import Timer
from typing import TYPE_CHECKING

from tuner.bench.oracle.keyed_edges import keyed_edges, tree_pairs
from tuner.bench.oracle.sql_block import SqlBlock
from tuner.bench.oracle.subset_text import count_text
from tuner.bench.oracle.tree_counts import connected_sets, tree_counts
from tuner.errors import TunerError

if TYPE_CHECKING:
    import duckdb

_LEAST_SECONDS = 1.0
_MOST_OF_TABLE = 1 << 60


class NotCountedError(TunerError):
    """A block whose sets of relations are not all counted, and why."""


@dataclass(frozen=True, slots=True)
class CountLimits:
    """`sets` is the most sets of one block, `seconds` the most that counting these may take, `total_seconds` that of all blocks,
    `rows` the most of one join that are looked at where it takes a query: it is known to have more."""

    sets: int = 20_000
    seconds: float = 300.0
    total_seconds: float = 3_600.0
    rows: int = 20_000_000


@dataclass(frozen=True, slots=True)
class SetCounts:
    """Rows by set (bit i is relation i) of the connected sets, single relations among them; those in `at_least` have more."""

    rows: Mapping[int, int]
    at_least: frozenset[int] = frozenset()


def count_sets(block: SqlBlock, connection: duckdb.DuckDBPyConnection, limits: CountLimits) -> SetCounts:
    """Counts the sets that conditions connect: where equalities make a tree of the relations from the rows by key, however many
    rows there are, else by one query each. The connection has the tables. NotCountedError beyond a limit.
    """
    pairs, clock = tree_pairs(block), _Clock(time.monotonic() + limits.seconds, limits.seconds)
    if pairs is None:
        return _by_query(block, connection, limits, clock)
    if (sets := connected_sets(len(block.relations), list(pairs))) > limits.sets:
        raise NotCountedError(
            f"{sets:,} sets of its relations are joined by keys, more than the {limits.sets:,} to count"
        )
    return SetCounts(tree_counts(*keyed_edges(block, pairs, connection), clock.look))


@dataclass(frozen=True, slots=True)
class _Clock:
    """The time that counting a block may take."""

    until: float
    seconds: float

    @property
    def late(self) -> NotCountedError:
        return NotCountedError(f"counting its sets of relations takes more than {self.seconds:.0f} s")

    @property
    def left(self) -> float:
        return self.until - time.monotonic()

    def look(self) -> None:
        """Raises NotCountedError where there is none left."""
        if self.left <= 0:
            raise self.late


def _by_query(block: SqlBlock, connection: duckdb.DuckDBPyConnection, limits: CountLimits, clock: _Clock) -> SetCounts:
    found: dict[int, int] = {}
    for relations in _connected(block):
        if len(found) == limits.sets:
            raise NotCountedError(f"more than {limits.sets:,} sets of its relations are joined, as many as are counted")
        most = limits.rows if relations.bit_count() > 1 else _MOST_OF_TABLE
        found[relations] = _rows(connection, count_text(block, relations, most), clock)
    at_least = (relations for relations, rows in found.items() if relations.bit_count() > 1 and rows > limits.rows)
    return SetCounts(found, frozenset(at_least))


def _rows(connection: duckdb.DuckDBPyConnection, text: str, clock: _Clock) -> int:
    import duckdb

    clock.look()
    # What interrupts a query before it has begun does not end it.
    timer = Timer(max(_LEAST_SECONDS, clock.left), connection.interrupt)
    timer.daemon = True
    timer.start()
    try:
        (rows,) = connection.execute(text).fetchall()[0]
    except duckdb.InterruptException as error:
        raise clock.late from error
    finally:
        timer.cancel()
    return int(rows)


def _connected(block: SqlBlock) -> Iterator[int]:
    """The sets that conditions connect: each relation, then what a condition over some of a set adds to it."""
    over = sorted({c.relations for c in block.conditions if c.relations.bit_count() > 1})
    sets = [1 << number for number in range(len(block.relations))]
    seen = set(sets)
    while sets:
        yield from sets
        larger = {relations | condition for relations in sets for condition in over if condition & relations}
        sets = sorted(larger - seen)
        seen |= larger
