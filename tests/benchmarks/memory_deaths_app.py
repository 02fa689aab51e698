"""A job that needs so much memory of one kind: `memory_deaths_app.py KIND MEBIBYTES`. With less it dies as such jobs die.

heap, skew: a task holds that much on its executor's heap; of skew one of many does. driver: the driver collects it. results:
tasks return it. broadcast: a relation that takes as much is broadcast, by a hint. hash_map: a join's tasks hold it in a hash map,
in memory that Spark counts. python: a function of the job's holds it in a Python worker. killed: an executor is ended as a
container's limit ends it.
"""

import os
import signal
import sys
from pathlib import Path

from pyspark.sql import SparkSession
from pyspark.sql import functions as f

KIND, MEBIBYTES = sys.argv[1], int(sys.argv[2])
KIBIBYTES = MEBIBYTES * 1024
spark = SparkSession.builder.getOrCreate()


def held_by_tasks(keys: int) -> None:
    # Each text is an array of its own on the heap of the task that collects them.
    # Of many keys the first has nearly all of them.
    key = f"if(id % 50 = 0, id % {keys}, 0)"
    texts = spark.range(0, KIBIBYTES, 1, 4).selectExpr(f"{key} AS key", "concat(id, repeat('x', 1000)) AS text")
    texts.groupBy("key").agg(f.size(f.collect_list("text")).alias("texts")).agg(f.sum("texts")).collect()


if KIND in ("heap", "skew"):
    held_by_tasks(1 if KIND == "heap" else 50)
elif KIND in ("driver", "results"):
    # Results are compressed on their way.
    digests = ", ".join(f"sha2(concat(id, {n}), 512)" for n in range(8))
    spark.range(0, KIBIBYTES, 1, 8).selectExpr(f"concat({digests}) AS text").collect()
elif KIND == "broadcast":
    large = spark.range(0, 4 * KIBIBYTES, 1, 4).selectExpr("id", "concat(id, repeat('x', 200)) AS text")
    spark.range(0, 1000).join(f.broadcast(large), "id").agg(f.sum(f.length("text"))).collect()
elif KIND == "hash_map":
    large = spark.range(0, KIBIBYTES, 1, 4).selectExpr("id", "concat(id, repeat('x', 900)) AS text")
    spark.range(0, 4 * KIBIBYTES).join(large.hint("shuffle_hash"), "id").agg(f.sum(f.length("text"))).collect()
elif KIND == "python":
    held = f.udf(lambda _: len(bytearray(KIBIBYTES * 1024)), "long")
    spark.range(0, 4, 1, 2).select(held("id").alias("bytes")).agg(f.sum("bytes")).collect()
elif KIND == "killed":
    # A Python worker's parent is the daemon, and the daemon's the executor.
    def kill(rows: object) -> object:
        stat = Path(f"/proc/{os.getppid()}/stat").read_text()
        os.kill(int(stat.rpartition(")")[2].split()[1]), signal.SIGKILL)
        return rows

    spark.sparkContext.parallelize(range(2), 2).mapPartitions(kill).count()
spark.stop()
