"""Cohorts walked on Spark some at a time: each round counts as soon as it is finished."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as f

from tuner.pipeline import walks
from tuner.pipeline.cohorts import Place
from tuner.pipeline.run_rows import ROWS_PER_BATCH, by_cohort, run_rows
from tuner.pipeline.schema import ddl
from tuner.pipeline.sole_writer import SoleWriter
from tuner.pipeline.spark_conf import rows_per_batch
from tuner.pipeline.walk import FOUND

# Tasks for each core in a round: cohorts are of very different lengths.
_TASKS_PER_CORE = 16

Cohorts = Mapping[str, Sequence[Place]]
# `walk_cohorts` but for its argument `round_`.
Step = Callable[..., Iterator[pa.RecordBatch]]


def rounds(cohorts: Cohorts, runs: int) -> list[dict[str, Sequence[Place]]]:
    """The cohorts in rounds of about so many runs, long and short ones in each."""
    count = -(-sum(map(len, cohorts.values())) // runs)
    by_length = sorted(cohorts, key=lambda cohort: (-len(cohorts[cohort]), cohort))
    dealt = [{cohort: cohorts[cohort] for cohort in by_length[i::count]} for i in range(count)]
    return [some for some in dealt if some]


class Walking:
    """Walks the cohorts of one replay. `digests` are those of their walks."""

    def __init__(self, spark: SparkSession, writer: SoleWriter, step: Step, digests: Mapping[str, str]) -> None:
        self._spark = spark
        self._writer = writer
        self._out = writer.directory.location
        self._step = step
        self._digests = digests

    def walk(self, cohorts: Cohorts, round_runs: int) -> None:
        some = rounds(cohorts, round_runs)
        for cohorts_of_one, rows in zip(some, self._rows(cohorts, some), strict=True):
            self._round(cohorts_of_one, rows)

    def _rows(self, cohorts: Cohorts, some: Sequence[Cohorts]) -> Iterator[DataFrame]:
        """The rows of each round. All are read once: a harvest's tables are in no order that would let a round skip any."""
        rows = run_rows(self._spark, self._out, cohorts)
        if len(some) == 1:
            yield rows
            return
        numbers = [(cohort, number) for number, one in enumerate(some) for cohort in one]
        numbered = f.broadcast(self._spark.createDataFrame(numbers, "cohort string, round int"))
        path = self._staging("rows")
        rows.join(numbered, "cohort").write.partitionBy("round").parquet(path)
        for number in range(len(some)):
            yield self._spark.read.schema(rows.schema).parquet(f"{path}/round={number}")

    def _round(self, cohorts: Cohorts, rows: DataFrame) -> None:
        name = walks.name_of_next(self._writer.directory, datetime.now(UTC))
        tasks = min(len(cohorts), _TASKS_PER_CORE * self._spark.sparkContext.defaultParallelism)
        with rows_per_batch(self._spark, ROWS_PER_BATCH):
            walked = by_cohort(rows, tasks).mapInArrow(partial(self._step, round_=name), ddl(FOUND))
            walked.write.option("compression", "zstd").parquet(self._staging(name))
        digests = {cohort: self._digests[cohort] for cohort in cohorts}
        self._writer.require()
        walks.commit(self._writer.directory, name, f"{walks.STAGING}/{name}", digests)

    def _staging(self, name: str) -> str:
        return f"{self._out}/{walks.STAGING}/{name}"
