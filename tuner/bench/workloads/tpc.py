"""TPC-DS and TPC-H as duckdb's extensions make them: tables and texts come from these packages when a bench needs them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

from tuner.bench.workloads.benchmark import Benchmark, Seeded
from tuner.demo.tables import TPCDS, TPCH, Suite, make_tables, query_texts

# TPC-DS quotes names of columns with double quotes, which are strings to Spark.
_QUOTED_NAMES = {"spark.sql.ansi.doubleQuotedIdentifiers": "true"}


def _texts(suite: Suite) -> Mapping[str, str]:
    return {f"q{number:02d}": text for number, text in sorted(query_texts(suite).items())}


def _names(suite: Suite) -> Sequence[str]:
    return list(_texts(suite))


def _queries(suite: Suite, directory: Path, seed: int, names: Sequence[str]) -> Mapping[str, str]:
    texts = _texts(suite)
    return {name: texts[name] for name in names}


def _make(suite: Suite, directory: Path, scale_factor: float, seed: int) -> None:
    make_tables(directory, scale_factor, suite)


def _of(title: str, suite: Suite, conf: Mapping[str, str] | None = None) -> Benchmark:
    return Benchmark(
        title,
        partial(_names, suite),
        partial(_make, suite),
        partial(_queries, suite),
        Seeded.NOTHING,
        f"{title}'s generator in duckdb makes the same data, and queries with the same literals, each time",
        conf=conf or {},
    )


TPC_DS = _of("TPC-DS", TPCDS, _QUOTED_NAMES)
TPC_H = _of("TPC-H", TPCH)
