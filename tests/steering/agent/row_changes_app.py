"""Changes of a table's rows by joins of others, as they are and steered at random: `row_changes_app.py DIRECTORY SEEDS REPORT`.

The report has, for each statement and seed, whether the table has the same rows after it, or the statement failed alike, and
what became of the directives.
"""

from __future__ import annotations

import json
import random
import sys
from pathlib import Path

from agent_log import agent_events
from pyspark.sql import SparkSession
from random_directives import RandomChoice, steered_queries

from tuner.eventlog.find import find_logs
from tuner.eventlog.read import read_application
from tuner.model.agent_message import VERSION

_JOINED = (
    "sales s JOIN shops p ON s.shop = p.shop JOIN goods g ON s.good = g.good JOIN kinds k ON g.kind = k.kind "
    "WHERE g.weight > 3 AND p.region = {region}"
)
_GROUPED = f"SELECT s.shop, count(*) AS n FROM {_JOINED} GROUP BY s.shop"
_MATCHED = "WHEN MATCHED AND s.n > 380 THEN DELETE WHEN MATCHED THEN UPDATE SET v = s.n"
STATEMENTS = {
    "merge": f"MERGE INTO rows.t t USING ({_GROUPED.format(region=1)}) s ON t.id = s.shop {_MATCHED} "
    "WHEN NOT MATCHED THEN INSERT (id, v) VALUES (s.shop + 1000, s.n)",
    "merge matched": f"MERGE INTO rows.t t USING ({_GROUPED.format(region=2)}) s ON t.id = s.shop {_MATCHED}",
    "merge by source": f"MERGE INTO rows.t t USING ({_GROUPED.format(region=3)}) s ON t.id = s.shop "
    "WHEN MATCHED THEN UPDATE SET v = -s.n WHEN NOT MATCHED BY SOURCE AND t.v > 5 THEN DELETE",
    "merge with itself": f"MERGE INTO rows.t t USING (SELECT s.shop, max(o.v) AS n FROM rows.t o, {_JOINED.format(region=4)} "
    "AND o.id = s.shop GROUP BY s.shop) s ON t.id = s.shop WHEN MATCHED THEN UPDATE SET v = 100 + s.n",
    "update": f"UPDATE rows.t SET v = v + 100 WHERE id IN (SELECT s.shop FROM {_JOINED.format(region=0)})",
    "delete": f"DELETE FROM rows.t WHERE id IN (SELECT s.shop FROM {_JOINED.format(region=1)})",
    "delete the others": f"DELETE FROM rows.t WHERE NOT EXISTS (SELECT 1 FROM {_JOINED.format(region=2)} AND s.shop = id)",
    # Two of its rows match one: an error, however they are joined.
    "merge twice": f"MERGE INTO rows.t t USING (SELECT s.shop, s.good AS n FROM {_JOINED.format(region=3)}) s "
    f"ON t.id = s.shop {_MATCHED}",
}


def changed(spark: SparkSession, name: str, label: str, directives: str) -> object:
    spark.conf.set("spark.tuner.directives", "")
    spark.sql("DROP TABLE rows.t")
    spark.conf.set("spark.tuner.directives", directives)
    spark.sparkContext.setJobDescription(label)
    try:
        spark.sql(STATEMENTS[name])
    except Exception as error:
        return "MERGE_CARDINALITY_VIOLATION" if "MERGE_CARDINALITY_VIOLATION" in str(error) else str(error)[:2000]
    spark.conf.set("spark.tuner.directives", "")
    spark.sparkContext.setJobDescription("rows")
    return sorted(map(list, spark.table("rows.t").collect()))


def main() -> None:
    directory, seeds, report = Path(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3])
    spark = SparkSession.builder.getOrCreate()
    columns = {"sales": ("id % 50 AS shop", "id % 90 AS good"), "shops": ("id AS shop", "id % 5 AS region"),
               "goods": ("id AS good", "id % 7 AS weight", "id % 4 AS kind"), "kinds": ("id AS kind",)}  # fmt: skip
    for (table, texts), rows in zip(columns.items(), (20_000, 80, 90, 3), strict=True):
        spark.range(rows).selectExpr(*texts).write.parquet(f"{directory}/{table}")
        spark.read.parquet(f"{directory}/{table}").createOrReplaceTempView(table)
    spark.sql("SELECT count(*) FROM rows.t").collect()
    plain = {name: changed(spark, name, name, "") for name in STATEMENTS}
    logs = Path(spark.conf.get("spark.eventLog.dir", "").removeprefix("file:"))

    def wait() -> None:
        spark.sparkContext._jsc.sc().listenerBus().waitUntilEmpty()  # type: ignore[union-attr]

    wait()
    (source,) = find_logs(logs)
    found = []
    for seed in range(1, seeds + 1):
        choice = RandomChoice(hinted=0.8, filtered=0.3)
        steered = list(steered_queries(read_application(source), random.Random(seed), choice))
        for name in STATEMENTS:
            directives = {"version": VERSION, "queries": [one.query for one in steered if one.description == name]}
            found.append((name, seed, changed(spark, name, f"{name}/{seed}", json.dumps(directives))))
    wait()
    outcomes = [
        (one["id"].partition(":")[0], one["status"], one.get("reason", ""))
        for event in agent_events(logs, "PlanSteered")
        for one in event["outcomes"]
    ]
    same = [{"name": name, "seed": seed, "same": rows == plain[name], "rows": rows} for name, seed, rows in found]
    report.write_text(json.dumps({"plain": plain, "runs": same, "outcomes": outcomes}))
    spark.stop()


if __name__ == "__main__":
    main()
