"""A night of a job on Iceberg tables: `iceberg_app.py REPORT ROWS SEED`; see iceberg_nights.py.

The report has, for each statement, what tells its rows (or those of the table that it changes) from others, and its seconds.
"""

import json
import sys
import time
from pathlib import Path

from pyspark.sql import SparkSession

report, rows, seed = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
spark = SparkSession.builder.appName("iceberg").getOrCreate()
found: dict[str, tuple[str, float]] = {}

DRAWN = "pmod(xxhash64(id, {n} + {seed}), {of})"
TABLES = {
    "sales": (rows, {"item": 5_000, "day": 365, "customer": 50_000, "amount": 100}),
    "stock": (2 * rows, {"item": 5_000, "day": 365, "amount": 1_000}),
    "items": (5_000, {"kind": 20}),
    "days": (365, {"month": 12}),
    "customers": (50_000, {"born": 60}),
}
# As written, sales meet the whole stock first.
JOINED = """sales s JOIN stock k ON s.item = k.item AND s.day = k.day JOIN days d ON s.day = d.id JOIN items i ON s.item = i.id
JOIN customers c ON s.customer = c.id WHERE d.month = 3 AND i.kind = 7 AND c.born > 50"""
FOUND = f"(SELECT s.customer, s.item, max(s.amount) AS amount, count(*) AS n FROM {JOINED} GROUP BY s.customer, s.item)"
CHANGED = (
    "SELECT customer, item, max(amount) AS amount, count(*) AS n FROM sales WHERE item < 2000 GROUP BY customer, item"
)
CHANGES = {
    "merge": f"MERGE INTO t USING {FOUND} f ON t.customer = f.customer AND t.item = f.item "
    "WHEN MATCHED AND f.amount > 50 THEN DELETE WHEN MATCHED THEN UPDATE SET n = t.n + f.n WHEN NOT MATCHED THEN INSERT *",
    "update": f"UPDATE t SET n = n + 1000 WHERE EXISTS (SELECT 1 FROM {FOUND} f WHERE f.customer = t.customer)",
    "delete": f"DELETE FROM t WHERE customer IN (SELECT customer FROM {FOUND} f)",
    "merge with itself": "MERGE INTO t USING (SELECT customer, max(item) AS item FROM t WHERE n > 1 GROUP BY customer) f "
    "ON t.customer = f.customer AND t.item = f.item WHEN MATCHED THEN UPDATE SET n = t.n * 2",
}


def told(name: str, text: str, table: str = "") -> None:
    spark.sparkContext.setJobDescription(name)
    start = time.monotonic()
    result = spark.sql(text)
    lines = [] if table else sorted(map(str, result.collect()))
    seconds = time.monotonic() - start
    spark.sparkContext.setJobDescription(f"rows of {name}")
    if table:
        lines = list(
            map(str, spark.sql(f"SELECT count(*), sum(hash(*)), count(DISTINCT hash(*)) FROM {table}").collect())
        )
    found[name] = ("\n".join(lines), seconds)


def made(table: str, text: str, how: str = "") -> None:
    spark.sparkContext.setJobDescription(f"make {table}")
    spark.sql(f"DROP TABLE IF EXISTS {table}")
    spark.sql(f"CREATE TABLE {table} USING iceberg {how} AS {text}")


spark.sql("CREATE NAMESPACE IF NOT EXISTS ice.db")
spark.sql("USE ice.db")
spark.conf.set("spark.sql.ansi.enabled", "false")
for table, (count, columns) in TABLES.items():
    if not spark.catalog.tableExists(f"ice.db.{table}"):
        texts = [f"{DRAWN.format(n=n, seed=seed, of=of)} AS {name}" for n, (name, of) in enumerate(columns.items())]
        spark.range(count).selectExpr("id", *texts).writeTo(f"ice.db.{table}").create()

told("groups", f"SELECT c.born, count(*), sum(k.amount) FROM {JOINED} GROUP BY c.born")
for mode in ("copy-on-write", "merge-on-read"):
    properties = ", ".join(f"'write.{what}.mode' = '{mode}'" for what in ("merge", "update", "delete"))
    for name, text in CHANGES.items():
        how = f"PARTITIONED BY (bucket(4, customer)) TBLPROPERTIES ('format-version' = '2', {properties})"
        made("t", CHANGED, how)
        told(f"{name}, {mode}", text, "t")
made("o", f"SELECT 1L AS born, 0L AS n, 0L AS month FROM {JOINED} LIMIT 0", "PARTITIONED BY (month)")
told(
    "insert overwrite",
    f"INSERT OVERWRITE o SELECT c.born, count(*), d.month FROM {JOINED} GROUP BY c.born, d.month",
    "o",
)

made("h", "SELECT * FROM sales WHERE item < 3000")
spark.sql("INSERT INTO h SELECT * FROM sales WHERE item >= 3000")
before, after = (
    row[0] for row in spark.sql("SELECT snapshot_id FROM ice.db.h.snapshots ORDER BY committed_at").collect()
)
grouped = "(SELECT h.item, count(*) AS n FROM h VERSION AS OF {} JOIN items i ON h.item = i.id WHERE i.kind < 10 GROUP BY h.item)"
told(
    "snapshots",
    f"SELECT 1, count(*), sum(n) FROM {grouped.format(before)} UNION ALL "
    f"SELECT 2, count(*), sum(n) FROM {grouped.format(after)}",
)
told(
    "snapshots joined",
    f"SELECT a.item, a.n, b.n FROM {grouped.format(after)} a LEFT JOIN {grouped.format(before)} b ON a.item = b.item "
    "JOIN stock k ON k.item = a.item JOIN days d ON k.day = d.id WHERE d.id = 40",
)
for name in (
    "spark.sql.sources.v2.bucketing.enabled",
    "spark.sql.sources.v2.bucketing.pushPartValues.enabled",
    "spark.sql.iceberg.planning.preserve-data-grouping",
):
    spark.conf.set(name, "true")
for table in ("sales", "stock"):
    made(f"b_{table}", f"SELECT * FROM {table}", "PARTITIONED BY (bucket(8, item))")
told(
    "buckets",
    "SELECT d.month, count(*), sum(k.amount) FROM b_sales s JOIN b_stock k ON s.item = k.item JOIN items i ON s.item = i.id "
    "JOIN days d ON s.day = d.id WHERE i.kind = 7 AND d.id < 5 GROUP BY d.month",
)
report.write_text(json.dumps(found))
spark.stop()
