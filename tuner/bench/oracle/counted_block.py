"""A block of joins with the true rows of every set of its relations in place of estimates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from tuner.bench.oracle.block_mapping import counts_by_graph, graph_tables, reads_same_tables
from tuner.bench.oracle.set_counts import CountLimits, NotCountedError, SetCounts, count_sets
from tuner.bench.oracle.sql_block import SqlBlock
from tuner.model.join_graph import JoinGraph, MeasuredJoin

if TYPE_CHECKING:
    import duckdb


@dataclass(frozen=True, slots=True)
class CountedBlock:
    """`graph` has the counted rows as if they had been measured. `sets` were counted, those in `at_least` not to the end."""

    graph: JoinGraph
    sets: int
    at_least: frozenset[int] = frozenset()


class BlockCounter:
    """Counts the blocks of one query's text, each once."""

    def __init__(self, blocks: Sequence[SqlBlock], connection: duckdb.DuckDBPyConnection, limits: CountLimits) -> None:
        self._blocks = blocks
        self._connection = connection
        self._limits = limits
        self._found: dict[int, SetCounts] = {}

    def counted(self, graph: JoinGraph) -> CountedBlock:
        """The block of a plan, by the part of the text that joins its tables.

        NotCountedError where there is none, where what ran differs from what was counted, or beyond a limit.
        """
        if any(relation.runtime_filtered for relation in graph.relations):
            raise NotCountedError("filters made at run time took rows out of its relations")
        tables = graph_tables(graph)
        if tables is None:
            raise NotCountedError("it joins more than base tables")
        alike = [number for number, block in enumerate(self._blocks) if reads_same_tables(graph, block)]
        if not alike:
            raise NotCountedError(f"no part of the query's text joins just {', '.join(sorted(tables))}")
        found = [self._of(graph, number) for number in alike]
        blocks = [one for one in found if isinstance(one, CountedBlock)]
        if not blocks:
            raise next(one for one in found if isinstance(one, NotCountedError))
        if any(block.graph != blocks[0].graph for block in blocks):
            raise NotCountedError("several parts of the query's text may be this block")
        return blocks[0]

    def _of(self, graph: JoinGraph, number: int) -> CountedBlock | NotCountedError:
        try:
            if number not in self._found:
                self._found[number] = count_sets(self._blocks[number], self._connection, self._limits)
            counts = counts_by_graph(graph, self._blocks[number], self._found[number])
        except NotCountedError as error:
            return error
        return CountedBlock(_with_rows(graph, counts.rows), len(counts.rows), counts.at_least)


def _with_rows(graph: JoinGraph, rows: Mapping[int, int]) -> JoinGraph:
    """What ran keeps its bytes and strategy."""
    relations = tuple(
        relation if relation.rows is not None else replace(relation, rows=rows[1 << number])
        for number, relation in enumerate(graph.relations)
    )
    counted = {joined: MeasuredJoin(count) for joined, count in rows.items() if joined.bit_count() > 1}
    return replace(graph, relations=relations, measured={**counted, **graph.measured})
