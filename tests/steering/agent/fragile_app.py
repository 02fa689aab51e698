"""Runs fragile programs as written, then under directives drawn from their own log; what differs as written once more.

    spark-submit fragile_app.py OPTIONS.json REPORT.json

Options: `tables` and `work` (folders), `numbers` (first and count of programs drawn at random) or `programs` (what they are
made of, by name), `phase` (of the directives, as in steered_app). Needs spark.eventLog.*, not compressed.
"""

from __future__ import annotations

import json
import logging
import re
import sys
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

from fragile_programs import Fragile, fragile_program
from pyspark.sql import SparkSession
from steered_app import PLAIN, Outcome, Program, drawn, make_tables, message, run_all

Rows = list[Any] | None
_FLOAT = re.compile(r"-?\d+\.\d+(?:e[+-]?\d+)?")


def told(rows: Rows) -> list[str] | None:
    """Rows in no order; doubles to nine digits: sums of them differ in the last ones."""
    return (
        None if rows is None else sorted(_FLOAT.sub(lambda found: f"{float(found[0]):.8e}", repr(row)) for row in rows)
    )


def drawn_programs(first: int, count: int) -> dict[str, Fragile]:
    return {f"fragile {number}": fragile_program(number) for number in range(first, first + count)}


def same(one: Outcome, other: Outcome) -> bool:
    return told(one[0]) == told(other[0]) and bool(one[1]) == bool(other[1])


def main(options_file: str, report_file: str) -> None:
    options = json.loads(Path(options_file).read_text(encoding="utf-8"))
    spark = SparkSession.builder.appName("fragile").getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    logging.disable(logging.CRITICAL)
    make_tables(spark, options["tables"], options["work"])
    named = {name: Fragile(**made) for name, made in options.get("programs", {}).items()}
    fragile = named or drawn_programs(*options["numbers"])
    programs: dict[str, Program] = {name: program.run for name, program in fragile.items()}
    # Directives act on the values that the agent says a plan has; and it says where it fails.
    traced = {"spark.tuner.agent.trace": "true"}
    plain = run_all(spark, PLAIN, programs, lambda name: traced)
    directives = drawn(spark, options["phase"])
    texts = {name: message(found) for name, found in directives.items()}
    healthy = {name: program for name, program in programs.items() if not plain[name][1]}
    steered = run_all(spark, "steered", healthy, lambda name: {**traced, "spark.tuner.directives": texts.get(name, "")})
    # What differs may do so by itself.
    doubtful = {name: healthy[name] for name, outcome in steered.items() if not same(outcome, plain[name])}
    again = run_all(spark, "again", doubtful, lambda name: {})
    entry = partial(_entry, {"plain": plain, "steered": steered, "again": again})
    report = [
        {**asdict(program), **entry(name), "directives": directives.get(name, [])} for name, program in fragile.items()
    ]
    Path(report_file).write_text(json.dumps(report), encoding="utf-8")
    spark.stop()


def _entry(phases: dict[str, dict[str, Outcome]], name: str) -> dict[str, Any]:
    """What came of a program in each phase that it ran in: what went wrong, and its rows."""
    outcomes = {phase: [found[name][1], told(found[name][0])] for phase, found in phases.items() if name in found}
    return {"name": name, "plain": None, "steered": None, "again": None, **outcomes}


if __name__ == "__main__":
    main(*sys.argv[1:])
