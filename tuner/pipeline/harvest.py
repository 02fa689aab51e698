"""Many event logs to Parquet tables, on Spark: each file of each log is a unit of work.

Two steps: every piece is read by itself, which finishes most of what it holds; what is open at the ends of the pieces of
one log is then joined in order. Only logs that are new or have changed are read. A harvest that is killed leaves nothing
behind that a reader sees, or the next harvest does not remove.
"""

from __future__ import annotations

import uuid
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, date, datetime
from functools import partial, reduce
from time import time
from typing import Any

import msgspec
import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as f
from pyspark.sql.types import StructType

from tuner.eventlog.find import LogSource
from tuner.eventlog.log_version import log_name, version
from tuner.eventlog.log_watch import taken_as_ended
from tuner.pipeline import batches
from tuner.pipeline.batches import HarvestedLog, Manifest
from tuner.pipeline.decode import join_fragments, read_pieces
from tuner.pipeline.documents import DOCUMENTS
from tuner.pipeline.pieces import Piece, pieces, slices
from tuner.pipeline.schema import DATE, KEY, LAYOUT, RECORD, TABLES, VERSION, ddl
from tuner.pipeline.sole_writer import SoleWriter
from tuner.pipeline.spark_conf import rows_per_batch

# What is read before something is committed: a harvest that is killed loses no more than this.
ROUND_BYTES = 32 << 30
# A fragment can hold megabytes: few of them in one Arrow batch.
_FRAGMENTS_PER_BATCH = 8
_ROWS_PER_FILE = 500_000
_TABLES_AT_ONCE = 8

_SETTLED, _UNSETTLED = "-settled", "-unsettled"
_SUMMARY = ("app_id", "app_attempt", "start_ms", "status")
_KEYS = "log string, app_id string, app_attempt string, date date"
_Key = tuple[str | None, str | None, date | None]


@dataclass(frozen=True, slots=True)
class HarvestSummary:
    """What one harvest did. `statuses` counts the applications it read: complete, partial, failed."""

    read: int
    unchanged: int
    size_bytes: int
    statuses: dict[str, int]
    rows: dict[str, int]


def harvest(
    spark: SparkSession,
    sources: Iterable[LogSource],
    writer: SoleWriter,
    round_bytes: int = ROUND_BYTES,
    *,
    for_replay: bool = False,
) -> HarvestSummary:
    """Bring the tables in the writer's directory up to date with the logs.

    The documents that replays read take about as long to make as the rest: they are made for a replay, and from then on
    in this directory. Raises HarvestError where it cannot write.
    """
    directory = writer.directory
    batches.clean(directory)
    known = {log.log: log for logs in batches.finished(directory).values() for log in logs}
    documents = DOCUMENTS if for_replay or any(log.documents for log in known.values()) else 0
    changed, versions, unchanged = [], {}, 0
    # A log that is there twice, unfinished and whole, is read whole.
    for source in sorted((taken_as_ended(found, time()) for found in sources), key=lambda source: source.in_progress):
        log, now = log_name(source), version(source)
        as_now = (now, documents, VERSION)
        if (
            (before := known.get(log))
            and before.settled
            and (before.version, before.documents, before.tables) == as_now
        ):
            unchanged += 1
        elif log not in versions:
            versions[log] = now
            changed.append(source)
    statuses, rows, size = Counter[str](), Counter[str](), 0
    for some in _rounds(changed, round_bytes):
        done = _Round(spark, writer, some, versions, documents).run()
        statuses.update(done.statuses)
        rows.update(done.rows)
        size += sum(piece.size_bytes for piece in some)
    return HarvestSummary(len(changed), unchanged, size, dict(statuses), dict(rows))


def _rounds(sources: Iterable[LogSource], round_bytes: int) -> Iterator[list[Piece]]:
    some: list[Piece] = []
    size = 0
    for source in sources:
        found = list(pieces(source))
        some += found
        size += sum(piece.size_bytes for piece in found)
        if size >= round_bytes:
            yield some
            some, size = [], 0
    if some:
        yield some


@dataclass(frozen=True, slots=True)
class _Done:
    statuses: dict[str, int]
    rows: dict[str, int]


