"""A stream that counts by key, and is stopped while its second batch runs: `stream_app.py DIRECTORY`."""

from __future__ import annotations

import sys
import time

from pyspark.sql import SparkSession, functions

# Of the second batch: more than its stop waits for.
SLOW_SECONDS = 60


def main() -> None:
    directory = sys.argv[1]
    spark = SparkSession.builder.appName("stream").getOrCreate()
    events, status = f"{directory}/events", spark.sparkContext.statusTracker()

    def arrive(first: int) -> None:
        spark.range(first, first + 100, numPartitions=1).write.mode("append").parquet(events)

    @functions.udf("long")
    def key_of(value: int) -> int:
        time.sleep(SLOW_SECONDS if value == 100 else 0)
        return value % 3

    arrive(0)
    counted = spark.readStream.schema("id long").parquet(events).groupBy(key_of("id").alias("key")).count()
    sink = counted.writeStream.queryName("counts").outputMode("complete").format("noop")
    stream = sink.option("checkpointLocation", f"{directory}/checkpoint").start()
    stream.processAllAvailable()
    arrive(100)
    while not any(stage and stage.numActiveTasks for stage in map(status.getStageInfo, status.getActiveStageIds())):
        time.sleep(0.1)
    stream.stop()
    spark.stop()


if __name__ == "__main__":
    main()
