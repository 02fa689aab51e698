"""A job that needs so much memory of one kind: `memory_deaths_app.py KIND MEBIBYTES`. With less it dies as such jobs die.

heap, skew: a task holds that much on its executor's heap; of skew one of many does. overhead: Python holds it beside the heap,
and the executor is killed, as YARN and Kubernetes do it, once it holds more than its overhead. driver: the driver collects it.
results: tasks return it. broadcast: a relation that takes as much is broadcast, by a hint.
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
conf = spark.sparkContext.getConf()


def mebibytes(name: str, default: str) -> int:
    text = conf.get(name, default).lower()
    return int(text.rstrip("gm")) * (1024 if text.endswith("g") else 1)


def held_by_tasks(keys: int) -> None:
    # Each text is an array of its own on the heap of the task that collects them.
    # Of many keys the first has nearly all of them.
    key = f"if(id % 50 = 0, id % {keys}, 0)"
    texts = spark.range(0, KIBIBYTES, 1, 4).selectExpr(f"{key} AS key", "concat(id, repeat('x', 1000)) AS text")
    texts.groupBy("key").agg(f.size(f.collect_list("text")).alias("texts")).agg(f.sum("texts")).collect()


if KIND in ("heap", "skew"):
    held_by_tasks(1 if KIND == "heap" else 50)
elif KIND == "overhead":
    heap = mebibytes("spark.executor.memory", "1g")
    limit = mebibytes("spark.executor.memoryOverhead", f"{max(384, heap // 10)}m")

    def hold(rows):
        held = bytearray(MEBIBYTES << 20)
        if len(held) >> 20 > limit:
            # Above this worker is Python's daemon, and above that the executor.
            stat = Path(f"/proc/{os.getppid()}/stat").read_text(encoding="utf-8")
            os.kill(int(stat.rpartition(")")[2].split()[1]), signal.SIGKILL)
        return [len(held)]

    spark.sparkContext.parallelize(range(2), 2).mapPartitions(hold).collect()
elif KIND in ("driver", "results"):
    # Results are compressed on their way.
    digests = ", ".join(f"sha2(concat(id, {n}), 512)" for n in range(8))
    spark.range(0, KIBIBYTES, 1, 8).selectExpr(f"concat({digests}) AS text").collect()
elif KIND == "broadcast":
    large = spark.range(0, 4 * KIBIBYTES, 1, 4).selectExpr("id", "concat(id, repeat('x', 200)) AS text")
    spark.range(0, 1000).join(f.broadcast(large), "id").agg(f.sum(f.length("text"))).collect()
spark.stop()
