"""Groups that a statement makes several times, and that may or may not be made once: `shared_subplan_app.py DIRECTORY REPORT`.

Each statement runs as written, then with the directive for every join that its plan has more than once. The report has for each
whether its rows are the same.
"""

import json
import sys
from collections import Counter
from pathlib import Path

from directed_statements import read_tables, run_both_ways
from pyspark.sql import SparkSession

from tuner.model.agent_message import HintDirective
from tuner.model.query import Query

JOINED = "sales JOIN days ON s_day = d_day JOIN items ON s_item = i_item"
KEYS = "d_year, d_quarter, i_kind"
GROUPS = (
    f"WITH g AS (SELECT {KEYS}, count(*) n, sum(s_amount) total, min(s_id) least, sum(s_price) price FROM {JOINED} "
    f"GROUP BY {KEYS})"
)
PAIR = "SELECT a.n, b.n, a.total, b.total FROM g a JOIN g b ON a.i_kind = b.i_kind AND a.d_quarter = b.d_quarter"
KINDS = "SELECT a.n, b.n FROM g a JOIN g b ON a.i_kind <=> b.i_kind"
ITEMS = "SELECT a.total, b.total FROM g a JOIN g b ON a.s_item = b.s_item"
YEARS = "WHERE a.d_year = 2001 AND b.d_year = 2002"
BY_ITEM = "SELECT d_year, s_item, sum(s_amount) total FROM"
# Files keep one of them for both.
OF_ZEROS = f"(SELECT *, (s_id % 2 - 0.5D) * 0.0D AS s_zero FROM sales) JOIN {JOINED.partition(' JOIN ')[2]}"
OF_ALL = f"SELECT s_item, d_year, s_amount FROM {JOINED}"
OF_PARTS = "SELECT p_item, d_year, p_amount FROM parts JOIN days ON p_day = d_day"
# Conditions on what is computed of dates are pushed below it.
DATED = f"(SELECT *, trunc(s_date, 'YEAR') AS s_year FROM sales) JOIN {JOINED.partition(' JOIN ')[2]}"
OF_YEARS = f"SELECT year(s_date) y, i_kind, count(*) n, max(s_date) last FROM {JOINED} GROUP BY year(s_date), i_kind"
DATED_PARTS = (
    f"SELECT i_kind k, month(s_date) m, s_amount a FROM {JOINED} UNION ALL "
    "SELECT d_quarter, month(p_date), p_amount FROM parts JOIN days ON p_day = d_day"
)
OF_TEXTS = (
    "WITH g AS (SELECT d_year, i_kind, count(*) n, min(s_broken) m FROM sales_as_text JOIN days ON s_day = d_day "
    "JOIN items ON s_item = i_item GROUP BY d_year, i_kind)"
)


def two(columns: str, groups: str, first: str, second: str, joined: str = JOINED) -> str:
    """Two groups with conditions of their own, without a CTE."""
    one, other = (f"(SELECT {columns} FROM {joined} {where} {groups})" for where in (first, second))
    return f"SELECT a.n, b.n FROM {one} a JOIN {other} b ON true"


