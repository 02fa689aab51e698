"""A join condition that fails on rows which the written order never gives it: `failing_condition_app.py DIRECTORY`."""

import json
import sys

from pyspark.sql import SparkSession

directory = sys.argv[1]
spark = SparkSession.builder.getOrCreate()
spark.range(20).selectExpr("id", "if(id < 10, cast(id AS string), 'no number') AS code").write.parquet(f"{directory}/a")
spark.range(10).selectExpr("id AS a_id").write.parquet(f"{directory}/b")
spark.range(20).selectExpr("cast(id AS int) AS number").write.parquet(f"{directory}/c")
for name in "abc":
    spark.read.parquet(f"{directory}/{name}").createOrReplaceTempView(name)
a, b, c = (f"file:{directory}/{name}" for name in "abc")
order = {
    "id": "the order",
    "items": [[a], [b], [c]],
    "predicates": [[[0], [1], f"{a}.id", f"{b}.a_id"], [[0], [2], f"{a}.code", f"{c}.number"]],
    "order": [[0, 2], 1],
}
query = {"fingerprint": "q", "relations": [a, b, c], "columns": "", "hints": [], "orders": [order]}
TEXT = "SELECT a.id, c.number FROM a JOIN b ON a.id = b.a_id JOIN c ON cast(a.code AS int) = c.number"


def rows(ansi: str, directives: str) -> list:
    spark.conf.set("spark.sql.ansi.enabled", ansi)
    spark.conf.set("spark.tuner.directives", directives)
    return sorted(map(tuple, spark.sql(TEXT).collect()))


written = rows("true", "")
directed = json.dumps({"version": 1, "queries": [query]})
assert rows("true", directed) == written, "with ANSI"
assert rows("false", directed) == written, "without ANSI"
assert len(written) == 10
spark.stop()
