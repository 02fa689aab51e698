"""The rows that models are trained of: a bounded number of stages of each kind of cluster, and of all."""

from __future__ import annotations

from dataclasses import dataclass

from pyspark.sql import DataFrame, SparkSession, Window
from pyspark.sql import functions as f

from tuner.cost.learned.train_operator_times import MIN_QUERIES, MOST_STAGES
from tuner.pipeline.cluster_kind import cluster_kind
from tuner.pipeline.harvested import table
from tuner.pipeline.stage_work import QUERY_COLUMNS, STAGE_COLUMNS

# The kind of all clusters together; no cluster has this one.
FLEET = "fleet"
# How many of them it takes to MOST_STAGES is seen on the way.
MOST_QUERIES = 2_000


@dataclass(frozen=True, slots=True)
class MeasuredKind:
    """How many different queries, and stages of all their runs, the tables hold of a kind of cluster."""

    kind: str
    queries: int
    stages: int

    @property
    def is_enough(self) -> bool:
        """Whether a model of it can be validated on queries left out."""
        return self.queries >= MIN_QUERIES


def measured_kinds(spark: SparkSession, out: str) -> list[MeasuredKind]:
    """The kinds of clusters in the tables at `out`, most stages first."""
    counted = _queries(spark, out).groupBy("kind").agg(f.countDistinct("fingerprint"), f.sum("stages"))
    found = (MeasuredKind(*row) for row in counted.collect())
    return sorted(found, key=lambda kind: (-kind.stages, kind.kind))


def training_sample(spark: SparkSession, out: str, kinds: list[str]) -> DataFrame:
    """Rows of stages with the columns of `stage_work`'s `samples_of`, and `kind`: of these kinds, and all again of FLEET.

    Of each kind one run of each query first, chosen by a hash; then a second of each, and so on, up to MOST_STAGES.
    """
    queries = _queries(spark, out)
    queries = queries.where(f.col("kind").isin(kinds)).unionByName(queries.withColumn("kind", f.lit(FLEET)))
    one = f.xxhash64("log", "query_id"), "log", "query_id"
    turn = f.row_number().over(Window.partitionBy("kind", "fingerprint").orderBy(*one))
    order = Window.partitionBy("kind").orderBy("turn", *one)
    few = queries.withColumn("turn", turn).withColumn("place", f.row_number().over(order))
    few = few.where(f"place <= {MOST_QUERIES}")
    few = few.withColumn("so_far", f.sum("stages").over(order.rowsBetween(Window.unboundedPreceding, 0)))
    few = few.where(f"so_far <= {MOST_STAGES} or place = 1")
    chosen = f.broadcast(few.select("kind", "log", "query_id", "fingerprint", "start_ms", "cores"))
    work = table(spark, out, "query_work", "log", "query_id", *QUERY_COLUMNS)
    stages = table(spark, out, "stage_work", "log", "query_id", *STAGE_COLUMNS)
    return stages.join(chosen, ["log", "query_id"]).join(work, ["log", "query_id"])


def _queries(spark: SparkSession, out: str) -> DataFrame:
    """The queries that can be learned from, each with the kind of cluster it ran on."""
    shape = ("spark_version", "executor_cores", "executor_memory_bytes")
    # What `logged_run` gives a place in time.
    runs = table(spark, out, "applications", "log", "app_id", "status", "start_ms", "executors", *shape)
    runs = runs.where("app_id <> '' and status <> 'failed' and start_ms > 0")
    # A lambda, because Spark 4 takes type hints for those of a function of pandas, and warns that they are not.
    kind = f.udf(lambda *told: cluster_kind(*told), "string")
    cores = f.col("executors") * f.col("executor_cores")
    placed = runs.select("log", kind(*shape).alias("kind"), "start_ms", cores.alias("cores"))
    return table(spark, out, "query_work", "log", "query_id", "fingerprint", "stages").join(placed, "log")
