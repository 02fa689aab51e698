"""Two applications one after the other in one JVM, with the same directives, which are for neither: `second_context_app.py`."""

from pyspark.sql import SparkSession

for _ in range(2):
    spark = SparkSession.builder.getOrCreate()
    numbers = spark.range(0, 10, 1, 2)
    assert numbers.join(numbers.withColumnRenamed("id", "other"), numbers.id == 1).count() == 10
    spark.stop()
