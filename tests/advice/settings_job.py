"""A PySpark application of what aggregate and skew settings mend. usage: settings_job.py TABLES [NAME=SQL_CONF …]"""

import sys
from pathlib import Path

from pyspark.sql import SparkSession

ROWS, KEYS = 1_500_000, 20_000
QUERIES = {
    # Nineteen rows in twenty have one key, and what the join compares takes its time.
    "skew_join": "SELECT /*+ MERGE(d) */ f.k FROM skewed f JOIN dims d ON f.k = d.k "
    "WHERE sha2(repeat(concat(f.note, d.w), 16), 512) > sha2(repeat(concat(d.w, f.note), 16), 512)",
    "object_hash_threshold": "SELECT id % 500 AS k, collect_set(amount) AS s FROM facts GROUP BY id % 500",
}


def main(tables, *settings):
    spark = SparkSession.builder.appName("settings_job").getOrCreate()
    if not Path(tables).exists():
        write_tables(spark, tables)
    for name in ("facts", "skewed", "dims"):
        spark.read.parquet(f"{tables}/{name}").createOrReplaceTempView(name)
    for name, sql in QUERIES.items():
        own = [s.split("=")[1:] for s in settings if s.startswith(f"{name}=")]
        for key, value in own:
            spark.conf.set(key, value)
        spark.sparkContext.setJobDescription(name)
        spark.sql(sql).write.format("noop").mode("overwrite").save()
        for key, _ in own:
            spark.conf.unset(key)
    spark.stop()


def write_tables(spark, tables):
    facts = spark.range(0, ROWS, 1, 4).selectExpr("id", "id * 31 % 1000 AS amount", "sha2(string(id), 256) AS note")
    facts.write.parquet(f"{tables}/facts")
    skewed = facts.selectExpr(f"if(id % 200 = 0, id % {KEYS}, 7) AS k", "note").where("id % 10 < 1")
    skewed.write.parquet(f"{tables}/skewed")
    dims = spark.range(0, KEYS, 1, 1).selectExpr("id AS k", "sha2(string(id), 256) AS w")
    dims.write.parquet(f"{tables}/dims")


if __name__ == "__main__":
    main(*sys.argv[1:])