STATEMENTS = {
    "other values": f"{GROUPS} {PAIR} {YEARS}",
    "other columns": f"{GROUPS} SELECT a.d_year, a.n, b.total FROM g a JOIN g b ON a.d_year = b.d_year AND a.i_kind = b.i_kind",
    "three of them": f"{GROUPS} SELECT a.i_kind, a.n, b.total, c.least FROM g a JOIN g b ON a.i_kind = b.i_kind JOIN g c "
    f"ON a.i_kind = c.i_kind {YEARS} AND c.d_year = 2001 AND c.d_quarter = 3 AND b.d_quarter < 3",
    "one without a condition": f"{GROUPS} {PAIR} WHERE a.d_year = 2001",
    "a condition first, then years that are missing": f"{GROUPS} SELECT a.n, b.d_year, b.n, b.total FROM g a JOIN g b "
    "ON a.i_kind = b.i_kind WHERE a.d_year = 2001",
    "years that are missing, then a condition": f"{GROUPS} SELECT a.d_year, a.n, b.n, b.total FROM g a JOIN g b "
    "ON a.i_kind = b.i_kind WHERE b.d_year = 2001",
    "one of them in a union": f"{GROUPS} SELECT n, total FROM g WHERE d_year = 2001 UNION ALL SELECT least, total FROM g "
    "WHERE d_year > 2002",
    "one in a subquery": f"{GROUPS} SELECT * FROM g WHERE d_year = 2002 AND n > (SELECT avg(n) FROM g WHERE d_year = 2001)",
    "a year that is missing": f"{GROUPS} {KINDS} WHERE a.d_year IS NULL AND b.d_year = 2001",
    "conditions on two relations": f"{GROUPS} SELECT a.n, b.n FROM g a JOIN g b ON a.d_quarter = b.d_quarter {YEARS} AND "
    "a.i_kind < 3 AND b.i_kind > 3",
    "of outer joins": "WITH g AS (SELECT d_year, i_kind, count(i_item) n FROM sales JOIN days ON s_day = d_day LEFT JOIN items "
    f"ON s_item = i_item AND i_kind < 4 GROUP BY d_year, i_kind) {KINDS} {YEARS}",
    "of tests": f"WITH g AS ({BY_ITEM} sales JOIN days ON s_day = d_day WHERE EXISTS (SELECT 1 FROM items WHERE i_item = s_item "
    f"AND i_kind < 4) GROUP BY d_year, s_item) {ITEMS} {YEARS}",
    "of groups": f"WITH g AS (SELECT d_year, count(*) n FROM ({BY_ITEM} {JOINED} GROUP BY d_year, s_item) WHERE total > 50 "
    f"GROUP BY d_year) SELECT a.n, b.n FROM g a CROSS JOIN g b {YEARS}",
    "of several parts": f"WITH g AS ({BY_ITEM} ({OF_ALL} UNION ALL {OF_PARTS}) GROUP BY d_year, s_item) {ITEMS} {YEARS}",
    "of parts made distinct": f"WITH g AS ({BY_ITEM} ({OF_ALL} UNION {OF_PARTS}) GROUP BY d_year, s_item) {ITEMS} {YEARS}",
    "distinct": f"WITH g AS (SELECT d_year, i_kind, count(DISTINCT s_item) n, sum(s_amount) total FROM {JOINED} "
    f"GROUP BY d_year, i_kind) {KINDS} {YEARS}",
    "other functions": two("sum(s_amount + 1) n", "GROUP BY i_kind", "", "").replace("+ 1", "+ 2", 1),
    "computed keys": f"WITH g AS (SELECT d_year + 1 y, i_kind, count(*) n FROM {JOINED} GROUP BY 1, 2) {KINDS} "
    "WHERE a.y = 2002 AND b.y = 2003",
    "years of dates": f"WITH g AS ({OF_YEARS}) SELECT a.n, a.last, b.n, b.last FROM g a JOIN g b ON a.i_kind = b.i_kind "
    "WHERE a.y = 2001 AND b.y IN (2000, 2002)",
    "years of dates, one without a condition": f"WITH g AS ({OF_YEARS}) SELECT a.n, a.last, b.y, b.n, b.last FROM g a "
    "JOIN g b ON a.i_kind = b.i_kind WHERE a.y = 2001",
    "years of dates, and the dates": two(
        "year(s_date) y, count(*) n",
        "GROUP BY year(s_date)",
        "WHERE year(s_date) = 2001 AND s_date > '2001-03-01'",
        "WHERE year(s_date) = 2002",
    ),
    "dates, and years of them": two(
        "s_date, max(year(s_date)) n",
        "GROUP BY s_date",
        "WHERE year(s_date) = 2001",
        "WHERE year(s_date) = 2002 AND s_date < '2002-02-01'",
    ),
    "years of dates, computed below": f"WITH g AS (SELECT s_year, i_kind, count(*) n FROM {DATED} GROUP BY s_year, i_kind) "
    f"{KINDS} WHERE a.s_year = '2001-01-01' AND b.s_year = '2002-01-01'",
    "months of several parts": f"WITH g AS (SELECT k, m, sum(a) n FROM ({DATED_PARTS}) GROUP BY k, m) "
    "SELECT a.n, b.n FROM g a JOIN g b ON a.k <=> b.k WHERE a.m = 2 AND b.m = 3",
    "years of groups by year": f"WITH g AS (SELECT y, count(*) n, max(last) FROM ({OF_YEARS}) GROUP BY y) "
    "SELECT a.n, b.n FROM g a CROSS JOIN g b WHERE a.y = 2001 AND b.y = 2002",
    "renamed columns": f"WITH g AS (SELECT year, kind, count(*) n FROM (SELECT d_year AS year, i_kind AS kind FROM {JOINED}) "
    "GROUP BY year, kind) SELECT a.n, b.n FROM g a JOIN g b ON a.kind = b.kind WHERE a.year = 2001 AND b.year = 2002",
    "computed zeros that are equal": two(
        "-s_zero k, count(*) n",
        "GROUP BY -s_zero",
        *(f"WHERE CAST(-s_zero AS STRING) = '{z}'" for z in ("-0.0", "0.0")),
        OF_ZEROS,
    ),
    "what may fail": "WITH g AS (SELECT d_year, i_kind, sum(if(d_year = 2003, CAST(raise_error('bad') AS INT), 1)) n "
    f"FROM {JOINED} GROUP BY d_year, i_kind) {KINDS} {YEARS}",
    "zeros that are equal": two(
        "s_zero, count(*) n",
        "GROUP BY s_zero",
        *(f"WHERE CAST(s_zero AS STRING) = '{z}'" for z in ("-0.0", "0.0")),
        OF_ZEROS,
    ),
    "texts that are equal": two(
        "i_text, count(*) n", "GROUP BY i_text", "WHERE length(i_text) = 1", "WHERE length(i_text) = 2"
    ),
    "two kinds of distinct": f"WITH g AS (SELECT d_year, i_kind, count(DISTINCT s_item) n, count(DISTINCT s_amount) m "
    f"FROM {JOINED} GROUP BY d_year, i_kind) SELECT a.n, b.m FROM g a JOIN g b ON a.i_kind = b.i_kind {YEARS}",
    "a sum of one alone": "WITH g AS (SELECT d_year, i_kind, count(*) n, sum(if(d_year = 2002, 9223372036854775807, 1)) "
    f"s FROM {JOINED} GROUP BY d_year, i_kind) SELECT a.s, b.n FROM g a JOIN g b ON a.i_kind = b.i_kind {YEARS}",
    **{
        f"{name} of one alone": f"WITH g AS (SELECT d_year, i_kind, count(*) n, {function} f FROM {JOINED} "
        f"GROUP BY d_year, i_kind) SELECT a.f, b.n FROM g a JOIN g b ON a.i_kind = b.i_kind {YEARS}"
        for name, function in (
            ("a correlation", "corr(s_id, if(d_year = 2002, 1, s_item))"),
            ("a percentile", "percentile(s_id, 0.5, if(d_year = 2002, -1, 1))"),
        )
    },
    "not grouped by it": two("count(*) n", "GROUP BY i_kind", "WHERE d_year = 2001", "WHERE d_year = 2002"),
    "all together": two("count(*) n", "", "WHERE d_year = 2001", "WHERE d_year = 2002"),
    "all together, of what two relations have": two(
        "count(s_item) n, sum(s_amount) total, min(i_kind) least, max(s_id) most",
        "HAVING count(*) > 1",
        "WHERE d_year = 2001 AND i_kind > 2",
        "WHERE i_kind < 3 AND s_id % 2 = 0",
    ).replace("a.n, b.n", "*"),
    "all together, and of all": two("count(*) n, max(s_amount) m", "", "", "WHERE d_year = 2002 AND i_kind = 3"),
    "all together, and of no rows": two("count(*) n, min(s_id) m", "", "WHERE d_year = 2001", "WHERE d_year = 2002")
    + f" UNION ALL SELECT n, m FROM (SELECT count(*) n, min(s_id) m FROM {JOINED} WHERE d_year = 1950)",
    "all together, with conditions of their own": two(
        "count(*) FILTER (WHERE i_kind = 1) n, count(*) m", "", "WHERE d_year = 2001", "WHERE d_year = 2003"
    ),
    "all together, added up by floating point": two("sum(s_price) n", "", "WHERE d_year = 2001", "WHERE d_year = 2002"),
    "all together, an average of whole numbers": two("avg(s_id) n", "", "WHERE d_year = 2001", "WHERE d_year = 2002"),
    "all together, distinct": two("count(DISTINCT s_item) n", "", "WHERE d_year = 2001", "WHERE d_year = 2002"),
    "all together, by what may fail": two(
        "count(*) n", "", "WHERE d_year = 2001", "WHERE d_year > 2001 AND 10 / (d_year - 2001) > 1"
    ),
    "grouped by others": two("d_year, count(*) n", "GROUP BY d_year", "WHERE s_id > 9", "WHERE s_id > 9").replace(
        "d_year", "i_kind", 2
    ),
    "rows without a match": two(
        "d_year, count(*) n",
        "GROUP BY d_year",
        "AND d_year = 2001",
        "AND d_year = 2002",
        "sales LEFT JOIN days ON s_day = d_day",
    ),
    "of files that were listed before others were added": " JOIN ".join(
        f"(SELECT count(*) n FROM sales_{listed} JOIN days ON s_day = d_day WHERE d_year = {year}) {listed}"
        for listed, year in (("before", 2001), ("after", 2002))
    ).join(("SELECT before.n, after.n FROM ", " ON true")),
    "grouped by others, of other values": two("i_kind, count(*) n", "GROUP BY i_kind", "", "WHERE s_id > 7").replace(
        "GROUP BY i_kind", "GROUP BY i_kind, d_year", 1
    ),
    "other columns of other values": f"{GROUPS} SELECT a.n, b.total FROM g a JOIN g b ON a.i_kind = b.i_kind "
    "WHERE a.d_year = 2003",
    # Whether a row is malformed a parser says by the columns that it is asked for.
    "of texts": f"{OF_TEXTS} {KINDS} {YEARS}",
    "of texts, other columns": f"{OF_TEXTS} SELECT a.n, b.m FROM g a JOIN g b ON a.i_kind <=> b.i_kind {YEARS}",
}
ALONE = STATEMENTS["a sum of one alone"]
# Such a sum wraps around there: what a bigint holds of it is the same in every order.
WITHOUT_ANSI = {
    "a sum of one alone that wraps around": ALONE,
    "sums of bigint": ALONE.replace("9223372036854775807, 1", "s_id, 1").replace("b.n FROM", "b.s FROM"),
}
directory, report = Path(sys.argv[1]), Path(sys.argv[2])
spark = SparkSession.builder.getOrCreate()
spark.range(0, 6000, 1, 2).selectExpr(
    "id AS s_id",
    "if(id % 13 = 0, NULL, id % 40) AS s_item",
    "if(id % 17 = 0, NULL, id % 2000) AS s_day",
    "CAST(id % 97 AS DECIMAL(7, 2)) AS s_amount",
    "id % 97 / 7.0D AS s_price",
    "if(id % 19 = 0, NULL, date_add(DATE'2000-01-01', CAST(id % 1200 AS INT))) AS s_date",
).write.parquet(f"{directory}/sales")
spark.range(0, 3000, 1, 2).selectExpr(
    "id % 40 AS p_item",
    "id % 2000 AS p_day",
    "CAST(id % 89 AS DECIMAL(7, 2)) AS p_amount",
    "date_add(DATE'2000-01-01', CAST(id % 1100 AS INT)) AS p_date",
).write.parquet(f"{directory}/parts")
spark.range(0, 2000, 1, 2).selectExpr(
    "id AS d_day",
    "if(id % 11 = 0, NULL, CAST(2000 + id / 366 AS INT)) AS d_year",
    "CAST(id % 366 / 92 AS INT) AS d_quarter",
).write.parquet(f"{directory}/days")
spark.range(0, 40, 1, 2).selectExpr(
    "id AS i_item", "CAST(id % 7 AS INT) AS i_kind", "if(id % 2 = 0, 'a', 'a ') COLLATE UTF8_BINARY_RTRIM AS i_text"
).write.parquet(f"{directory}/items")
read_tables(spark, directory, ("sales", "items", "days", "parts"))
for listed in ("before", "after"):
    spark.table("sales").limit(2000).write.mode("append").parquet(f"{directory}/growing")
    spark.read.parquet(f"{directory}/growing").createOrReplaceTempView(f"sales_{listed}")
spark.table("sales").selectExpr("s_item", "s_day", "if(s_id % 5 = 0, 'x', CAST(s_id AS STRING)) AS s_broken").write.csv(
    f"{directory}/sales_as_text"
)
spark.read.csv(
    f"{directory}/sales_as_text", "s_item LONG, s_day LONG, s_broken INT", mode="DROPMALFORMED"
).createOrReplaceTempView("sales_as_text")


def share(query: Query, values: tuple[str, ...]) -> list[HintDirective]:
    if query.description.endswith("of other values"):
        values = ("other",)
    times = Counter(join.signature for join in query.joins)
    return [HintDirective(f"share:{j}", j, "SHARE", literals=values) for j, number in times.items() if number > 1]


ran = run_both_ways(spark, "shared", STATEMENTS, share)
spark.conf.set("spark.sql.ansi.enabled", "false")
ran |= run_both_ways(spark, "shared", WITHOUT_ANSI, share)
# One without rows tells nothing.
report.write_text(json.dumps({name: plain == shared and bool(plain) for name, (plain, shared) in ran.items()}))
spark.stop()
