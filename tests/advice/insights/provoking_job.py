"""A PySpark application that provokes every insight, and does the same in a better way. usage: provoking_job.py TABLES"""

import sys
from contextlib import contextmanager

from pyspark.sql import SparkSession

FACTS, DIMS, DAYS, CRUMBS = 100_000, 10_000, 10, 110

# The join order that advise_join_orders knows a better one of.
ORDER = "join_order"
# By insight (and what tells apart several of one kind): the SQL that provokes it, and its better
# twin, one for each kind.
QUERIES = {
    ORDER: (
        "SELECT count(*) AS n FROM facts f JOIN facts g ON f.k = g.k JOIN dims d ON f.id = d.id WHERE d.w = 7",
        "SELECT count(*) AS n FROM facts f JOIN dims d ON f.id = d.id JOIN facts g ON f.k = g.k WHERE d.w = 7",
    ),
    "outer_join": (
        "SELECT f.k, f.amount, d.w FROM facts f FULL OUTER JOIN dims d ON f.k = d.id",
        "SELECT f.k, f.amount, d.w FROM facts f LEFT JOIN dims d ON f.k = d.id",
    ),
    "outer_join_having": (
        "SELECT f.id, sum(d.w) AS w FROM facts f LEFT JOIN dims d ON f.k = d.id GROUP BY f.id HAVING sum(d.w) > 10",
        None,
    ),
    "outer_join_udf": (
        "SELECT f.id, d.w FROM facts f LEFT JOIN dims d ON f.k = d.id WHERE plus_one(d.w) > 10",
        None,
    ),
    "unused_outer_join": (
        "SELECT f.amount, count(*) AS n FROM facts f LEFT JOIN dims d ON f.k = d.id GROUP BY f.amount",
        "SELECT f.amount, count(*) AS n FROM facts f GROUP BY f.amount",
    ),
    "nested_loop_join": (
        "SELECT count(*) AS n FROM (SELECT * FROM dims WHERE id < 200) a JOIN dims b ON a.w < b.w AND a.w + 3 > b.w",
        "SELECT count(*) AS n FROM (SELECT * FROM dims WHERE id < 200) a JOIN dims b ON a.id = b.id AND a.w + 3 > b.w",
    ),
    "nested_loop_join_cartesian": (
        "SELECT /*+ SHUFFLE_REPLICATE_NL(b) */ count(a.w + b.w) AS n FROM (SELECT * FROM dims WHERE id < 50) a, dims b",
        None,
    ),
    "ignored_hint": (
        "SELECT /*+ BROADCAST(f) */ f.k, d.w FROM facts f LEFT JOIN dims d ON f.k = d.id",
        "SELECT /*+ BROADCAST(d) */ f.k, d.w FROM facts f LEFT JOIN dims d ON f.k = d.id",
    ),
    "hash_fallback": (
        "SELECT k, sum(amount) AS s FROM facts GROUP BY k",
        "SELECT k, sum(amount) AS s FROM facts GROUP BY k",
    ),
    "object_hash_fallback": (
        "SELECT k, collect_set(amount) AS s FROM facts GROUP BY k",
        "SELECT k, collect_set(amount) AS s FROM facts GROUP BY k",
    ),
    "sort_aggregate": (
        "SELECT k, max(note) AS s FROM facts GROUP BY k",
        "SELECT k, max(amount) AS s FROM facts GROUP BY k",
    ),
    "distinct_aggregate": (
        "SELECT day, count(DISTINCT k) AS a, count(DISTINCT amount) AS b FROM facts GROUP BY day",
        "SELECT day, approx_count_distinct(k) AS a, approx_count_distinct(amount) AS b FROM facts GROUP BY day",
    ),
    "distinct_aggregate_of_one": (
        "SELECT day, count(DISTINCT id) AS a, sum(amount) AS b FROM facts GROUP BY day",
        None,
    ),
    "partial_aggregate": (
        "SELECT id, sum(amount) AS s FROM facts GROUP BY id",
        "SELECT id, sum(amount) AS s FROM facts GROUP BY id",
    ),
    "unpushed_filter": (
        "SELECT id, note FROM facts WHERE cast(id AS string) = '5'",
        "SELECT id, note FROM facts WHERE id = 5",
    ),
    "unpushed_filter_udf": (
        "SELECT id, note FROM facts WHERE plus_one(id) = 6",
        None,
    ),
    "unpruned_partitions": (
        "SELECT id FROM by_day WHERE amount = 7",
        "SELECT id FROM by_day WHERE amount = 7 AND day = 3",
    ),
    "dropped_columns": (
        "SELECT id, s.a FROM facts WHERE s.a > 7",
        "SELECT id, s.a FROM facts WHERE s.a > 7",
    ),
    "duplicate_subplan": (
        "SELECT a.k, a.s, b.s AS t FROM (SELECT k, sum(amount) AS s FROM facts GROUP BY k) a "
        "JOIN (SELECT k + 0 AS k, sum(amount) AS s FROM facts GROUP BY k) b ON a.k = b.k + 1",
        "SELECT a.k, a.s, b.s AS t FROM (SELECT k, sum(amount) AS s FROM facts GROUP BY k) a "
        "JOIN (SELECT k + 0 AS k, sum(amount) AS s FROM facts GROUP BY k) b ON a.k = b.k + 1",
    ),
    "spill": (
        "SELECT id, rank() OVER (PARTITION BY day ORDER BY amount) AS r FROM facts",
        "SELECT id, rank() OVER (PARTITION BY day ORDER BY amount) AS r FROM facts",
    ),
    "skew": (
        "SELECT sum(length(r)) FROM (SELECT k, repeat(sha2(note, 512), 4) AS r "
        "FROM (SELECT /*+ REPARTITION(8, k) */ if(id % 20 = 0, k, 0) AS k, note FROM facts))",
        "SELECT sum(length(r)) FROM (SELECT k, repeat(sha2(note, 512), 4) AS r "
        "FROM (SELECT /*+ REPARTITION(8, id) */ id, k, note FROM facts))",
    ),
    "small_files": (
        "SELECT sum(id) AS s FROM crumbs",
        "SELECT sum(id) AS s FROM facts",
    ),
}
# The session conf of both, where they differ in that, too.
CONF = {
    "ignored_hint": ({"spark.sql.ui.explainMode": "cost"}, {"spark.sql.ui.explainMode": "cost"}),
    "hash_fallback": ({"spark.sql.TungstenAggregate.testFallbackStartsAt": "3000,6000"}, {}),
    "object_hash_fallback": ({}, {"spark.sql.objectHashAggregate.sortBased.fallbackThreshold": "1000000"}),
    "partial_aggregate": ({}, {"spark.sql.execution.bypassPartialAggregation": "true"}),
    "dropped_columns": ({"spark.sql.optimizer.nestedSchemaPruning.enabled": "false"}, {}),
    "duplicate_subplan": ({"spark.sql.exchange.reuse": "false"}, {}),
    "spill": (
        {
            "spark.sql.windowExec.buffer.in.memory.threshold": "2000",
            "spark.sql.windowExec.buffer.spill.threshold": "2000",
        },
        {},
    ),
    "skew": ({"spark.sql.adaptive.enabled": "false"}, {"spark.sql.adaptive.enabled": "false"}),
}


