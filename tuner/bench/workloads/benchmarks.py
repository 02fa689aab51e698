"""The benchmarks that `spark-tuner bench --workload` knows."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from pathlib import Path

from tuner.bench.bench_run import Workload
from tuner.bench.workloads.benchmark import Benchmark, Seeded
from tuner.bench.workloads.chosen import chosen
from tuner.bench.workloads.joins.joins import JOINS
from tuner.bench.workloads.ssb.ssb import SSB
from tuner.bench.workloads.tpc import TPC_DS, TPC_H
from tuner.bench.workloads.tpch_skew.tpch_skew import TPCH_SKEW

BENCHMARKS: Mapping[str, Benchmark] = {
    "tpcds": TPC_DS,
    "tpch": TPC_H,
    "ssb": SSB,
    "tpch-skew": TPCH_SKEW,
    "joins": JOINS,
}
USUAL = "tpcds"
# Its queries can be drawn anew each night, and its tables grow: `spark-tuner bench --stream`.
STREAMED = "joins"


def benchmark_workload(name: str, scale_factor: float, seed: int, names: Collection[str], tables: Path) -> Workload:
    """The queries of a benchmark (all if no names are given). Tables and literals are made below `tables` if they are not there.

    Raises RequirementError without the packages that make them, TunerError for an unknown query.
    """
    benchmark = BENCHMARKS[name]
    found = chosen(benchmark.names(), names, benchmark.title)
    made = benchmark_tables(name, scale_factor, seed, tables)
    return replace(made, queries=benchmark.queries(made.tables, seed, found))


def benchmark_tables(name: str, scale_factor: float, seed: int, tables: Path) -> Workload:
    """The tables of a benchmark, without queries, made below `tables` if they are not there.

    Raises RequirementError without the packages that make them.
    """
    benchmark = BENCHMARKS[name]
    directory = tables / _folder(name, benchmark, scale_factor, seed)
    benchmark.make(directory, scale_factor, seed)
    return Workload(_title(benchmark, scale_factor, seed), {}, directory, benchmark.conf)


def _folder(name: str, benchmark: Benchmark, scale_factor: float, seed: int) -> str:
    of_seed = f"-seed{seed}" if benchmark.seeded is Seeded.DATA else ""
    return f"{'' if name == USUAL else f'{name}-'}sf{scale_factor:g}{of_seed}"


def _title(benchmark: Benchmark, scale_factor: float, seed: int) -> str:
    of_seed = "" if benchmark.seeded is Seeded.NOTHING else f", seed {seed}"
    return f"{benchmark.title} at scale factor {scale_factor:g}{of_seed}"
