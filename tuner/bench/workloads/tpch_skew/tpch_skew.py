"""TPC-H with skew: TPC-H's own queries over orders and lines that few customers, parts and suppliers share among them."""

from __future__ import annotations

from pathlib import Path

from tuner.bench.workloads.benchmark import Benchmark, Seeded
from tuner.bench.workloads.draws import define_draws
from tuner.bench.workloads.tpc import TPC_H
from tuner.bench.workloads.tpch_skew.skewed_tables import SKEWED, skew
from tuner.demo.tables import TPCH, generated
from tuner.demo.written_once import is_written, written_once


def make_skewed(directory: Path, scale_factor: float, seed: int) -> None:
    """Write TPC-H's eight tables with the foreign keys of orders and lineitem drawn anew."""
    if is_written(directory):
        return
    with generated(TPCH, scale_factor, directory) as connection:
        define_draws(connection, seed)
        skew(connection)
        tables = [name for (name,) in connection.execute("SELECT table_name FROM duckdb_tables()").fetchall()]
        with written_once(connection, directory) as write:
            for table in sorted(set(tables) - SKEWED.keys()):
                if not table.startswith("_"):
                    write(table, f"FROM {table}")
            for table, source in SKEWED.items():
                write(table, f"FROM {source}")


TPCH_SKEW = Benchmark("TPC-H with skew", TPC_H.names, make_skewed, TPC_H.queries, Seeded.DATA)
