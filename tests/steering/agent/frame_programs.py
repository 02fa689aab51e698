"""DataFrame programs around joins: what they collect is the same in any order of their joins."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame, Row, SparkSession, Window
from pyspark.sql import functions as f

Rows = list[Row]


def _by(spark: SparkSession, table: str, key: str) -> DataFrame:
    """A table whose id has the name that others refer to it by."""
    return spark.table(table).withColumnRenamed("id", key)


@contextmanager
def _folder(spark: SparkSession) -> Iterator[str]:
    """An empty folder, the same in every run of one program."""
    name = str(spark.sparkContext.getLocalProperty("spark.job.description")).rpartition(": ")[2]
    folder = Path(spark.conf.get("spark.tuner.tests.work") or "", name.replace(" ", "_"))
    folder.mkdir(parents=True)
    try:
        yield str(folder)
    finally:
        shutil.rmtree(folder)


def with_columns(spark: SparkSession) -> Rows:
    orders = spark.table("orders").withColumn("big", f.col("qty") > 5).withColumn("k", f.col("item") + 1)
    items = _by(spark, "items", "item_id").withColumn("k", f.col("item_id") + 1)
    stores = spark.table("stores").select(f.col("id").alias("store_id"), "region", f.upper("city").alias("city"))
    regions = _by(spark, "regions", "region").withColumnRenamed("name", "where")
    joined = orders.join(items, "k").join(stores, f.col("store") == f.col("store_id")).join(regions, "region")
    for number in range(4):
        joined = joined.withColumn(f"n{number}", f.col("qty") * number).filter(f.col("qty") >= number)
    return joined.drop("price", "tags").collect()


def aliases(spark: SparkSession) -> Rows:
    one, other = spark.table("orders").alias("one"), spark.table("orders").alias("other")
    items, customers = spark.table("items").alias("i"), spark.table("customers").alias("c")
    return (
        one.join(other, (f.col("one.customer") == f.col("other.customer")) & (f.col("one.id") < f.col("other.id")))
        .join(items, f.col("i.id") == f.col("other.item"))
        .join(customers, f.col("c.id") == f.col("one.customer"))
        .select("one.id", f.col("other.id").alias("other"), "i.brand", "c.name")
        .collect()
    )


def same_frame_twice(spark: SparkSession) -> Rows:
    """Spark gives the columns of one side new ids."""
    wide = spark.table("orders").join(_by(spark, "items", "item"), "item")
    wide = wide.join(_by(spark, "stores", "store"), "store").select("item", "store", "qty", "city")
    small, few = wide.filter("qty > 8"), wide.filter("qty < 1").select("store", "item").distinct()
    third = wide.filter("qty = 4").select("item", f.col("city").alias("third"))
    return (
        small.select("store", "qty").join(few, "store").join(third, "item").groupBy("store", "third").count().collect()
    )


def broadcast_by_hand(spark: SparkSession) -> Rows:
    items, stores = _by(spark, "items", "item"), _by(spark, "stores", "store")
    customers = _by(spark, "customers", "customer").hint("shuffle_hash")
    orders = spark.table("orders")
    joined = orders.join(f.broadcast(items), "item").join(stores.hint("merge"), "store").join(customers, "customer")
    return joined.select("id", "brand", "city", "name").collect()


def cached(spark: SparkSession) -> Rows:
    """The cache holds a join; what it holds was planned with its own query."""
    orders = spark.table("orders").filter("day <> 31")
    items, stores = _by(spark, "items", "item"), _by(spark, "stores", "store")
    kept = orders.join(items.select("item", "brand"), "item").join(stores, "store").cache()
    try:
        kept.count()
        regions, customers = _by(spark, "regions", "region"), spark.table("customers")
        joined = kept.join(regions, "region").join(
            customers.select(f.col("id").alias("customer"), f.col("name").alias("who")), "customer"
        )
        return joined.select("id", "brand", "city", "name", "who").collect()
    finally:
        kept.unpersist(blocking=True)


def checkpointed(spark: SparkSession) -> Rows:
    orders = spark.table("orders").filter("qty > 2").localCheckpoint()
    items, stores = _by(spark, "items", "item"), _by(spark, "stores", "store")
    customers = _by(spark, "customers", "customer")
    return (
        orders.join(items, "item")
        .join(stores, "store")
        .join(customers, "customer")
        .select("id", "brand", "city")
        .collect()
    )


def checkpoints_joined(spark: SparkSession) -> Rows:
    """Of other columns each: none is joined with itself."""
    orders = spark.table("orders").select("id", "item", "store").localCheckpoint()
    items = spark.table("items").select(f.col("id").alias("item"), "brand").localCheckpoint()
    stores = spark.table("stores").select(f.col("id").alias("store"), "city").localCheckpoint()
    return orders.join(items, "item").join(stores, "store").select("id", "brand", "city").collect()


def made_by_hand(spark: SparkSession) -> Rows:
    """Rows of the program's own, and a range."""
    words = spark.createDataFrame([(n % 5, f"w{n}") for n in range(9)] + [(None, "none")], "category int, word string")
    numbers = spark.createDataFrame([(n % 7, n) for n in range(20)], "day int, n int")
    ids = spark.range(0, 400, 3, 2)
    joined = spark.table("orders").join(spark.table("items").select(f.col("id").alias("item"), "category"), "item")
    return joined.join(words, "category").join(numbers, "day").join(ids, "id").select("id", "word", "n").collect()


