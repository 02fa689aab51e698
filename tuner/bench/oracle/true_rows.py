"""The queries of a run with the true rows of their joins, as far as these can be counted."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from tuner.bench.bench_run import Workload
from tuner.bench.oracle.counted_block import BlockCounter, CountedBlock
from tuner.bench.oracle.set_counts import CountLimits, NotCountedError
from tuner.bench.oracle.sql_block import Columns, sql_blocks
from tuner.bench.workloads.parquet_views import parquet_views
from tuner.errors import TunerError
from tuner.model.query import Query, QueryStatus

if TYPE_CHECKING:
    import duckdb

# parquet_views defines draws, of which none is made here.
_NO_SEED = 0


@dataclass(frozen=True, slots=True)
class TrueQuery:
    """A query of a workload, `name`, as it ran, with only those of its blocks that were counted; `left_out` says why others were
    not."""

    name: str
    query: Query
    blocks: tuple[CountedBlock, ...] = ()
    left_out: tuple[str, ...] = ()

    @property
    def at_least(self) -> Mapping[str, frozenset[int]]:
        """By the signature of a block its sets that have more rows than were counted."""
        return {block.graph.signature: block.at_least for block in self.blocks}


def true_rows(workload: Workload, ran: Iterable[Query], limits: CountLimits) -> Iterator[TrueQuery]:
    """The queries of a workload that came to their end with blocks of joins, known by their descriptions, in the order they ran.

    Counts in duckdb over the workload's Parquet files. RequirementError where duckdb is not installed.
    """
    until = time.monotonic() + limits.total_seconds
    with parquet_views(workload.tables, _NO_SEED) as connection:
        columns = _columns(connection)
        for query in ran:
            text = workload.queries.get(query.description)
            if text is not None and query.status is QueryStatus.SUCCEEDED and query.graphs:
                seconds = min(limits.seconds, max(0.0, until - time.monotonic()))
                yield _counted(query, text, columns, connection, replace(limits, seconds=seconds))


def _counted(
    query: Query, text: str, columns: Columns, connection: duckdb.DuckDBPyConnection, limits: CountLimits
) -> TrueQuery:
    try:
        counter = BlockCounter(sql_blocks(text, columns), connection, limits)
    except TunerError as error:
        return TrueQuery(query.description, replace(query, graphs=()), (), (str(error),))
    blocks: list[CountedBlock] = []
    left_out: list[str] = []
    for graph in query.graphs:
        try:
            blocks.append(counter.counted(graph))
        except NotCountedError as error:
            left_out.append(str(error))
    of_blocks = replace(query, graphs=tuple(block.graph for block in blocks))
    return TrueQuery(query.description, of_blocks, tuple(blocks), tuple(dict.fromkeys(left_out)))


def _columns(connection: duckdb.DuckDBPyConnection) -> Columns:
    found: dict[str, set[str]] = {}
    text = "SELECT lower(table_name), lower(column_name) FROM information_schema.columns"
    for table, column in connection.execute(text).fetchall():
        found.setdefault(table, set()).add(column)
    return found
