"""The Star Schema Benchmark as a bench runs it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from tuner.bench.workloads.benchmark import Benchmark, Seeded
from tuner.bench.workloads.parquet_views import parquet_views
from tuner.bench.workloads.ssb.star_literals import filled
from tuner.bench.workloads.ssb.star_queries import STAR_QUERIES
from tuner.bench.workloads.ssb.star_tables import star_tables
from tuner.demo.tables import TPCH, generated
from tuner.demo.written_once import is_written, written_once


def make_star(directory: Path, scale_factor: float, seed: int) -> None:
    """Write the five tables; they are the same for any seed."""
    if is_written(directory):
        return
    with generated(TPCH, scale_factor, directory) as connection, written_once(connection, directory) as write:
        for table, query in star_tables(scale_factor).items():
            write(table, query)


def star_texts(directory: Path, seed: int, names: Sequence[str]) -> Mapping[str, str]:
    """Queries with literals that the seed draws from the tables."""
    with parquet_views(directory, seed) as connection:
        return {name: filled(connection, name, STAR_QUERIES[name]) for name in names}


def _names() -> Sequence[str]:
    return list(STAR_QUERIES)


SSB = Benchmark("Star Schema Benchmark", _names, make_star, star_texts, Seeded.LITERALS)
