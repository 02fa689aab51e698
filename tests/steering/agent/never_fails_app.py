"""What the agent takes for an expression that raises no error, and what it does of extreme values, under ANSI.

    spark-submit never_fails_app.py EXPRESSIONS.json REPORT.json

The report has for each expression what of it may fail, by the agent (null: nothing), and the errors that one which may not
raised all the same, with generated code and without.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

_AT_ONCE = 12
EXTREMES = {
    "s": ("string", ["''", "'a'", "'1.5'", "'ß € İ'", "repeat('ab ', 500)", "'(['", "cast(X'ff80' AS string)"]),
    "t": ("string", ["' '", "'%_\\\\'", "'é'", "'2024-13-99'"]),
    "i": ("int", ["0", "1", "-1", "2147483647", "-2147483648"]),
    "l": ("bigint", ["0", "-1", "9223372036854775807", "-9223372036854775807 - 1"]),
    "d": ("double", ["0", "-0.0", "1e308", "-1e308", "4.9e-324", "'NaN'", "'Infinity'", "'-Infinity'"]),
    "m": ("decimal(12,2)", ["0", "9999999999.99", "-9999999999.99", "0.005"]),
    "w": ("decimal(38,18)", ["0", f"{'9' * 20}.{'9' * 18}", f"-{'9' * 20}.{'9' * 18}"]),
    "n": ("decimal(38,0)", ["0", "9" * 38, f"-{'9' * 38}"]),
    "ts": (
        "timestamp",
        ["timestamp_micros(9223372036854775807)", "timestamp_micros(-9223372036854775807)", "'2024-02-29'"],
    ),
    "dt": ("date", ["date_from_unix_date(2147483647)", "date_from_unix_date(-2147483648)", "'1582-10-10'"]),
    "a": ("array<int>", ["array()", "array(1, NULL)", "sequence(1, 1000)"]),
    "mp": ("map<string, int>", ["map()", "map('a', NULL)"]),
}


def main(expressions_file: str, report_file: str) -> None:
    expressions = json.loads(Path(expressions_file).read_text(encoding="utf-8"))
    spark = SparkSession.builder.appName("never fails").getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    spark.conf.set("spark.sql.ansi.enabled", "true")
    _make_extremes(spark, str(Path(report_file).with_suffix(".parquet")))
    report: dict[str, tuple[str | None, list[str]]] = {one: (_risk(spark, one), []) for one in expressions}
    asked = [one for one, (risk, _) in report.items() if risk is None]
    for place in range(0, len(asked), _AT_ONCE):
        some = asked[place : place + _AT_ONCE]
        # Most raise nothing: only where one does each is asked by itself.
        if _errors(spark, some):
            report |= {one: (None, _errors(spark, [one])) for one in some}
    Path(report_file).write_text(json.dumps(report), encoding="utf-8")
    spark.stop()


def _make_extremes(spark: SparkSession, path: str) -> None:
    """All pairs of texts; the other columns in turns beside each other: each value of one with some of any other."""
    texts = (f"(SELECT explode({_values(name)}) AS {name})" for name in ("s", "t"))
    most = 1 + max(len(values) for _, values in EXTREMES.values())
    in_turns = (
        f"element_at({_values(name)}, cast(1 + (id + {number % 2} * (id div {most})) % {len(values) + 1} AS int)) AS {name}"
        for number, (name, (_, values)) in enumerate(EXTREMES.items())
        if name not in ("s", "t")
    )
    others = f"(SELECT {', '.join(in_turns)} FROM range({most * most}))"
    # Sparks before 4.0 ask how days before 1582 are to be written.
    spark.conf.set("spark.sql.parquet.outputTimestampType", "TIMESTAMP_MICROS")
    spark.conf.set("spark.sql.parquet.datetimeRebaseModeInWrite", "CORRECTED")
    spark.sql(f"SELECT * FROM {' CROSS JOIN '.join((*texts, others))}").write.parquet(path)
    spark.read.parquet(path).createOrReplaceTempView("extremes")


def _values(name: str) -> str:
    kind, values = EXTREMES[name]
    return f"array({', '.join(f'cast({value} AS {kind})' for value in (*values, 'NULL'))})"


def _risk(spark: SparkSession, expression: str) -> str | None:
    frame = spark.sql(f"SELECT {expression} AS r FROM extremes")
    jvm: Any = spark._jvm
    risk = jvm.tuner.steering.agent.NeverFails.obstacle(frame._jdf.queryExecution().optimizedPlan())
    return None if risk is None else str(risk)


def _errors(spark: SparkSession, expressions: list[str]) -> list[str]:
    found = []
    columns = ", ".join(f"{expression} AS r{number}" for number, expression in enumerate(expressions))
    for generated in ("true", "false"):
        spark.conf.set("spark.sql.codegen.wholeStage", generated)
        spark.conf.set("spark.sql.codegen.factoryMode", "CODEGEN_ONLY" if generated == "true" else "NO_CODEGEN")
        try:
            spark.sql(f"SELECT {columns} FROM extremes").write.format("noop").mode("overwrite").save()
        except Exception as error:
            found.append(str(error).split("\n", 1)[0][:200])
    return found


if __name__ == "__main__":
    main(*sys.argv[1:])
