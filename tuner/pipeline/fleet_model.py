"""Operator times learned from a fleet, on Spark: a model of each kind of cluster, and one of all.

    OUT/operator_times/model.json            of all of the fleet
    OUT/operator_times/kinds/<kind>.json     of one kind of cluster (`cluster_kind`), with queries enough
    OUT/operator_times/learned.json          written last: what they were learned from

SPARK_TUNER_MODEL can name any model; learning here never starts from one of these.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field

import msgspec
from pyspark.sql import SparkSession
from pyspark.sql.utils import CapturedException

from tuner.cost.learned.calibrated_model import configured_model
from tuner.cost.learned.named_model import named_model
from tuner.cost.learned.operator_times import Errors, OperatorTimes, read_model, shipped_model, write_model
from tuner.eventlog.location import local_path
from tuner.eventlog.properties import error_kind
from tuner.pipeline.batches import Directory
from tuner.pipeline.schema import ddl
from tuner.pipeline.train_kind import TRAINED, train_kind
from tuner.pipeline.training_sample import FLEET, MeasuredKind, measured_kinds, training_sample

_DIRECTORY = "operator_times"
FILE = f"{_DIRECTORY}/model.json"
_KINDS = f"{_DIRECTORY}/kinds"
_LEARNED = "learned.json"
# With so many, hashes seldom bring two kinds into one task.
_TASKS_PER_KIND = 8


@dataclass(frozen=True, slots=True)
class KindModel:
    """The model that prices a kind of cluster, in the file at `path`. `queries` and `stages` are what the tables hold of it.

    `errors` are of its own model; empty where it has too few queries for one, and `path` is the whole fleet's.
    """

    kind: str
    path: str
    queries: int
    stages: int
    errors: Mapping[str, Errors] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class FleetModel:
    """A fleet's own model, in the file at `path`, and how far it is off on queries left out, by what was validated.

    `skipped` says why there is none, where there is none. `kinds` has the kinds of clusters, most stages first. `outdated`
    counts the logs that taught nothing, because an earlier version has harvested them, and they are gone.
    """

    path: str = ""
    queries: int = 0
    stages: int = 0
    errors: Mapping[str, Errors] = field(default_factory=dict)
    skipped: str = ""
    kinds: tuple[KindModel, ...] = ()
    outdated: int = 0


class _Learned(msgspec.Struct, frozen=True):
    """`inputs` is a digest of what was learned from."""

    inputs: str
    kinds: tuple[MeasuredKind, ...]


def where_learning_starts(out: str) -> OperatorTimes:
    """The model that prices, but for one that was learned from the tables at `out`: what learned from itself would change each
    time, and would have seen the queries that are left out. Raises as `configured_model`."""
    named, here = named_model(os.environ), local_path(out)
    is_own = named and here and named.resolve().is_relative_to((here / _DIRECTORY).resolve())
    return shipped_model() if is_own else configured_model()


def fleet_model(spark: SparkSession, directory: Directory, out: str, prior: OperatorTimes, inputs: str) -> FleetModel:
    """The models of the tables at `out`, of which there is at least one; trained where `inputs`, a digest of them, is new."""
    learned = _learned(directory)
    if learned is not None and learned.inputs == inputs:
        return _told(directory, out, learned.kinds)
    kinds = measured_kinds(spark, out)
    if not kinds:
        return FleetModel(skipped="no query was measured")
    try:
        models, missing = _train(spark, out, [kind.kind for kind in kinds if kind.is_enough], prior)
    except ImportError as error:
        return _lacking(error.name or "pandas")
    except CapturedException as error:
        # A worker has failed: its last line says at what, the ones above where.
        return FleetModel(skipped=f"training failed on a worker: {error_kind(str(error).strip().splitlines()[-1])}")
    if missing or FLEET not in models:
        return _lacking(missing or "scikit-learn")
    directory.delete(_DIRECTORY)
    for kind, model in models.items():
        directory.write(_file(kind), model)
    directory.write(f"{_DIRECTORY}/{_LEARNED}", msgspec.json.encode(_Learned(inputs, tuple(kinds))))
    return _told(directory, out, tuple(kinds))


def _train(spark: SparkSession, out: str, kinds: list[str], prior: OperatorTimes) -> tuple[dict[str, bytes], str]:
    """The model of each kind and of FLEET, as JSON; and what a worker lacked."""
    written = write_model(prior)
    # A task each: they are few rows, which Spark would bring together in one, and minutes of work.
    rows = training_sample(spark, out, kinds).repartition(_TASKS_PER_KIND * (len(kinds) + 1), "kind").groupBy("kind")
    # A lambda, because Spark 4 warns of type hints that it cannot resolve without pandas.
    trained = rows.applyInPandas(lambda key, frame: train_kind(key, frame, written), ddl(TRAINED)).collect()
    models = {row["kind"]: bytes(row["model"]) for row in trained if row["model"] is not None}
    return models, next((row["missing"] for row in trained if row["missing"]), "")


def _lacking(missing: str) -> FleetModel:
    return FleetModel(
        skipped=f"training needs {missing} where Spark's workers run: pip install 'airflow-spark-tuner[learn]'"
    )


def _file(kind: str) -> str:
    return FILE if kind == FLEET else f"{_KINDS}/{kind}.json"


def _told(directory: Directory, out: str, kinds: tuple[MeasuredKind, ...]) -> FleetModel:
    whole = read_model(directory.read(FILE), f"{out}/{FILE}")
    told = tuple(_told_kind(directory, out, kind) for kind in kinds)
    return FleetModel(f"{out}/{FILE}", whole.queries, whole.stages, whole.errors, kinds=told)


def _told_kind(directory: Directory, out: str, found: MeasuredKind) -> KindModel:
    if not found.is_enough:
        return KindModel(found.kind, f"{out}/{FILE}", found.queries, found.stages)
    path = _file(found.kind)
    model = read_model(directory.read(path), f"{out}/{path}")
    return KindModel(found.kind, f"{out}/{path}", found.queries, found.stages, model.errors)


def _learned(directory: Directory) -> _Learned | None:
    """None where nothing was, not whole, or by an earlier version."""
    if not {FILE.partition("/")[2], _LEARNED} <= set(directory.names(_DIRECTORY)):
        return None
    found = msgspec.json.decode(directory.read(f"{_DIRECTORY}/{_LEARNED}"), type=_Learned)
    files = {f"{_KINDS}/{name}" for name in directory.names(_KINDS)}
    return found if all(_file(kind.kind) in files for kind in found.kinds if kind.is_enough) else None
