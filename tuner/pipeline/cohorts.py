"""Which runs a harvest holds, by cohort and in time order: decided anew for each replay, from the documents."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from typing import Any

import msgspec
import pyarrow as pa
from pyspark.sql import DataFrame, Row, SparkSession
from pyspark.sql import functions as f

from tuner.model.run import RunState
from tuner.pipeline.documents import read_run
from tuner.pipeline.harvested import table
from tuner.pipeline.schema import ddl
from tuner.replay.cohort_of import CohortRules, cohort_of
from tuner.replay.cohort_replay import UnreadLog
from tuner.replay.logged_run import with_queries
from tuner.replay.run_selection import RunSelection

_RUNS = pa.schema(
    {
        "log": pa.string(),
        "cohort": pa.string(),
        "key": pa.string(),
        "started_ms": pa.int64(),
        "partial": pa.bool_(),
        "unused": pa.string(),
    }
)


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """A run's place in its cohort. Ordered by time."""

    started_ms: int
    key: str
    log: str


@dataclass(frozen=True, slots=True)
class Fleet:
    """The runs to replay by cohort, oldest first; the cohorts there are, replayed or not; what is in none, or in part; all
    logs of applications; the cohorts there are, where none of them was asked for.
    """

    cohorts: dict[str, tuple[Place, ...]] = field(default_factory=dict)
    known: frozenset[str] = frozenset()
    unread: tuple[UnreadLog, ...] = ()
    logs: tuple[str, ...] = ()
    unnamed: tuple[str, ...] = ()


def fleet_of(spark: SparkSession, out: str, rules: CohortRules, chosen: RunSelection) -> Fleet:
    """The fleet of the tables at `out`, of which there is at least one. Holds a line for each run in memory."""
    rows = _runs(spark, out, rules).collect()
    known = frozenset(row["cohort"] for row in rows if row["cohort"] is not None)
    cohorts: dict[str, dict[str, Row]] = {}
    unread: dict[str, UnreadLog] = {}
    for row in sorted(rows, key=lambda row: row["log"]):
        if row["cohort"] is None or row["partial"] or not row["queries"]:
            unread[row["log"]] = UnreadLog(row["log"], row["unused"], is_unreadable=row["cohort"] is None)
        if row["cohort"] is not None and chosen.asks_for(row["cohort"], known):
            _take(row, cohorts.setdefault(row["cohort"], {}), unread)
    told = tuple(unread[log] for log in sorted(unread))
    return Fleet(_since(cohorts, chosen), known, told, tuple(row["log"] for row in rows), chosen.unnamed(known))


def _take(row: Row, runs: dict[str, Row], unread: dict[str, UnreadLog]) -> None:
    """Add it to its cohort: of two logs of one run the one that the local replay prefers."""
    other = runs.get(row["key"])
    if other is not None:
        row, left = sorted((row, other), key=lambda row: (row["partial"], -row["started_ms"], row["log"]))
        unread[left["log"]] = UnreadLog(left["log"], f"of the same run as {row['log']}")
    runs[row["key"]] = row


def _since(cohorts: dict[str, dict[str, Row]], chosen: RunSelection) -> dict[str, tuple[Place, ...]]:
    newest = max((row["started_ms"] for runs in cohorts.values() for row in runs.values()), default=None)
    start = None if newest is None else chosen.start(datetime.fromtimestamp(newest / 1e3, UTC))
    earliest = 0 if start is None else start.timestamp() * 1e3
    found = {
        cohort: tuple(
            sorted(
                Place(row["started_ms"], row["key"], row["log"])
                for row in runs.values()
                if row["started_ms"] >= earliest
            )
        )
        for cohort, runs in sorted(cohorts.items())
    }
    return {cohort: places for cohort, places in found.items() if places}


def _runs(spark: SparkSession, out: str, rules: CohortRules) -> DataFrame:
    runs = table(spark, out, "applications", "log", "document").mapInArrow(partial(told, rules=rules), ddl(_RUNS))
    queries = table(spark, out, "queries", "log").groupBy("log").agg(f.count("*").alias("queries"))
    return runs.join(queries, "log", "left")


def told(batches: Iterable[pa.RecordBatch], rules: CohortRules) -> Iterator[pa.RecordBatch]:
    """Input columns `log` and `document` of the applications; runs on the workers."""
    for batch in batches:
        yield pa.RecordBatch.from_pylist([_told(rules=rules, **row) for row in batch.to_pylist()], schema=_RUNS)


def _told(log: str, document: str | None, rules: CohortRules) -> dict[str, Any]:
    if document is None:
        return {"log": log, "unused": "harvested without what a replay reads, and not there to be read again"}
    try:
        found = read_run(document)
    except msgspec.ValidationError as error:
        # As of what an earlier version wrote.
        unused = f"harvested without what a replay reads ({error}), and not there to be read again"
        return {"log": log, "unused": unused}
    except msgspec.DecodeError as error:
        return {"log": log, "unused": f"what was harvested of it cannot be read: {error}"}
    if (run := found.run) is None:
        return {"log": log, "unused": found.unused}
    return {
        "log": log,
        "cohort": cohort_of(run.outcome.conf, run.app_name, rules, run.platform, log),
        "key": run.key,
        "started_ms": round(run.started_at.timestamp() * 1e3),
        "partial": with_queries(run, (), found.ends).state is RunState.PARTIAL,
        "unused": found.unused,
    }
