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
from tuner.model.query import Query
from tuner.pipeline.cohorts import Place
from tuner.pipeline.documents import read_query, read_run
from tuner.pipeline.harvested import table
from tuner.replay.cohort_replay import LoggedRun
from tuner.replay.logged_run import with_queries

# In this order, the rows are what `logged_runs` takes.
ORDER = ("cohort", "position", "is_query", "query_id")
COLUMNS = (*ORDER, "log", "document")
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
    return runs.unionByName(queries).join(chosen, "log").select(*COLUMNS)


def by_cohort(rows: DataFrame, partitions: int) -> DataFrame:
    """The rows in order, all of a cohort in one partition."""
    return rows.repartition(partitions, "cohort").sortWithinPartitions(*ORDER)


def logged_runs(rows: Iterable[Row], unread: Callable[[str, str], None]) -> Iterator[LoggedRun]:
    """The runs of one cohort's rows, which come in order; `unread` is told of a log what a query of it lacks.

    Memory: one run, with the queries that are kept of it.
    """
    for _, parts in groupby(rows, key=lambda row: row["position"]):
        head = next(parts)
        found = read_run(head["document"])
        if found.run is None:
            continue
        kept = KeptQueries()
        for query in _queries(parts, unread):
            kept.add(query)
        yield with_queries(replace(found.run, cohort=head["cohort"]), kept.found, found.ends)


def _queries(parts: Iterable[Row], unread: Callable[[str, str], None]) -> Iterator[Query]:
    for row in parts:
        try:
            yield read_query(row["document"] or "")
        except msgspec.DecodeError as error:
            unread(row["log"], f"query {row['query_id']} is left out, its document cannot be read: {error}")
