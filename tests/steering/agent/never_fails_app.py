"""What the agent takes for an expression that raises no error, and what it does of extreme values, by settings.

    spark-submit never_fails_app.py ASKED.json EVERY REPORT.json

ASKED has by name the `conf` that is set, and expressions `by_source`: what they are selected from. The report has for each of
these what of it may fail, by the agent (null: nothing), and the errors that one which may not raised all the same, with
generated code and without: one in EVERY is run. Beside that it has the classes of all expressions in the plans: `met`.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

_AT_ONCE = 12
_CLASS = re.compile(r'"class":"org\.apache\.spark\.sql\.catalyst\.(?:\w+\.)*([\w$]+)"')
EXTREMES = {
    "s": (
        "string",
        [
            "''",
            "'a'",
            "'1.5'",
            "'ß € İ'",
            "repeat('ab ', 500)",
            "'(['",
            '\'{"a": ["\\\\ud800", 1\'',
            "cast(X'ff80' AS string)",
            "'1e2147483647'",
            "'1e-2147483647'",
        ],
    ),
    "t": ("string", ["' '", "'%_\\\\'", "'é'", "'2024-13-99'"]),
    "i": ("int", ["0", "1", "-1", "2147483647", "-2147483648"]),
    "l": ("bigint", ["0", "-1", "9223372036854775807", "-9223372036854775807 - 1"]),
    "d": ("double", ["0", "-0.0", "1e308", "-1e308", "4.9e-324", "'NaN'", "'Infinity'", "'-Infinity'"]),
    "m": ("decimal(12,2)", ["0", "9999999999.99", "-9999999999.99", "0.005", "0.07"]),
    "w": ("decimal(38,18)", ["0", f"{'9' * 20}.{'9' * 18}", f"-{'9' * 20}.{'9' * 18}", f"0.{'7':0>18}"]),
    "n": ("decimal(38,0)", ["0", "9" * 38, f"-{'9' * 38}"]),
    "ts": (
        "timestamp",
        ["timestamp_micros(9223372036854775807)", "timestamp_micros(-9223372036854775807)", "'2024-02-29'"],
    ),
    "dt": ("date", ["date_from_unix_date(2147483647)", "date_from_unix_date(-2147483648)", "'1582-10-10'"]),
    "a": ("array<int>", ["array()", "array(1, NULL)", "sequence(1, 1000)"]),
    "mp": ("map<string, int>", ["map()", "map('a', NULL)"]),
}


Told = dict[str, tuple[str | None, list[str]]]


def main(asked_file: str, every: str, report_file: str) -> None:
    asked = json.loads(Path(asked_file).read_text(encoding="utf-8"))
    spark = SparkSession.builder.appName("never fails").getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    spark.conf.set("spark.sql.ansi.enabled", "true")
    _make_extremes(spark, str(Path(report_file).with_suffix(".parquet")))
    told: dict[str, Told] = {}
    met: set[str] = set()
    for name, setting in asked.items():
        for key, value in setting["conf"].items():
            spark.conf.set(key, value)
        told[name] = {}
        for source, expressions in setting["by_source"].items():
            plans = {one: _plan(spark, one, source) for one in expressions}
            met.update(*(_CLASS.findall(plan.toJSON()) for plan in plans.values()))
            told[name] |= _told(spark, source, {one: _risk(spark, plan) for one, plan in plans.items()}, int(every))
    Path(report_file).write_text(json.dumps({"told": told, "met": sorted(met)}), encoding="utf-8")
    spark.stop()


def _told(spark: SparkSession, source: str, risks: dict[str, str | None], every: int) -> Told:
    found: Told = {one: (risk, []) for one, risk in risks.items()}
    run = [one for one, risk in risks.items() if risk is None][::every]
    for place in range(0, len(run), _AT_ONCE):
        some = run[place : place + _AT_ONCE]
        # Most raise nothing: only where one does each is asked by itself.
        if _errors(spark, some, source):
            found |= {one: (None, _errors(spark, [one], source)) for one in some}
    return found


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
    extremes = spark.read.parquet(path)
    extremes.createOrReplaceTempView("extremes")
    extremes.na.drop(thresh=3).createOrReplaceTempView("dropped")


def _values(name: str) -> str:
    kind, values = EXTREMES[name]
    return f"array({', '.join(f'cast({value} AS {kind})' for value in (*values, 'NULL'))})"


def _plan(spark: SparkSession, expression: str, source: str) -> Any:
    return spark.sql(f"SELECT {expression} AS r FROM {source}")._jdf.queryExecution().optimizedPlan()


def _risk(spark: SparkSession, plan: Any) -> str | None:
    jvm: Any = spark._jvm
    risk = jvm.tuner.steering.agent.NeverFails.obstacle(plan)
    return None if risk is None else str(risk)


def _errors(spark: SparkSession, expressions: list[str], source: str) -> list[str]:
    found = []
    columns = ", ".join(f"{expression} AS r{number}" for number, expression in enumerate(expressions))
    for generated in ("true", "false"):
        spark.conf.set("spark.sql.codegen.wholeStage", generated)
        spark.conf.set("spark.sql.codegen.factoryMode", "CODEGEN_ONLY" if generated == "true" else "NO_CODEGEN")
        try:
            spark.sql(f"SELECT {columns} FROM {source}").write.format("noop").mode("overwrite").save()
        except Exception as error:
            found.append(str(error).split("\n", 1)[0][:200])
    return found


if __name__ == "__main__":
    main(*sys.argv[1:])