def main(tables):
    spark = SparkSession.builder.appName("provoking_job").getOrCreate()
    write_tables(spark, tables)
    for name in ("facts", "dims", "by_day", "crumbs"):
        spark.read.parquet(f"{tables}/{name}").createOrReplaceTempView(name)
    spark.udf.register("plus_one", lambda value: None if value is None else value + 1, "long")
    for name, twins in QUERIES.items():
        for sql, conf, label in zip(twins, CONF.get(name, ({}, {})), ("provoked", "mended"), strict=True):
            if sql is None:
                continue
            with session(spark, conf):
                spark.sparkContext.setJobDescription(f"{name} {label}")
                spark.sql(sql).write.format("noop").mode("overwrite").save()
    spark.stop()


def write_tables(spark, tables):
    facts = spark.range(0, FACTS, 1, 4).selectExpr(
        "id",
        f"id * 7919 % {2 * DIMS} AS k",
        f"CAST(id % {DAYS} AS int) AS day",
        "id * 31 % 1000 AS amount",
        "sha2(CAST(id AS string), 256) AS note",
        "named_struct('a', id % 10, 'b', CAST(id AS string), 'c', id) AS s",
    )
    facts.write.parquet(f"{tables}/facts")
    spark.range(0, DIMS, 1, 2).selectExpr("id", "id % 100 AS w").write.parquet(f"{tables}/dims")
    by_day = spark.range(0, FACTS // 5, 1, 1).selectExpr("id", "id % 100 AS amount", f"CAST(id % {DAYS} AS int) AS day")
    by_day.write.partitionBy("day").parquet(f"{tables}/by_day")
    spark.range(0, CRUMBS, 1, CRUMBS).write.parquet(f"{tables}/crumbs")


@contextmanager
def session(spark, conf):
    for key, value in conf.items():
        spark.conf.set(key, value)
    yield
    for key in conf:
        spark.conf.unset(key)


if __name__ == "__main__":
    main(sys.argv[1])
