"""The runs of cohorts as rows that can be sorted: each run's own document, then those of its queries."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import groupby
from typing import Any

import msgspec
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as f

from tuner.loop.kept_queries import KeptQueries
from tuner.loop.work_ends import WorkEnds
from tuner.model.application import JobStatus
from tuner.model.query import Query, QueryStatus
from tuner.pipeline.cohorts import Place
from tuner.pipeline.documents import read_query, read_run
from tuner.pipeline.harvested import table
from tuner.replay.cohort_replay import LoggedRun
from tuner.replay.logged_run import with_queries

# How the jobs ended that were of no SQL execution, by log: null where it had none, and in the rows of queries.
JOBS = ("failed_ms", "begun_ms", "open_jobs")
# In this order, the rows are what `logged_runs` takes.
ORDER = ("cohort", "position", "is_query", "query_id")
COLUMNS = (*ORDER, "log", "document", *JOBS)
# A document can hold 100 KB, a run's decision more: few of them in one Arrow batch.
ROWS_PER_BATCH = 64

Row = Mapping[str, Any]


def run_rows(spark: SparkSession, out: str, cohorts: Mapping[str, Iterable[Place]]) -> DataFrame:
    """The rows of these runs, in no order; `position` counts the runs of a cohort in time order."""
    numbered = [(p.log, cohort, i) for cohort, places in cohorts.items() for i, p in enumerate(places)]
    chosen = f.broadcast(spark.createDataFrame(numbered, "log string, cohort string, position bigint"))
    runs = table(spark, out, "applications", "log", "document").withColumns(
        {"is_query": f.lit(False), "query_id": f.lit(0).cast("bigint")}
    )
    queries = table(spark, out, "queries", "log", "query_id", "document").withColumn("is_query", f.lit(True))
    told = runs.join(_jobs(spark, out), "log", "left").unionByName(queries, allowMissingColumns=True)
    return told.join(chosen, "log").select(*COLUMNS)


def _jobs(spark: SparkSession, out: str) -> DataFrame:
    jobs = table(spark, out, "jobs", "log", "execution_id", "submitted_ms", "completed_ms", "status")
    failed, succeeded = (f.col("status") == status.value for status in (JobStatus.FAILED, JobStatus.SUCCEEDED))
    told = (
        f.max(f.when(failed, f.coalesce("completed_ms", f.lit(0)))).alias("failed_ms"),
        f.max(f.when(succeeded, f.coalesce("submitted_ms", f.lit(0)))).alias("begun_ms"),
        f.count(f.when(~(failed | succeeded), True)).alias("open_jobs"),
    )
    return jobs.where("execution_id is null").groupBy("log").agg(*told)


def by_cohort(rows: DataFrame, partitions: int) -> DataFrame:
    """The rows in order, all of a cohort in one partition."""
    return rows.repartition(partitions, "cohort").sortWithinPartitions(*ORDER)


def logged_runs(rows: Iterable[Row], unread: Callable[[str, str], None]) -> Iterator[LoggedRun]:
    """The runs of one cohort's rows, which come in order; `unread` is told of a log what a query of it lacks.

    Memory: one run.
    """
    for _, parts in groupby(rows, key=lambda row: row["position"]):
        head, *queries = parts
        run = read_run(head["document"]).run
        if run is None:
            continue
        kept = KeptQueries()
        for query in _queries(queries, unread):
            kept.add(query)
        yield with_queries(replace(run, cohort=head["cohort"]), kept.found, _ends(head, kept.found))


def _ends(head: Row, queries: Iterable[Query]) -> WorkEnds:
    """How the work ended that no query's document tells of, and what makes up for it."""
    begun = (query.start_ms for query in queries if query.status is QueryStatus.SUCCEEDED)
    failed_ms, begun_ms = (-1 if head[name] is None else head[name] for name in JOBS[:2])
    return WorkEnds(is_open=bool(head["open_jobs"]), failed_ms=failed_ms, begun_ms=max(begun_ms, *begun, -1))


def _queries(parts: Iterable[Row], unread: Callable[[str, str], None]) -> Iterator[Query]:
    for row in parts:
        try:
            yield read_query(row["document"] or "")
        except msgspec.DecodeError as error:
            unread(row["log"], f"query {row['query_id']} is left out, its document cannot be read: {error}")
