"""Filters by key where they may and where they may not be: `key_filter_app.py DIRECTORY REPORT`.

Each statement runs as written, then with a filter by the keys of `items` for its topmost join. The report has for each whether
its rows are the same.
"""

import json
import random
import sys
from pathlib import Path

from directed_statements import read_tables, run_both_ways
from pyspark.sql import SparkSession

from tuner.model.agent_message import HintDirective
from tuner.model.query import Query

ITEMS = "(SELECT * FROM items WHERE i_kind = 3) i"
SHOPS = "(SELECT * FROM shops WHERE h_size = 1)"
GROUPS = "(SELECT s_item, count(*) n, min(s_id) least FROM sales GROUP BY s_item)"
RANKED = "(SELECT s_item, s_id, rank() OVER (PARTITION BY s_item ORDER BY s_id) r FROM sales)"
TOGETHER = "(SELECT s_item, s_id FROM sales UNION ALL SELECT s_item, s_id + 1 FROM sales)"
STATEMENTS = {
    "a join": f"SELECT s_id, i_name FROM sales JOIN {ITEMS} ON s_item = i_item",
    "an input that is grouped by its keys": f"SELECT * FROM {GROUPS} JOIN {ITEMS} ON s_item = i_item",
    "an input that is grouped by others": f"SELECT * FROM (SELECT s_id % 7 g, max(s_item) m FROM sales GROUP BY 1) "
    f"JOIN {ITEMS} ON m = i_item",
    "two inputs in one": f"SELECT * FROM {TOGETHER} JOIN {ITEMS} ON s_item = i_item",
    "groups in a window": f"SELECT * FROM {RANKED} JOIN {ITEMS} ON s_item = i_item WHERE r % 4 = 0",
    "first rows of groups": f"SELECT * FROM {RANKED} JOIN {ITEMS} ON s_item = i_item WHERE r < 3",
    "first rows of a join": f"SELECT * FROM (SELECT s_small, first(h_name) n FROM sales JOIN shops ON s_id % 40 = h_item "
    f"GROUP BY s_small) JOIN {ITEMS} ON s_small = i_item",
    "equal keys of a join": f"SELECT s_id, r, h_name, i_name FROM {RANKED} JOIN shops ON s_item = h_item JOIN {ITEMS} "
    "ON h_item = i_item WHERE r % 4 = 0",
    "equal keys of another type": f"SELECT s_id, h_name, i_name FROM sales JOIN shops ON s_small = h_item JOIN {ITEMS} "
    "ON h_item = i_item",
    "equal keys of a test": f"SELECT h_name, i_name FROM shops LEFT SEMI JOIN sales ON s_item = h_item JOIN {ITEMS} "
    "ON h_item = i_item",
    "equal keys of sales that need none": f"SELECT s_id, h_name, i_name FROM shops LEFT JOIN sales ON s_item = h_item "
    f"JOIN {ITEMS} ON h_item = i_item",
    "rows of a rank over all": f"SELECT * FROM (SELECT s_item, s_id, rank() OVER (ORDER BY s_id) r FROM sales) JOIN {ITEMS} "
    "ON s_item = i_item WHERE r % 5 = 0",
    "the first rows": f"SELECT * FROM (SELECT s_item, s_id FROM sales ORDER BY s_id LIMIT 500) JOIN {ITEMS} ON s_item = i_item",
    "a test": f"SELECT s_id FROM sales WHERE s_item IN (SELECT i_item FROM {ITEMS})",
    "a test of pairs": f"SELECT s_id FROM sales LEFT SEMI JOIN {ITEMS} ON s_item = i_item AND s_id > i_kind",
    "a test of pairs that may fail": f"SELECT s_id FROM sales LEFT SEMI JOIN {ITEMS} ON s_item = i_item "
    "AND if(i_item > 900, raise_error('bad'), s_id) >= i_kind",
    "a test that there is none": f"SELECT s_id FROM sales WHERE NOT EXISTS (SELECT * FROM {ITEMS} WHERE i_item = s_item)",
    "items without sales": f"SELECT i_name FROM {ITEMS} WHERE NOT EXISTS (SELECT * FROM sales WHERE i_item = s_item)",
    "all sales": f"SELECT s_id, i_name FROM sales LEFT JOIN {ITEMS} ON s_item = i_item",
    "all items": f"SELECT s_id, i_name FROM {ITEMS} LEFT JOIN sales ON s_item = i_item",
    "all of both": f"SELECT s_id, i_name FROM {ITEMS} FULL JOIN sales ON s_item = i_item",
    "keys of two types": f"SELECT s_id, i_name FROM sales JOIN {ITEMS} ON s_small = i_item",
    "keys of floating point": f"SELECT s_id, i_name FROM sales JOIN {ITEMS} ON s_double = i_double",
    "groups of numbers that are equal and not written alike": "SELECT n, i_name FROM (SELECT s_double, count(*) n FROM sales "
    "GROUP BY s_double) JOIN (SELECT i_name, CAST(i_double AS STRING) written FROM items WHERE i_kind = 0) "
    "ON CAST(s_double AS STRING) = written",
    "a key that is computed": f"SELECT s_id, i_name FROM sales JOIN {ITEMS} ON s_item + 1 = i_item",
    "nulls that are equal": f"SELECT s_id, i_name FROM sales JOIN {ITEMS} ON s_item <=> i_item",
    "nulls in NOT IN": "SELECT s_id FROM sales WHERE s_item NOT IN (SELECT i_item FROM items WHERE i_kind = 4)",
    "a key that is a partition": f"SELECT p_id, i_name FROM parts JOIN {ITEMS} ON p_item = i_item",
    "two keys": f"SELECT s_id, i_name FROM sales JOIN {ITEMS} ON s_item = i_item AND s_text = i_text",
    "a key that may fail": f"SELECT s_id, i_name FROM (SELECT s_id, if(s_id < 0, raise_error('bad'), s_item) k FROM sales) "
    f"JOIN {ITEMS} ON k = i_item",
    "a source that may fail": "SELECT s_id, i_name FROM sales JOIN (SELECT * FROM items WHERE i_kind = 3 AND "
    "if(i_item > 900, raise_error('bad'), true)) ON s_item = i_item",
    "keys of any rows": "SELECT s_id FROM sales JOIN (SELECT i_item FROM items WHERE i_kind = 3 LIMIT 5) ON s_item = i_item",
    "keys of the first of those that tie": "SELECT count(*) FROM sales JOIN (SELECT i_item, row_number() OVER (PARTITION BY "
    "i_kind ORDER BY i_double % 2) r FROM items) ON s_item = i_item WHERE r < 4",
    "keys that are others each time": "SELECT count(*) FROM sales JOIN global_temp.drawn ON s_id = drawn",
    "keys of files that another API reads": "SELECT s_id, i_name FROM sales JOIN (SELECT * FROM items_by_second_api "
    "WHERE i_kind = 3) ON s_item = i_item",
    "keys of partitions that a filter lists": "SELECT s_id, i_name FROM sales JOIN (SELECT * FROM items_by_third "
    "WHERE i_third = 0 AND i_kind = 3) ON s_item = i_item",
    "keys of partitions that are listed each time": "SELECT s_id, i_name FROM sales JOIN (SELECT * FROM items_by_third "
    "WHERE i_kind = 3) ON s_item = i_item",
    "an input that may fail": f"SELECT s_id, i_name FROM (SELECT s_item, s_id FROM sales WHERE 1 / (s_id + 1) < 2) JOIN {ITEMS} "
    "ON s_item = i_item",
    # Those of shops are left above the join with parts, of which the shops as they are prune partitions.
    "what prunes partitions of another input": f"SELECT /*+ BROADCAST(shops) */ p_id, i_name FROM parts JOIN shops "
    f"ON p_item = h_item JOIN {ITEMS} ON h_good = i_item WHERE h_size = 1",
    "keys of partitions that others prune": f"SELECT s_id, p_id FROM sales JOIN (SELECT p_id FROM parts JOIN {SHOPS} "
    "ON p_item = h_item WHERE p_id < 1500) ON s_id = p_id",
    "keys of partitions that the input prunes": f"SELECT p_id, h_good FROM {SHOPS} JOIN parts ON h_item = p_item",
}
# Under ANSI an element that an array may lack raises an error: one of each value of a pivot is there.
PIVOT = "(SELECT * FROM (SELECT i_item, i_item % 2 AS odd, i_kind, i_double FROM items WHERE i_kind = 3)"
PIVOT += " PIVOT (sum(i_kind) AS k, count(i_double) AS d FOR odd IN (0, 1)))"
UNDER_ANSI = {
    "columns of a pivot": f"SELECT p.*, s_id FROM {PIVOT} p LEFT JOIN sales ON i_item = s_item",
    "one column of a pivot": f"SELECT i_item, `1_d`, s_id FROM {PIVOT} p LEFT JOIN sales ON i_item = s_item WHERE `1_k` > 2",
    "an element of an array": "SELECT i_item, s_id FROM (SELECT i_item, array(i_kind)[i_item % 1] k FROM items WHERE i_kind = 3) "
    "LEFT JOIN sales ON i_item = s_item WHERE k = 3",
}
directory, report = Path(sys.argv[1]), Path(sys.argv[2])
spark = SparkSession.builder.getOrCreate()
spark.range(0, 6000, 1, 2).selectExpr(
    "id AS s_id",
    "if(id % 13 = 0, NULL, id % 300) AS s_item",
    "CAST(id % 300 AS SMALLINT) AS s_small",
    "if(id % 17 = 0, -0.0D, CAST(id % 300 AS DOUBLE)) AS s_double",
    "concat('text ', id % 300) AS s_text",
).write.parquet(f"{directory}/sales")
spark.range(0, 3000, 1, 2).selectExpr("id AS p_id", "id % 40 AS p_item").write.partitionBy("p_item").parquet(
    f"{directory}/parts"
)
spark.range(0, 40, 1, 2).selectExpr(
    "id AS h_item", "id % 10 AS h_size", "if(id > 20, 0, id * 3 + 30) AS h_good", "concat('shop ', id) AS h_name"
).write.parquet(f"{directory}/shops")
spark.range(0, 300, 1, 2).selectExpr(
    "if(id = 3, NULL, id) AS i_item",
    "id % 30 AS i_kind",
    "CAST(id AS DOUBLE) AS i_double",
    "concat('text ', id) AS i_text",
    "concat('name ', id) AS i_name",
).write.parquet(f"{directory}/items")
read_tables(spark, directory, ("sales", "items", "parts", "shops"))
spark.table("items").selectExpr("*", "i_kind % 3 AS i_third").write.partitionBy("i_third").saveAsTable("items_by_third")
# Spark does not know that it is random. Each key meets one sale.
drawn = spark.sparkContext.parallelize(range(200), 2).map(lambda _: (random.SystemRandom().randrange(6000),))
spark.createDataFrame(drawn, "drawn long").createGlobalTempView("drawn")
# Spark reads Parquet through its first API for data sources, where it is not told otherwise.
first_api = spark.conf.get("spark.sql.sources.useV1SourceList", "")
spark.conf.set("spark.sql.sources.useV1SourceList", "")
spark.read.parquet(f"{directory}/items").createOrReplaceTempView("items_by_second_api")
spark.conf.set("spark.sql.sources.useV1SourceList", first_api)


def filter_by_items(query: Query, values: tuple[str, ...]) -> tuple[HintDirective]:
    items = tuple(relation for relation in query.relations if not relation.endswith(("/sales", "/parts", "/shops")))
    if not items:
        filtered = "/sales" if any(relation.endswith("/sales") for relation in query.relations) else "/shops"
        items = tuple(relation for relation in query.relations if not relation.endswith(filtered))
    join = query.joins[0].signature
    sales = tuple(relation for relation in query.relations if relation.endswith("/sales"))
    return (HintDirective("hint_join:f", join, "FILTER_BY_KEY", items, literals=values, rows=100, filtered=sales),)


ran = run_both_ways(spark, "filtered", STATEMENTS, filter_by_items)
spark.conf.set("spark.sql.ansi.enabled", "true")
ran |= run_both_ways(spark, "filtered", UNDER_ANSI, filter_by_items)
report.write_text(json.dumps({name: plain == filtered for name, (plain, filtered) in ran.items()}))
spark.stop()
