"""Bench runs as contenders would have left them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from tuner.bench.bench_run import BenchRun, QueryTime, Setup, Workload


def setup(
    directory: Path = Path("bench"), queries: Sequence[str] = ("q1", "q2"), runs: int = 3, repeats: int = 2
) -> Setup:
    workload = Workload("two queries", {name: f"SELECT '{name}'" for name in queries}, Path("tables"))
    return Setup(workload, directory, "local[2]", "2g", runs, repeats, 60.0)


def run(
    contender: str,
    number: int,
    seconds: Mapping[str, float],
    *,
    tuning: float = 0.0,
    failed: Sequence[str] = (),
    digests: Mapping[str, str] | None = None,
) -> BenchRun:
    """`seconds` by query; a query that failed says so."""
    rows = digests or {}
    return BenchRun(
        contender,
        number,
        tuple(
            QueryTime(q, s, 1, rows.get(q, "rows"), "out of memory" if q in failed else "") for q, s in seconds.items()
        ),
        tuning_seconds=tuning,
    )


def runs(contender: str, *each: Mapping[str, float], tuning: float = 0.0) -> list[BenchRun]:
    return [run(contender, number, seconds, tuning=tuning) for number, seconds in enumerate(each, start=1)]
