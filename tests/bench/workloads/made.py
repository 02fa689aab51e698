"""Each benchmark's tables at the scale of tests, made once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tuner.bench.workloads.benchmarks import benchmark_workload

SCALE_FACTOR = 0.01
SEED = 1


@dataclass(frozen=True, slots=True)
class Made:
    """A benchmark's tables, and its queries by name."""

    tables: Path
    queries: Mapping[str, str]


def made(name: str, directory: Path, queries: Sequence[str] = (), seed: int = SEED) -> Made:
    """All queries if none are named."""
    found = benchmark_workload(name, SCALE_FACTOR, seed, queries, directory)
    return Made(found.tables, found.queries)
