"""Spark's cost-based optimizer with statistics of all columns; gathering them counts as tuning."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from tuner.bench.bench_run import BenchRun, Setup
from tuner.bench.progress import Heard
from tuner.bench.run_application import Submit, run_application
from tuner.errors import TunerError
from tuner.spark import knobs

CBO = {
    knobs.CBO.property: "true",
    knobs.JOIN_REORDER.property: "true",
    knobs.CBO_PLAN_STATISTICS.property: "true",
}


@dataclass(frozen=True, slots=True)
class CostBased:
    """ANALYZE each time it prepares, then Spark's cost-based join reordering in every run.

    `catalog` is a directory with statistics that several jobs share; without it, one beside the runs.
    """

    name: str = "cbo"
    title: str = "Spark's CBO, after ANALYZE of all columns"
    learns: bool = False
    catalog: Path | None = None

    def prepare(self, setup: Setup, work: Path) -> BenchRun:
        shutil.rmtree(self._catalog(work), ignore_errors=True)
        ran = run_application(setup, Submit(catalog=self._catalog(work), analyze=True), work)
        if ran.exit_code:
            raise TunerError(f"ANALYZE: {ran.ended}; read {work / 'spark.log'}")
        return replace(
            ran.as_run(self.name, 0),
            queries=(),
            tuning_seconds=sum(query.seconds for query in ran.queries),
            said=("statistics of all columns gathered",),
        )

    def run(self, setup: Setup, number: int, earlier: Sequence[BenchRun], work: Path, heard: Heard) -> BenchRun:
        ran = run_application(setup, Submit(CBO, catalog=self._catalog(work)), work, heard)
        return ran.as_run(self.name, number)

    def _catalog(self, work: Path) -> Path:
        return self.catalog or work.parent / "catalog"
