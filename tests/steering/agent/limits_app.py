"""What the agent takes for limits, by the settings of applications: `limits_app.py JAVA REPORT`.

The report has for each application how much one task may hash, and whether the tables of a Java source are shuffled.
"""

import json
import sys
from pathlib import Path

from py4j.java_gateway import JavaObject
from pyspark.sql import SparkSession

source, report = Path(sys.argv[1]), Path(sys.argv[2])
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


def are_shuffled(*sizes: int) -> list[bool]:
    spark = SparkSession.builder.getOrCreate()
    compiler = spark._jvm.org.codehaus.janino.SimpleCompiler()
    compiler.setParentClassLoader(agent_class(spark, "Heap").getClassLoader())
    compiler.cook(source.read_text(encoding="utf-8"))
    made = compiler.getClassLoader().loadClass(f"org.apache.spark.sql.delta.stats.{source.stem}")
    return [made.newInstance().areShuffled(spark._jsparkSession, size) for size in sizes]


found = {
    "as it is": most_task_bytes(),
    "with few partitions": most_task_bytes(**{"spark.default.parallelism": "1"}),
    "with many partitions": most_task_bytes(**{"spark.default.parallelism": "400"}),
    "with tasks of two cores": most_task_bytes(**{"spark.task.cpus": "2"}),
    "off the heap": most_task_bytes(**OFF_HEAP),
}
report.write_text(json.dumps([found, are_shuffled(1 << 30, 1 << 10)]))
