"""A replay that Spark has walked: what it found is read from its directory as it is asked for."""

from __future__ import annotations

import uuid
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeVar

import msgspec
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as f

from tuner.pipeline.batches import Directory
from tuner.pipeline.cohorts import Fleet
from tuner.pipeline.fleet_model import FleetModel
from tuner.pipeline.harvest import HarvestSummary
from tuner.pipeline.run_rows import ORDER, by_cohort, logged_runs, run_rows
from tuner.pipeline.schema import ddl
from tuner.pipeline.walk import FOUND, Kind
from tuner.pipeline.walks import STAGING, Walked, place_of
from tuner.replay.cohort_replay import CohortReplay, LoggedRun, ReplayedRun, ReplaySummary, UnreadLog
from tuner.replay.local import by_gain
from tuner.replay.score import backtest

T = TypeVar("T")

# A cohort's runs are read without those of many others.
_BLOCK_BYTES = 8 << 20
# Of documents that a driver is given at once: a long cohort's would not fit into spark.driver.maxResultSize.
_PART_BYTES = 16 << 20


@dataclass(frozen=True, slots=True)
class _BySize:
    """Rows of all cohorts, and the bytes of documents that each has."""

    rows: DataFrame
    size_bytes: Mapping[str, int]


@dataclass
class SparkReplayed:
    """A `Replayed`, for as long as its Spark session lives and nobody else writes to its directory. `walked` counts the cohorts
    that this replay has walked; the others are as an earlier one left them.
    """

    spark: SparkSession
    directory: Directory
    fleet: Fleet
    walks: Mapping[str, Walked]
    size_bytes: int
    harvest: HarvestSummary
    model: FleetModel
    walked: int
    _logged: _BySize | None = field(default=None, init=False)

    @cached_property
    def summary(self) -> ReplaySummary:
        cohorts = list(self._told(Kind.COHORT, CohortReplay))
        unread = (*self.fleet.unread, *self._told(Kind.UNREAD, UnreadLog))
        return ReplaySummary(
            cohorts=by_gain(cohorts),
            unread=tuple(sorted(unread, key=lambda found: found.log)),
            logs=len(self.fleet.logs),
            size_bytes=self.size_bytes,
            problems=tuple(self._told(Kind.PROBLEM, str)),
            backtest=backtest(o for cohort in sorted(cohorts, key=lambda c: c.cohort) for o in cohort.observed),
            unnamed=self.fleet.unnamed,
        )

    def runs(self, cohort: str | None = None) -> Iterator[ReplayedRun]:
        """The runs in time order, of all cohorts or one; decoded one by one."""
        if cohort is not None and cohort not in self.walks:
            return iter(())
        if cohort is None:
            ordered = self._found(Kind.RUN).orderBy("started_ms", "key", "cohort")
        else:
            ordered = _ordered(self._found(Kind.RUN, cohort), self._run_bytes[cohort], "started_ms", "key")
        return _decoded(ordered, ReplayedRun)

    def logged(self, cohort: str) -> Iterator[LoggedRun]:
        """A cohort's runs as their logs tell them, in time order; the first call sorts those of all."""
        if cohort not in self.fleet.cohorts:
            return iter(())
        if self._logged is None:
            self._logged = self._sorted()
        of_cohort = self._logged.rows.where(f.col("cohort") == cohort)
        rows = _ordered(of_cohort, self._logged.size_bytes[cohort], *ORDER)
        # The walk has told what cannot be read.
        return logged_runs(rows.toLocalIterator(), lambda log, why: None)

    def close(self) -> None:
        """Remove what `logged` has sorted; else the next replay does."""
        self._logged = None
        self.directory.delete(STAGING)

    @cached_property
    def _run_bytes(self) -> Mapping[str, int]:
        return _bytes_by_cohort(self._found(Kind.RUN))

    def _sorted(self) -> _BySize:
        path = f"{self.directory.location}/{STAGING}/logged-{uuid.uuid4().hex[:8]}"
        rows = run_rows(self.spark, self.directory.location, self.fleet.cohorts)
        partitions = min(len(self.fleet.cohorts), 4 * self.spark.sparkContext.defaultParallelism)
        by_cohort(rows, partitions).write.option("parquet.block.size", _BLOCK_BYTES).parquet(path)
        found = self.spark.read.schema(rows.schema).parquet(path)
        return _BySize(found, _bytes_by_cohort(found))

    def _told(self, kind: Kind, type_: type[T]) -> Iterator[T]:
        return _decoded(self._found(kind).orderBy("cohort", "started_ms"), type_)

    def _found(self, kind: Kind, cohort: str | None = None) -> DataFrame:
        """The rows of one kind that count."""
        walks = self.walks if cohort is None else {cohort: self.walks[cohort]}
        current = self.spark.createDataFrame([(w.round, c) for c, w in walks.items()], "round string, cohort string")
        paths = [
            f"{self.directory.location}/{place_of(round_)}" for round_ in sorted({w.round for w in walks.values()})
        ]
        reader = self.spark.read.schema(ddl(FOUND))
        rows = reader.parquet(*paths) if paths else self.spark.createDataFrame([], ddl(FOUND))
        if cohort is not None:
            rows = rows.where(f.col("cohort") == cohort)
        return rows.where(f.col("kind") == kind.value).join(f.broadcast(current), ["round", "cohort"], "left_semi")


def _bytes_by_cohort(rows: DataFrame) -> Mapping[str, int]:
    sizes = rows.groupBy("cohort").agg(f.sum(f.octet_length("document")).alias("bytes"))
    return defaultdict(int, {row["cohort"]: row["bytes"] or 0 for row in sizes.toLocalIterator()})


def _ordered(of_cohort: DataFrame, size_bytes: int, *order: str) -> DataFrame:
    """The rows of one cohort in order, in parts that a driver can hold: where one does, without Spark's sampling for them."""
    parts = 1 + size_bytes // _PART_BYTES
    divided = of_cohort.coalesce(1) if parts == 1 else of_cohort.repartitionByRange(parts, *order)
    return divided.sortWithinPartitions(*order)


def _decoded(rows: DataFrame, type_: type[Any]) -> Iterator[Any]:
    decoder = msgspec.json.Decoder(type_)
    return (decoder.decode(row["document"]) for row in rows.select("document").toLocalIterator())
