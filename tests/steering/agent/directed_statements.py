"""Statements run as written, and then each with directives for what its own run has shown, in one application."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from pyspark.sql import SparkSession

from tuner.eventlog.find import find_logs
from tuner.eventlog.read import read_application
from tuner.model.agent_message import HintDirective, OrderDirective, QueryDirectives, encode_message
from tuner.model.query import Query
from tuner.plan.literals import literal_class
from tuner.plan.queries import queries

# Of a query, and of the values that a directive may act on.
Directives = Callable[[Query, tuple[str, ...]], Sequence[HintDirective | OrderDirective]]
Rows = list[str]


def read_tables(spark: SparkSession, directory: str | Path, tables: Sequence[str]) -> None:
    """Parquet files as temporary views of their folders' names."""
    for table in tables:
        spark.read.parquet(f"{directory}/{table}").createOrReplaceTempView(table)


def run_both_ways(
    spark: SparkSession, label: str, statements: Mapping[str, str], directives: Directives
) -> dict[str, tuple[Rows, Rows]]:
    """The rows of each as written, described as "plain: NAME", and with its directives, as "LABEL: NAME". Needs spark.eventLog.*,
    not compressed."""

    def rows(description: str, sql: str, directives: str = "") -> Rows:
        spark.conf.set("spark.tuner.directives", directives)
        spark.sparkContext.setJobDescription(description)
        return sorted(repr(tuple(row)) for row in spark.sql(sql).collect())

    plain = {name: rows(f"plain: {name}", sql) for name, sql in statements.items()}
    spark.sparkContext._jsc.sc().listenerBus().waitUntilEmpty()  # type: ignore[union-attr]
    (source,) = find_logs(Path(spark.conf.get("spark.eventLog.dir", "").removeprefix("file:")))
    ran = {
        query.description.removeprefix("plain: "): query for query in queries(read_application(source)) if query.joins
    }
    found = {}
    for name, sql in statements.items():
        query = ran[name]
        of_query = directives(query, (literal_class(query.conditions or ()),))
        hints = tuple(one for one in of_query if isinstance(one, HintDirective))
        orders = tuple(one for one in of_query if isinstance(one, OrderDirective))
        text = encode_message((QueryDirectives(query.fingerprint, query.relations, hints=hints, orders=orders),))
        found[name] = plain[name], rows(f"{label}: {name}", sql, text)
    return found
