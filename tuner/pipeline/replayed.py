"""A replay that Spark has walked: what it found is read from its directory as it is asked for."""

from __future__ import annotations

import uuid
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
    _logged: DataFrame | None = field(default=None, init=False)

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
        found = self._found(Kind.RUN, cohort)
        if cohort is None:
            ordered = found.orderBy("started_ms", "key", "cohort")
        else:
            ordered = found.coalesce(1).sortWithinPartitions("started_ms", "key")
        return _decoded(ordered, ReplayedRun)

    def logged(self, cohort: str) -> Iterator[LoggedRun]:
        """A cohort's runs as their logs tell them, in time order; the first call sorts those of all."""
        if cohort not in self.fleet.cohorts:
            return iter(())
        if self._logged is None:
            self._logged = self._sorted()
        rows = self._logged.where(f.col("cohort") == cohort).coalesce(1).sortWithinPartitions(*ORDER)
        # The walk has told what cannot be read.
        return logged_runs(rows.toLocalIterator(), lambda log, why: None)

    def close(self) -> None:
        """Remove what `logged` has sorted; else the next replay does."""
        self._logged = None
        self.directory.delete(STAGING)

    def _sorted(self) -> DataFrame:
        path = f"{self.directory.location}/{STAGING}/logged-{uuid.uuid4().hex[:8]}"
        rows = run_rows(self.spark, self.directory.location, self.fleet.cohorts)
        partitions = min(len(self.fleet.cohorts), 4 * self.spark.sparkContext.defaultParallelism)
        by_cohort(rows, partitions).write.option("parquet.block.size", _BLOCK_BYTES).parquet(path)
        return self.spark.read.schema(rows.schema).parquet(path)

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


def _decoded(rows: DataFrame, type_: type[Any]) -> Iterator[Any]:
    decoder = msgspec.json.Decoder(type_)
    return (decoder.decode(row["document"]) for row in rows.select("document").toLocalIterator())
