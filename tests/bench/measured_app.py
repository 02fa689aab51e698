"""usage: measured_app.py TABLES FOUND.json: what the bench's job makes of statements over folders of Parquet files, by name.

FOUND has what it writes down of each over temporary views (`views`), then over tables of a catalog (`catalog`).
"""

import json
import sys
from pathlib import Path

STATEMENTS = {
    "rows by partition": "SELECT p, count(*) FROM parted GROUP BY p",
}


def main(tables, found):
    from pyspark.sql import SparkSession

    from tuner.bench import application

    spark = SparkSession.builder.appName("measured").getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    names, told = sorted(folder.name for folder in Path(tables).iterdir()), {}
    for name in names:
        spark.read.parquet(str(Path(tables) / name)).createOrReplaceTempView(name)
    told["views"] = written_down(application, spark)
    for name in names:
        spark.catalog.dropTempView(name)
    list(application.analyze(spark, tables, names))
    told["catalog"] = written_down(application, spark)
    Path(found).write_text(json.dumps(told))
    spark.stop()


def written_down(application, spark):
    return {
        name: application.run(spark, {"name": name, "sql": text, "conf": {}}, 60) for name, text in STATEMENTS.items()
    }


if __name__ == "__main__":
    main(*sys.argv[1:])
