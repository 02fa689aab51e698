"""Parts that a query reads several times, of which one reader is steered: `made_once_app.py DIRECTORY REPORT`.

Each statement runs as written, then with its directive. The report has for each whether its rows are the same.
"""

import json
import random
import sys
from pathlib import Path

from directed_statements import read_tables, run_both_ways
from pyspark.sql import SparkSession

from tuner.model.agent_message import HintDirective, OrderDirective
from tuner.model.join_graph import Joined, members
from tuner.model.query import JoinType, Query

# Both shuffle what was drawn by what was drawn: half of that has a part, and meets itself. Of two drawings few numbers meet.
TWICE = """
SELECT count(*) > 20, min(ka + kb) >= 0 FROM
  (SELECT drawn AS a, kind AS ka FROM {drawn} JOIN sales ON drawn = s_id JOIN shops ON kind = h_item)
  JOIN (SELECT drawn AS b, kind AS kb FROM {drawn} LEFT SEMI JOIN parts ON drawn = p_id) ON a = b"""
OF_DRAWN = TWICE.format(drawn="global_temp.drawn")
OF_FIRST = TWICE.format(drawn="(SELECT first(s_id) AS drawn, ifnull(s_kind, 0) AS kind FROM sales GROUP BY 2)")
OF_FILES = TWICE.format(drawn="(SELECT s_id AS drawn, s_kind AS kind FROM sales)")
OF_SECOND = TWICE.format(drawn="(SELECT ifnull(s_id, 0) AS drawn, ifnull(s_kind, 0) AS kind FROM global_temp.sales)")
OF_PYTHON = TWICE.format(drawn="(SELECT ifnull(same(s_id), 0) AS drawn, ifnull(s_kind, 0) AS kind FROM sales)")
OF_PARTITIONS = TWICE.format(drawn="(SELECT d_id AS drawn, d_kind AS kind FROM by_kind)")
# It is shuffled by what was drawn, and by its kind: made twice as written.
BY_OTHERS = """
SELECT count(*) > 20, min(a + b) >= 0 FROM
  (SELECT drawn AS a, kind AS ka FROM global_temp.drawn JOIN sales ON drawn = s_id)
  JOIN (SELECT drawn AS b, kind AS kb FROM global_temp.drawn LEFT SEMI JOIN parts ON kind = p_id) ON ka = kb"""
# The statement, the hint (none: an order), and the input of which join gets it, or gives its keys.
STATEMENTS = {
    "a broadcast beside it": (OF_DRAWN, "BROADCAST", "parts"),
    "a broadcast of it": (OF_DRAWN, "BROADCAST", "drawn"),
    "a filter of it": (OF_DRAWN, "FILTER_BY_KEY", "parts"),
    "an order by another key": (OF_DRAWN, "", ""),
    "another join of what is shuffled": (OF_DRAWN, "SHUFFLE_HASH", "parts"),
    "a broadcast beside first rows": (OF_FIRST, "BROADCAST", "parts"),
    "a filter of first rows": (OF_FIRST, "FILTER_BY_KEY", "parts"),
    "a broadcast beside files": (OF_FILES, "BROADCAST", "parts"),
    "a filter of files": (OF_FILES, "FILTER_BY_KEY", "parts"),
    "an order of files": (OF_FILES, "", ""),
    "a broadcast beside what another key shuffles": (BY_OTHERS, "BROADCAST", "parts"),
    "an order of files of the second API": (OF_SECOND, "", ""),
    "a broadcast beside files read by a function": (OF_PYTHON, "BROADCAST", "parts"),
    "a broadcast beside partitions": (OF_PARTITIONS, "BROADCAST", "parts"),
    "a broadcast beside what is read once": (
        "SELECT count(*) > 20 FROM global_temp.drawn LEFT SEMI JOIN parts ON drawn = p_id",
        "BROADCAST",
        "parts",
    ),
}
directory, report = Path(sys.argv[1]), Path(sys.argv[2])
spark = SparkSession.builder.getOrCreate()
spark.range(0, 6000, 1, 2).selectExpr("id AS s_id", "id % 40 AS s_kind").write.parquet(f"{directory}/sales")
spark.range(0, 3000, 1, 2).selectExpr("id AS p_id").write.parquet(f"{directory}/parts")
spark.range(0, 40, 1, 2).selectExpr("id AS h_item").write.parquet(f"{directory}/shops")
read_tables(spark, directory, ("sales", "parts", "shops"))
spark.udf.register("same", lambda number: number, "long")
first_api = spark.conf.get("spark.sql.sources.useV1SourceList", "")
spark.conf.set("spark.sql.sources.useV1SourceList", "")
spark.read.parquet(f"{directory}/sales").createGlobalTempView("sales")
spark.conf.set("spark.sql.sources.useV1SourceList", first_api)
spark.table("sales").selectExpr("s_id AS d_id", "s_kind AS d_kind", "s_kind % 2 AS d_half").write.partitionBy(
    "d_half"
).saveAsTable("by_kind")
# Spark does not know that it is random.
drawn = spark.sparkContext.parallelize(range(200), 2).map(lambda one: (random.SystemRandom().randrange(6000), one % 40))
spark.createDataFrame(drawn, "drawn long NOT NULL, kind long NOT NULL").createGlobalTempView("drawn")


def directed(query: Query, values: tuple[str, ...]) -> tuple[HintDirective | OrderDirective]:
    _, hint, of = STATEMENTS[query.description.removeprefix("plain: ")]
    if not hint:
        (graph,) = query.graphs
        items = tuple(tuple(sorted(one.relations)) for one in graph.relations)
        predicates = tuple(
            (tuple(members(one.left)), tuple(members(one.right)), one.left_key, one.right_key)
            for one in graph.predicates
        )
        # The shops first, by their key.
        order = Joined(Joined(0, 2), 1)
        return (OrderDirective("order_joins:o", items, predicates, order, literals=values),)
    if of == "parts":
        (join,) = (one for one in query.joins if one.type is JoinType.LEFT_SEMI)
    else:
        join = next(one for one in reversed(query.joins) if one.type is JoinType.INNER)
    side = join.right.relations if of == "parts" else join.left.relations
    return (HintDirective("hint_join:h", join.signature, hint, side, literals=values, rows=3000),)


ran = run_both_ways(spark, "steered", {name: sql for name, (sql, _, _) in STATEMENTS.items()}, directed)
report.write_text(json.dumps({name: plain == steered for name, (plain, steered) in ran.items()}))
spark.stop()
