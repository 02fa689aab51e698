"""Operator times learned from a fleet: on the driver, of a bounded sample that Spark takes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime

import msgspec
from pyspark.sql import DataFrame, SparkSession, Window
from pyspark.sql import functions as f

from tuner.cost.learned.operator_times import Errors, OperatorTimes, read_model, write_model
from tuner.cost.learned.query_samples import Sample, sample_of
from tuner.cost.learned.train_operator_times import MOST_STAGES, train_operator_times
from tuner.pipeline.batches import Directory
from tuner.pipeline.documents import read_query, read_run
from tuner.pipeline.harvested import table

# Beside the tables; SPARK_TUNER_MODEL can name it.
_DIRECTORY = "operator_times"
FILE = f"{_DIRECTORY}/model.json"
# Holds a digest; written last.
_LEARNED_FROM = f"{_DIRECTORY}/learned_from"
# How many of them it takes to MOST_STAGES is seen on the way.
MOST_QUERIES = 2_000


@dataclass(frozen=True, slots=True)
class FleetModel:
    """A fleet's own model, in the file at `path`, and how far it is off on queries left out, by what was validated.

    `skipped` says why there is none, where there is none.
    """

    path: str = ""
    queries: int = 0
    stages: int = 0
    errors: Mapping[str, Errors] = field(default_factory=dict)
    skipped: str = ""


def fleet_model(spark: SparkSession, directory: Directory, out: str, prior: OperatorTimes, inputs: str) -> FleetModel:
    """The model of the tables at `out`, of which there is at least one; trained where `inputs`, a digest of them, is new."""
    if _learned_from(directory) == inputs:
        return _told(out, read_model(directory.read(FILE), f"{out}/{FILE}"))
    found = _samples(spark, out)
    if not found:
        return FleetModel(skipped="no query was measured")
    runs = len({run for run, _, _ in found})
    try:
        model = train_operator_times(
            [sample for _, _, sample in sorted(found, key=_time)], prior, f"{runs} runs of a fleet"
        )
    except ImportError as error:
        missing = error.name or "scikit-learn"
        return FleetModel(skipped=f"training needs {missing}: pip install 'airflow-spark-tuner[learn]'")
    directory.delete(_DIRECTORY)
    directory.write(FILE, write_model(model))
    directory.write(_LEARNED_FROM, inputs.encode())
    return _told(out, model)


def _told(out: str, model: OperatorTimes) -> FleetModel:
    return FleetModel(f"{out}/{FILE}", model.queries, model.stages, model.errors)


def _learned_from(directory: Directory) -> str:
    there = {f"{_DIRECTORY}/{name}" for name in directory.names(_DIRECTORY)}
    return directory.read(_LEARNED_FROM).decode() if {FILE, _LEARNED_FROM} <= there else ""


_Found = tuple[str, datetime, Sample]


def _time(found: _Found) -> tuple[datetime, str]:
    run, started_at, _ = found
    return started_at, run


def _samples(spark: SparkSession, out: str) -> list[_Found]:
    """As many stages as training looks at, evenly of all queries that there are."""
    found: list[_Found] = []
    stages = 0
    for one in _measured(_sampled(spark, out)):
        stages += len(one[2].work.stages)
        if stages > MOST_STAGES and found:
            break
        found.append(one)
    return found


def _sampled(spark: SparkSession, out: str) -> DataFrame:
    """Documents of queries: one run of each query first, chosen by a hash; then a second of each, and so on."""
    chance = f.xxhash64("log", "query_id")
    queries = table(spark, out, "queries", "log", "query_id", "fingerprint", "status").where("status = 'succeeded'")
    turn = f.row_number().over(Window.partitionBy("fingerprint").orderBy(chance, "log", "query_id"))
    few = queries.select("log", "query_id", turn.alias("turn"), chance.alias("chance"))
    few = few.orderBy("turn", "chance").limit(MOST_QUERIES)
    documents = table(spark, out, "queries", "log", "query_id", "document")
    runs = table(spark, out, "applications", "log", "document").withColumnRenamed("document", "run")
    found = documents.join(f.broadcast(few), ["log", "query_id"]).join(runs, "log")
    return found.where("document is not null and run is not null").orderBy("turn", "chance").select("run", "document")


def _measured(sampled: DataFrame) -> Iterator[_Found]:
    for row in sampled.toLocalIterator():
        try:
            run, query = read_run(row["run"]).run, read_query(row["document"])
        except msgspec.DecodeError:
            # The walk tells of it.
            continue
        if run is not None and (sample := sample_of(query, run.outcome.cluster)) is not None:
            yield run.key, run.started_at, sample
