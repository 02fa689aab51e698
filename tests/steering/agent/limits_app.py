"""What the agent takes for limits, by the settings of applications: `limits_app.py REPORT`.

The report has for each application how much one task may hash.
"""

import json
import sys
from pathlib import Path

from py4j.java_gateway import JavaObject
from pyspark.sql import SparkSession

report = Path(sys.argv[1])
OFF_HEAP = {"spark.memory.offHeap.enabled": "true", "spark.memory.offHeap.size": "16m"}


def agent_class(spark: SparkSession, name: str) -> JavaObject:
    jvm = spark._jvm
    loader = jvm.java.lang.Thread.currentThread().getContextClassLoader()
    return jvm.java.lang.Class.forName(f"tuner.steering.agent.{name}", True, loader)


def most_task_bytes(**conf: str) -> int:
    spark = SparkSession.builder.config(map=conf).getOrCreate()
    try:
        return agent_class(spark, "Heap").getMethod("mostTaskBytes", None).invoke(None, None)
    finally:
        spark.stop()


found = {
    "as it is": most_task_bytes(),
    "with few partitions": most_task_bytes(**{"spark.default.parallelism": "1"}),
    "with many partitions": most_task_bytes(**{"spark.default.parallelism": "400"}),
    "with tasks of two cores": most_task_bytes(**{"spark.task.cpus": "2"}),
    "off the heap": most_task_bytes(**OFF_HEAP),
}
report.write_text(json.dumps(found))
