"""The application behind a `sql=` job: `spark-submit sql_runner.py STATEMENTS_FILE [--output DIR]`.

STATEMENTS_FILE is JSON, `{"statements": ["…", …]}`. This file runs on the driver's Python, where the tuner is not
installed: it imports pyspark and the standard library only and keeps to Python 3.8.

A statement with a result is executed once, to the end, and brought to the driver as spark-sql does it
(`spark.driver.maxResultSize` bounds it); its first rows are printed. `show()` or `limit()` would change the plan,
and the plan must be the user's own, the same in every run. A result too large for the driver belongs in an INSERT
or CREATE TABLE AS, or in files: `--output DIR` writes each result to DIR/statement-<n> as Parquet.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
from pathlib import Path
from typing import Any

from pyspark import SparkContext, SparkFiles
from pyspark.sql import DataFrame, SparkSession

PRINTED_ROWS = 20
PRINTED_CHARACTERS = 100


class StatementsFileError(Exception):
    """The file of statements is missing or is not what the operator writes."""


class StatementError(Exception):
    """One statement failed; its message is one line."""


def main(arguments: list[str] | None = None) -> int:
    """Run every statement in order. Returns 0, or 1 after the first failure, with one line that names it."""
    parser = argparse.ArgumentParser(description="Run the SQL statements of a file, in order.")
    parser.add_argument("statements_file")
    parser.add_argument("--output", metavar="DIR", help="write each result here as Parquet instead of printing it")
    options = parser.parse_args(arguments)
    failure = None
    silence_query_log()
    spark = start_session()
    try:
        run(spark, read_statements(options.statements_file), options.output)
    except (StatementsFileError, StatementError) as error:
        failure = error
    finally:
        spark.stop()
    # Last of all: what Spark logs while it stops would hide it.
    if failure is not None:
        print(f"sql_runner: {failure}", file=sys.stderr, flush=True)
    return 0 if failure is None else 1


def start_session() -> SparkSession:
    """A session with the Hive metastore wherever spark-sql would have it: configured, or a hive-site.xml is at hand."""
    context = SparkContext.getOrCreate()
    builder = SparkSession.builder
    catalog = context.getConf().get("spark.sql.catalogImplementation")
    if catalog is None and has_hive_site():
        builder = builder.enableHiveSupport()
    return builder.getOrCreate()


def silence_query_log() -> None:
    """Keep PySpark 4 from logging each failed query's plan, literals and all, besides the error it raises."""
    try:
        from pyspark.logger import PySparkLogger
    except ImportError:
        return
    PySparkLogger.getLogger("SQLQueryContextLogger").disabled = True


def has_hive_site() -> bool:
    """Whether a directory that is on the driver's class path by default holds a hive-site.xml."""
    configured = [os.environ.get(name) for name in ("SPARK_CONF_DIR", "HADOOP_CONF_DIR", "YARN_CONF_DIR")]
    directories = [Path(directory) for directory in configured if directory]
    if os.environ.get("SPARK_HOME"):
        directories.append(Path(os.environ["SPARK_HOME"], "conf"))
    # In YARN's cluster mode the working directory holds what --files brought and Spark's configuration, unpacked.
    directories += [Path(), Path("__spark_conf__", "__hadoop_conf__")]
    return any((directory / "hive-site.xml").is_file() for directory in directories)


def read_statements(name: str) -> list[str]:
    """The statements of a local file, or of one that spark-submit shipped with `--files`."""
    path = find_file(name)
    try:
        statements = json.loads(path.read_text(encoding="utf-8"))["statements"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise StatementsFileError(
            f'{path}: expected JSON of the form {{"statements": [...]}} ({type(error).__name__}: {error}); '
            "in cluster mode ship it with --files"
        ) from error
    if not isinstance(statements, list) or not all(isinstance(statement, str) for statement in statements):
        raise StatementsFileError(f'{path}: "statements" must be a list of strings')
    return statements


def find_file(name: str) -> Path:
    """The first of: the path itself, its file name in the working directory, and among the shipped files."""
    path = Path(name)
    here = next((candidate for candidate in (path, Path(path.name)) if candidate.is_file()), None)
    if here is not None:
        return here
    shipped = Path(SparkFiles.get(path.name))
    return shipped if shipped.is_file() else path


def run(spark: SparkSession, statements: list[str], output: str | None) -> None:
    """Execute all statements; the event log describes each as `statement <n> of <count>`, never by its text."""
    for number, statement in enumerate(statements, 1):
        # A description ends up in the event log and the UI, which do not redact it: literals may be secrets.
        label = f"statement {number} of {len(statements)}"
        spark.sparkContext.setJobDescription(label)
        print(f"-- {label}", flush=True)
        try:
            result = spark.sql(statement)
            if result.columns:
                deliver(result, output and "{}/statement-{}".format(output.rstrip("/"), number))
        except Exception as error:
            raise StatementError(f"{label} failed, {opening(statement)}: {first_line(error)}") from error


def deliver(result: DataFrame, path: str | None) -> None:
    """Execute a result's plan once: into files, or to the driver, which prints its first rows and their number."""
    if path:
        result.write.mode("overwrite").parquet(path)
        print(f"result written to {path}", flush=True)
        return
    rows = result.collect()
    whole = len(rows) == 1 and len(result.columns) == 1  # a plan, a DDL text
    print("\t".join(result.columns))
    for row in rows[:PRINTED_ROWS]:
        print("\t".join(cell(value, whole) for value in row))
    cut = "" if len(rows) <= PRINTED_ROWS else f", the first {PRINTED_ROWS} shown"
    print("-- {} row{}{}".format(len(rows), "" if len(rows) == 1 else "s", cut), flush=True)


def cell(value: Any, whole: bool) -> str:
    """A value as text: on one line and cut, unless it is the whole result."""
    text = "NULL" if value is None else str(value)
    if whole:
        return text
    text = " ".join(text.split())
    return text if len(text) <= PRINTED_CHARACTERS else text[: PRINTED_CHARACTERS - 1] + "…"


def opening(statement: str) -> str:
    """The first line of a statement, its string literals masked."""
    masked = re.sub(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"", "'…'", statement.strip(), flags=re.DOTALL)
    return '"{}"'.format(cell(masked.split("\n", 1)[0], False))


def first_line(error: Exception) -> str:
    """What an error says first."""
    lines = str(error).strip().splitlines()
    return lines[0] if lines else type(error).__name__


if __name__ == "__main__":
    # A driver without a UTF-8 locale must not fail over a character in a result.
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    sys.exit(main())
