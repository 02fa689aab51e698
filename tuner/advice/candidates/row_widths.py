"""How many bytes the rows of a join's side have where no shuffle of this run counted them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from tuner.advice.facts import Facts
from tuner.advice.steering_reach import Reach
from tuner.model.join_graph import RelationKind
from tuner.model.join_site import JoinSide
from tuner.model.query import Query
from tuner.plan.relation import normalise_table
from tuner.spark.memory import PAGE_BYTES, relation_bytes

# A side that was not shuffled has no bytes in the log: its rows are taken to be this wide (thirty columns of 8 bytes).
WIDE_ROW_BYTES = 256
# Where files hold more than that a row, bytes of rows for each byte of them: Parquet of texts of 2 to 9 KB had 2.1 to 2.9 by
# snappy, 2.9 to 4.9 by zstd and gzip; of JSON of 17 KB 5.5 and 11 to 13.
EXPANSION = 5.0
# What a file holds besides its rows (footers, dictionaries) hides how wide they are in smaller ones.
MIN_FILE_BYTES = 1 << 20
# What the planner takes a source for that tells no size (spark.sql.defaultSizeInBytes): however few rows a filter left of it.
_NO_SIZE = (1 << 63) - 1

_Place = tuple[str, tuple[str, ...]]
_Scan = tuple[str, int, int]


def collected_bytes(rows: int, broadcast_bytes: int) -> int:
    """Bytes of the rows of a broadcast: what its hash relation has beyond its map; its last page may be empty."""
    return min(max(0, broadcast_bytes - relation_bytes(rows, 0)), rows * WIDE_ROW_BYTES)


def built_bytes(facts: Facts, query: Query, side: JoinSide) -> int | None:
    """The bytes of the rows of a side to broadcast: as shuffled, as they were broadcast, or as wide as files and the shuffles
    below make them; None where no shuffle below tells (a bucketed table, another engine's shuffle), and where nothing has
    counted them and no agent looks at the sizes of its relations."""
    if side.shuffle_bytes is not None or side.rows is None or facts.reach is not Reach.AGENT:
        return side.shuffle_bytes
    if side.broadcast_bytes is not None:
        return collected_bytes(side.rows, side.broadcast_bytes)
    return None if side.fed_bytes is None else max(side.fed_bytes, facts.once(RowWidths).data_bytes(query, side))


@dataclass(frozen=True)
class RowWidths:
    """How wide rows are by what all runs at hand measured of the same side, and by the files they are read from."""

    facts: Facts

    def data_bytes(self, query: Query, side: JoinSide, row_bytes: float = WIDE_ROW_BYTES) -> int:
        """The bytes of a side's rows in memory: as shuffled, in this run or another, else what they may have, of `row_bytes`
        each where files tell of no wider ones."""
        rows = side.rows or 0
        if side.shuffle_bytes is not None:
            return side.shuffle_bytes
        if (measured := self._shuffled.get(_place(query, side))) is not None:
            return int(rows * measured)
        held = (side.broadcast_bytes or 0) - relation_bytes(rows, 0) - PAGE_BYTES
        return max(int(rows * row_bytes), self._bytes_of_wide(side), held)

    def unmeasured_bytes(self, query: Query, side: JoinSide) -> int:
        """The same by files alone: 0 where a run has shuffled such rows, or files have narrow ones."""
        return 0 if _place(query, side) in self._shuffled else self._bytes_of_wide(side)

    def _bytes_of_wide(self, side: JoinSide) -> int:
        """The bytes of a side's rows that come from the relations of wide rows."""
        widths = (self._in_files.get(relation, 0.0) for relation in side.relations)
        return int((side.rows or 0) * EXPANSION * sum(width for width in widths if width > WIDE_ROW_BYTES))

    @cached_property
    def _shuffled(self) -> dict[_Place, float]:
        """Bytes a row of the sides of a query's joins, the most that a run has shuffled: any order has the same columns."""
        widths: dict[_Place, float] = {}
        for queries in self.facts.of_all_runs:
            for query, side in _sides(queries):
                if side.shuffle_bytes is not None and side.rows:
                    place = _place(query, side)
                    widths[place] = max(widths.get(place, 0.0), side.shuffle_bytes / side.rows)
        return widths

    @cached_property
    def _in_files(self) -> dict[str, float]:
        """Bytes of files for each row of a relation, all columns: the least that a scan tells, for filters leave rows out."""
        return {**_least_widths(_most_scanned(self.facts.queries)), **_least_widths(_scanned(self.facts.queries))}


def _least_widths(scanned: Iterable[_Scan]) -> dict[str, float]:
    widths: dict[str, float] = {}
    for relation, size, rows in scanned:
        if size >= MIN_FILE_BYTES and rows:
            widths[relation] = min(widths.get(relation, float("inf")), size / rows)
    return widths


def _scanned(queries: tuple[Query, ...]) -> Iterator[_Scan]:
    """Relations with bytes of their files, and rows that came of these."""
    for query in queries:
        yield from ((normalise_table(table.table), table.file_bytes, table.rows) for table in query.tables)
        for item in (item for graph in query.graphs for item in graph.relations if item.kind is RelationKind.SCAN):
            # A log names no relation of some scans.
            yield from ((relation, item.file_bytes or 0, item.scanned_rows or 0) for relation in item.relations[:1])


def _most_scanned(queries: tuple[Query, ...]) -> Iterator[_Scan]:
    """The same of sides of joins, or what the planner takes them for, and the most rows that may have come of these: a filter
    may have left out all that the query's scans put out besides what other relations are known to."""
    for query in queries:
        single = [side for _, side in _sides((query,)) if len(side.relations) == 1]
        known: dict[str, int] = {}
        for side in (side for side in single if side.file_bytes is not None):
            known[side.relations[0]] = max(known.get(side.relations[0], 0), side.rows or 0)
        for side in single:
            size = (side.leaf_bytes if side.file_bytes is None else side.file_bytes) or 0
            others = sum(known.values()) - known.get(side.relations[0], 0)
            if query.input_rows or size >= _NO_SIZE:
                yield side.relations[0], size, max(side.rows or 0, query.input_rows - others)


def _sides(queries: tuple[Query, ...]) -> Iterator[tuple[Query, JoinSide]]:
    return ((query, side) for query in queries for join in query.joins for side in join.sides)


def _place(query: Query, side: JoinSide) -> _Place:
    return query.fingerprint, side.relations