def python_function(spark: SparkSession) -> Rows:
    """In a condition that needs both sides: Spark takes it out of the join."""
    near = f.udf(lambda one, other: one is not None and other is not None and abs(one - other) < 3, "boolean")
    items = spark.table("items").select(f.col("id").alias("i_id"), "category")
    stores, regions = spark.table("stores").alias("s"), spark.table("regions").alias("g")
    joined = (
        spark.table("orders").filter("day < 9").join(items, (f.col("item") == f.col("i_id")) & near("qty", "category"))
    )
    joined = joined.join(stores, f.col("store") == f.col("s.id")).join(regions, f.col("g.id") == f.col("s.region"))
    return joined.select(f.col("orders.id"), "category", "g.name").collect()


def repartitioned(spark: SparkSession) -> Rows:
    items, stores = _by(spark, "items", "item"), _by(spark, "stores", "store")
    customers = _by(spark, "customers", "customer").coalesce(1)
    joined = spark.table("orders").repartition(3, "item").join(items.repartition(2), "item").join(stores, "store")
    return joined.join(customers, "customer").sortWithinPartitions("id").select("id", "brand", "name").collect()


def pivoted(spark: SparkSession) -> Rows:
    items, stores = _by(spark, "items", "item"), _by(spark, "stores", "store")
    customers = spark.table("customers").select(f.col("id").alias("customer"), f.col("region").alias("home"))
    joined = spark.table("orders").join(items, "item").join(stores, "store").join(customers, "customer")
    return joined.groupBy("home").pivot("category", [1, 2, 3]).agg(f.sum("qty")).collect()


def latest_of_each(spark: SparkSession) -> Rows:
    latest = Window.partitionBy("customer").orderBy(f.desc("id"))
    orders = spark.table("orders").withColumn("nth", f.row_number().over(latest)).filter("nth <= 2")
    items, customers = _by(spark, "items", "item"), _by(spark, "customers", "customer")
    joined = orders.join(items, "item").join(customers, "customer").join(_by(spark, "regions", "region"), "region")
    counted = joined.withColumn("of", f.count("*").over(Window.partitionBy("region")))
    return counted.select("id", "nth", "brand", "of").collect()


def looked_at_before(spark: SparkSession) -> Rows:
    """The plan is made before anything runs, and used by two actions."""
    items, stores = _by(spark, "items", "item"), _by(spark, "stores", "store")
    customers = _by(spark, "customers", "customer")
    joined = spark.table("orders").join(items, "item").join(stores, "store").join(customers, "customer")
    joined._jdf.queryExecution().executedPlan()
    counted = joined.count()
    return [*joined.select("id", "brand").collect(), Row(id=counted, brand="all")]


def written_and_read(spark: SparkSession) -> Rows:
    with _folder(spark) as folder:
        items, stores = _by(spark, "items", "item"), _by(spark, "stores", "store")
        customers = _by(spark, "customers", "customer").drop("region")
        joined = (
            spark.table("orders").drop("price").join(items, "item").join(stores, "store").join(customers, "customer")
        )
        joined.write.partitionBy("store").mode("overwrite").parquet(f"{folder}/out")
        return spark.read.parquet(f"{folder}/out").select("id", "brand", "city", "name", "store").collect()


