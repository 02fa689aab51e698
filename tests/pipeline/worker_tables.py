"""The tables that the steps on workers make of logs, without Spark around them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec
import pyarrow as pa

from tuner.eventlog.find import LogSource
from tuner.pipeline.decode import join_fragments, read_pieces
from tuner.pipeline.pieces import pieces
from tuner.pipeline.schema import KEY, TABLES

Row = dict[str, Any]


def as_rows(batches: Iterable[pa.RecordBatch]) -> list[Row]:
    return [row for batch in batches for row in batch.to_pylist(maps_as_pydicts="strict")]


def worker_tables(sources: Iterable[LogSource], *, documents: bool = False) -> dict[str, list[Row]]:
    found = [msgspec.msgpack.encode(piece) for source in sources for piece in pieces(source)]
    given = [pa.RecordBatch.from_pydict({"piece": [piece]}) for piece in found]
    read = as_rows(read_pieces(given, documents=documents))
    left = sorted((row for row in read if row["fragment"] is not None), key=lambda row: (row["log"], row["position"]))
    columns = {name: [row[name] for row in left] for name in ("log", "position", "piece", "fragment")}
    joined = as_rows(join_fragments([pa.RecordBatch.from_pydict(columns)], documents=documents))
    tables: dict[str, list[Row]] = {table: [] for table in TABLES}
    keys = {row["log"]: row["applications"] for row in read + joined if row["applications"]}
    for row in read + joined:
        for table in TABLES:
            if row[table] is not None:
                application = keys.get(row["log"], {})
                key = {"log": row["log"], **{c.name: application.get(c.name) for c in KEY[1:]}}
                tables[table].append(key | row[table])
    return tables
