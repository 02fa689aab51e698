"""A PySpark application whose queries fail. usage: failing_job.py DIRECTORY [killed]

Without `killed` it gets over its failures, one after the other; with it, it ends Spark with SIGKILL while a query runs.
"""

import os
import shutil
import signal
import sys
import time

from pyspark.sql import SparkSession
from pyspark.sql.functions import broadcast, udf


def main(directory, how=""):
    spark = SparkSession.builder.appName("failing_job").getOrCreate()
    table = f"{directory}/table"
    spark.range(1000).write.mode("overwrite").parquet(table)
    spark.read.parquet(table).groupBy("id").count().collect()
    if how == "killed":
        # spark-submit has become Spark's JVM, and that started this program.
        spark_submit = os.getppid()
        spark.read.parquet(table).foreach(lambda _: os.kill(spark_submit, signal.SIGKILL))
    attempts = (divide, time_out, collect_too_much, raise_in_python, read_what_is_gone)
    for attempt in (*attempts, read_nothing, query_nothing, misname, write_where_none_may):
        try:
            attempt(spark, table)
        except Exception as error:
            print(attempt.__name__, type(error).__name__)
    spark.stop()


def divide(spark, table):
    spark.conf.set("spark.sql.ansi.enabled", "true")
    spark.read.parquet(table).selectExpr("1 / (id - 7)").collect()


def time_out(spark, table):
    spark.conf.set("spark.sql.broadcastTimeout", "1")
    spark.conf.set("spark.sql.adaptive.enabled", "false")
    slow = udf(lambda x: time.sleep(4) or x, "long")
    few = spark.read.parquet(table).where("id = 7").select(slow("id").alias("id"))
    spark.read.parquet(table).join(broadcast(few), "id").collect()


def collect_too_much(spark, table):
    spark.read.parquet(table).selectExpr("explode(sequence(0, 1000))", "uuid()").collect()


def raise_in_python(spark, table):
    spark.read.parquet(table).select(udf(lambda x: x // 0, "long")("id")).collect()


def read_what_is_gone(spark, table):
    found = spark.read.parquet(table)
    shutil.rmtree(table)
    found.collect()


def read_nothing(spark, table):
    spark.read.parquet(f"{table}/nowhere")


def query_nothing(spark, table):
    spark.sql("SELECT * FROM nowhere").collect()


def misname(spark, table):
    spark.sql("SELECT nothing FROM range(3)").collect()


def write_where_none_may(spark, table):
    spark.range(3).write.parquet("/proc/nobody/writes/here")


if __name__ == "__main__":
    main(*sys.argv[1:])