def streamed(spark: SparkSession) -> Rows:
    """A stream joined with tables: each of its batches is planned on its own."""
    orders = spark.table("orders").drop("tags")
    items, stores = _by(spark, "items", "item"), _by(spark, "stores", "store")
    customers = _by(spark, "customers", "customer").drop("region")

    def joined(stream: DataFrame) -> DataFrame:
        return stream.join(items.drop("price"), "item").join(stores, "store").join(customers, "customer")

    return _stream(spark, orders, lambda stream, _: joined(stream).select("id", "brand", "city", "name"))


def streams_joined(spark: SparkSession) -> Rows:
    """Streams keep their state by the order of their joins."""
    orders = spark.table("orders").select("id", "item", "customer")
    customers = _by(spark, "customers", "customer").drop("region")

    def joined(stream: DataFrame, again: DataFrame) -> DataFrame:
        other = again.select(f.col("id").alias("other"), "item")
        third = again.select(f.col("customer").alias("whose"), f.col("id").alias("other"))
        return (
            stream.join(other, "item")
            .join(third, "other")
            .join(customers, "customer")
            .select("id", "other", "whose", "name")
        )

    return _stream(spark, orders, joined)


def _stream(spark: SparkSession, rows: DataFrame, program: Callable[[DataFrame, DataFrame], DataFrame]) -> Rows:
    """What a program makes of a stream of these rows, in two batches, and of the same stream once more."""
    with _folder(spark) as folder:
        rows.orderBy("id").repartitionByRange(2, "id").write.parquet(f"{folder}/in")
        reader = spark.readStream.schema(rows.schema).option("maxFilesPerTrigger", 1)
        streams = [reader.parquet(f"{folder}/in") for _ in range(2)]
        found: Rows = []

        def keep(batch: DataFrame, _: int) -> None:
            found.extend(batch.collect())

        name = spark.sparkContext.getLocalProperty("spark.job.description")
        writer = (
            program(*streams)
            .writeStream.queryName(name)
            .foreachBatch(keep)
            .option("checkpointLocation", f"{folder}/state")
        )
        query = writer.trigger(availableNow=True).start()
        query.awaitTermination(120)
        if error := query.exception():
            raise error
        return found


def sampled(spark: SparkSession) -> Rows:
    items, stores = _by(spark, "items", "item"), _by(spark, "stores", "store")
    customers = _by(spark, "customers", "customer")
    orders = spark.table("orders").sample(fraction=0.5, seed=7)
    return (
        orders.join(items, "item")
        .join(stores, "store")
        .join(customers, "customer")
        .select("id", "brand", "city")
        .collect()
    )


def observed(spark: SparkSession) -> Rows:
    from pyspark.sql import Observation

    seen = Observation()
    items, stores = _by(spark, "items", "item"), _by(spark, "stores", "store")
    customers = _by(spark, "customers", "customer")
    orders = spark.table("orders").observe(seen, f.count(f.lit(1)).alias("n"))
    rows = orders.join(items, "item").join(stores, "store").join(customers, "customer").select("id", "brand").collect()
    return [*rows, Row(id=seen.get["n"], brand="observed")]


def by_paths(spark: SparkSession) -> Rows:
    """Files read by their paths, not through the catalog."""
    root = Path(spark.conf.get("spark.tuner.tests.tables") or "")
    tables = {name: spark.read.parquet(str(root / name)) for name in ("orders", "items", "customers", "regions")}
    items, customers = (
        tables["items"].withColumnRenamed("id", "item"),
        tables["customers"].withColumnRenamed("id", "customer"),
    )
    regions = tables["regions"].withColumnRenamed("id", "region").withColumnRenamed("name", "where")
    joined = tables["orders"].join(items, "item").join(customers, "customer").join(regions, "region")
    return joined.select("id", "brand", "name", "where").collect()


FRAME_PROGRAMS: dict[str, Callable[[SparkSession], Any]] = {
    program.__name__.replace("_", " "): program
    for program in (
        *(with_columns, aliases, same_frame_twice, broadcast_by_hand, cached, checkpointed, checkpoints_joined),
        *(made_by_hand, python_function, repartitioned, pivoted, latest_of_each, looked_at_before, written_and_read),
        *(streamed, streams_joined, sampled, observed, by_paths),
    )
}
