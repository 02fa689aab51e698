"""A PySpark application with one join that Spark plans badly. usage: join_job.py TABLES OUTPUT"""

import json
import sys
from pathlib import Path

from pyspark.sql import SparkSession

SQL = (
    "SELECT d.grp, count(*) AS rows, sum(f.amount) AS amount, max(length(d.note)) AS note "
    "FROM facts f JOIN dims d ON f.dim_id = d.id GROUP BY d.grp ORDER BY d.grp"
)


def main(tables, output):
    spark = SparkSession.builder.appName("join_job").getOrCreate()
    for table in ("facts", "dims"):
        spark.read.parquet(f"{tables}/{table}").createOrReplaceTempView(table)
    spark.sparkContext.setJobDescription("sales by group")
    rows = [[str(value) for value in row] for row in spark.sql(SQL).collect()]
    Path(output).write_text(json.dumps(rows), encoding="utf-8")
    spark.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