class _Round:
    """Some logs, read and committed together."""

    def __init__(
        self,
        spark: SparkSession,
        writer: SoleWriter,
        some: list[Piece],
        versions: Mapping[str, str],
        documents: int,
    ) -> None:
        self._spark = spark
        self._writer = writer
        self._directory = writer.directory
        self._out = writer.directory.location
        self._pieces = some
        self._logs = {piece.log: versions[piece.log] for piece in some}
        self._documents = documents
        self._sizes = Counter[str]()
        for piece in some:
            self._sizes[piece.log] += piece.size_bytes
        self._run = f"{datetime.now(UTC):%Y%m%dT%H%M%S}-{uuid.uuid4().hex[:8]}"

    def run(self) -> _Done:
        records = self._read()
        applications = _table(records, "applications").select("log", *_SUMMARY).collect()
        rows = records.select(*(f.count(f.col(table)).alias(table) for table in TABLES)).collect()[0].asDict()
        retryable = _table(records, "problems").where("retryable or code = 'unreadable_file'").select("log")
        unsettled = {row["log"] for row in retryable.distinct().collect()}
        unsettled |= {piece.log for piece in self._pieces if piece.in_progress}
        keys = {row["log"]: (row["app_id"], row["app_attempt"], _date(row["start_ms"])) for row in applications}
        self._commit(records, keys, unsettled, rows)
        return _Done(Counter(row["status"] for row in applications), rows)

    def _read(self) -> DataFrame:
        """The records of all pieces, staged: what comes after does not read them again."""
        context = self._spark.sparkContext
        filled = slices(self._pieces, 4 * context.defaultParallelism)
        encoded = [[(msgspec.msgpack.encode(piece),) for piece in some] for some in filled]
        rows = context.parallelize(encoded, len(encoded)).flatMap(list)
        read = self._staged(self._mapped(self._spark.createDataFrame(rows, "piece binary"), read_pieces), "read")
        if all(piece.count == 1 for piece in self._pieces):
            return read
        fragments = (
            read.where("fragment is not null")
            .select("log", "position", "piece", "fragment")
            .repartition(4 * context.defaultParallelism, "log")
            .sortWithinPartitions("log", "position")
        )
        with rows_per_batch(self._spark, _FRAGMENTS_PER_BATCH):
            joined = self._staged(self._mapped(fragments, join_fragments), "joined")
        return read.unionByName(joined)

    def _mapped(self, frame: DataFrame, step: Callable[..., Iterator[pa.RecordBatch]]) -> DataFrame:
        """The records a step makes of the rows of a frame."""
        return frame.mapInArrow(partial(step, documents=bool(self._documents)), ddl(RECORD))

    def _staged(self, frame: DataFrame, name: str) -> DataFrame:
        path = f"{self._staging()}/{name}"
        frame.write.parquet(path)
        return self._spark.read.schema(frame.schema).parquet(path)

    def _staging(self) -> str:
        return f"{self._out}/{batches.STAGING}/{self._run}"

    def _commit(
        self, records: DataFrame, keys: Mapping[str, _Key], unsettled: Collection[str], counts: Mapping[str, int]
    ) -> None:
        """Append the rows; of logs that were there before, in place of theirs.

        Logs that may say more soon are kept in a batch of their own, which is small to write anew.
        """
        finished, earlier = batches.finished(self._directory), batches.of_earlier_layout(self._directory)
        replaced = {
            batch: logs
            for batch, logs in finished.items()
            if batch in earlier or any(log.log in self._logs for log in logs)
        }
        sizes = {batch: len(logs) for batch, logs in finished.items() if batch.endswith(_SETTLED)}
        replaced |= {batch: finished[batch] for batch in batches.to_merge(len(self._logs), sizes)}
        written = {}
        for kind, settled in ((_SETTLED, True), (_UNSETTLED, False)):
            old = {batch: logs for batch, logs in replaced.items() if batch.endswith(kind)}
            kept = tuple(log for logs in old.values() for log in logs if log.log not in self._logs)
            new = tuple(
                HarvestedLog(log, now, settled, self._documents, self._sizes[log], VERSION)
                for log, now in self._logs.items()
                if (log not in unsettled) == settled
            )
            if kept or new:
                batch = f"{self._run}{kind}"
                chosen = [(log.log, *keys.get(log.log, (None, None, None))) for log in new]
                self._write(batch, records, chosen, old, counts)
                written[batch] = kept + new
        manifest = Manifest(written, tuple(replaced), LAYOUT)
        self._writer.require()
        batches.commit(self._directory, self._run, f"{batches.STAGING}/{self._run}", manifest)
        batches.clean(self._directory)

    def _write(
        self,
        batch: str,
        records: DataFrame,
        chosen: list[tuple[Any, ...]],
        old: Iterable[str],
        counts: Mapping[str, int],
    ) -> None:
        """Write all tables of a batch: the rows of `chosen` logs among the records, and what is kept of `old` batches."""
        logs = f.broadcast(self._spark.createDataFrame(chosen, _KEYS))
        again = f.broadcast(self._spark.createDataFrame([(log,) for log in self._logs], "log string"))

        def write(table: str) -> None:
            rows = _table(records, table)
            if table == "applications":
                rows = rows.drop("app_id", "app_attempt")
            names = [c.name for c in (*KEY, *TABLES[table], DATE)]
            found, count = rows.join(logs, "log").select(*names), counts[table]
            # An earlier version may not have had the table.
            if there := [b for b in old if self._directory.names(f"{table}/batch={b}")]:
                kept = self._kept(table, there, found.schema)
                found, count = found.unionByName(kept.join(again, "log", "left_anti")), count + kept.count()
            by_month = found.withColumn("month", f.date_format("date", "yyyy-MM"))
            # A task writes a file for each month that it has rows of: where there are several tasks, each has its own.
            files = 1 + count // _ROWS_PER_FILE
            share = f.pmod(f.xxhash64("log"), f.lit(files))
            whole = by_month.coalesce(1) if files == 1 else by_month.repartition(files, "month", share)
            whole.write.partitionBy("month").parquet(f"{self._staging()}/{batch}/{table}")

        # Small tables are a task each.
        with ThreadPoolExecutor(min(_TABLES_AT_ONCE, self._spark.sparkContext.defaultParallelism)) as pool:
            list(pool.map(write, TABLES))

    def _kept(self, table: str, old: Iterable[str], schema: StructType) -> DataFrame:
        """The rows of earlier batches, which may lie by date or by month."""
        read = self._spark.read.schema(schema)
        found = [read.parquet(f"{self._out}/{table}/batch={batch}").select(*schema.names) for batch in old]
        return reduce(DataFrame.unionByName, found)


def _table(records: DataFrame, table: str) -> DataFrame:
    """The rows of a table among the records."""
    return records.where(f.col(table).isNotNull()).select("log", f"{table}.*")


def _date(start_ms: int | None) -> date | None:
    """None for a time that is none, such as a damaged log may tell."""
    try:
        return None if start_ms is None else datetime.fromtimestamp(start_ms / 1000, UTC).date()
    except (OverflowError, OSError, ValueError):
        return None
