"""Spark's own estimates of queries, as JSON. usage: estimates_job.py QUERIES OUTPUT

QUERIES holds `setup`, statements that make and analyse tables, the names of these `tables`, and `queries`. OUTPUT gets
for each table its properties, types and descriptions, and for each query its optimised plan, each operator with what
Spark estimates of it and, of filters, their conditions.
"""

import json
import sys
from pathlib import Path

from pyspark.sql import SparkSession


def main(queries, output):
    work = json.loads(Path(queries).read_text(encoding="utf-8"))
    spark = SparkSession.builder.appName("estimates_job").getOrCreate()
    for statement in work["setup"]:
        spark.sql(statement)
    tables = {name: table(spark, name) for name in work["tables"]}
    plans = [tree(spark.sql(query)._jdf.queryExecution().optimizedPlan()) for query in work["queries"]]
    Path(output).write_text(json.dumps({"tables": tables, "plans": plans}), encoding="utf-8")
    spark.stop()


def table(spark, name):
    java = spark._jsparkSession.sessionState()
    metadata = java.catalog().getTableMetadata(java.sqlParser().parseTableIdentifier(name))
    properties = {}
    if metadata.stats().isDefined():
        stats = metadata.stats().get()
        if stats.rowCount().isDefined():
            properties["spark.sql.statistics.numRows"] = str(stats.rowCount().get())
        for column in each(stats.colStats().keys().toSeq()):
            kept = stats.colStats().apply(column).toMap(column)
            properties.update(
                (f"spark.sql.statistics.colStats.{key}", kept.apply(key)) for key in each(kept.keys().toSeq())
            )
    types = {field.name: field.dataType.simpleString() for field in spark.table(name).schema}
    described = {column: describe(spark, name, column) for column in types} if name == "facts" else {}
    return {"properties": properties, "types": types, "described": described}


def describe(spark, name, column):
    return {row[0]: row[1] for row in spark.sql(f"DESCRIBE EXTENDED {name} {column}").collect()}


def tree(plan):
    stats = plan.stats()
    kind = plan.nodeName()
    details = DETAILS[kind](plan) if kind in DETAILS else {}
    return {
        "node": kind,
        "rows": option(stats.rowCount(), lambda rows: int(str(rows))),
        "output": texts(plan.output()),
        "schema": plan.schema().catalogString(),
        "columns": str(stats.attributeStats().mkString("\n")),
        "details": details,
        "children": [tree(child) for child in each(plan.children())],
    }


def relation(plan):
    return {"table": plan.catalogTable().get().identifier().table()}


def each(sequence):
    return [sequence.apply(number) for number in range(sequence.size())]


def texts(sequence):
    """The items of a sequence as printed, in one call."""
    return sequence.mkString("\n").split("\n") if sequence.nonEmpty() else []


def option(value, read):
    return read(value.get()) if value.isDefined() else None


DETAILS = {
    "LogicalRelation": relation,
    "Filter": lambda plan: {"condition": str(plan.condition())},
}

if __name__ == "__main__":
    main(*sys.argv[1:])
