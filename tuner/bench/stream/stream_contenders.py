"""The contenders of a stream, as each job has them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from pathlib import Path

from tuner.bench.contenders.contender import Contender
from tuner.bench.contenders.cost_based import CostBased
from tuner.bench.contenders.fixed import DEFAULT, THRESHOLD
from tuner.bench.contenders.tuned import Tuned

# Made for a job and a night whose statistics it has, in the stream's directory: jobs share what a contender knows. A search has
# no use for queries that never come back.
STREAM_CONTENDERS: Mapping[str, Callable[[Path, str, int], Contender]] = {
    "default": lambda directory, job, gathered: DEFAULT,
    "tuner": lambda directory, job, gathered: Tuned(cohort=job, history=history_of(directory)),
    # A run that is repeated has what it had, whatever was gathered since.
    "cbo": lambda directory, job, gathered: CostBased(
        title="Spark's CBO, with ANALYZE of all columns", catalog=directory / "cbo" / f"catalog-{gathered:03d}"
    ),
    "threshold": lambda directory, job, gathered: THRESHOLD,
}
USUAL = ("default", "tuner", "cbo")


def history_of(directory: Path) -> Path:
    """The tuner's store for all jobs of a stream: `spark-tuner ui --db sqlite:///FILE` shows it."""
    return directory / "tuner" / "history.db"


def stream_contenders(names: Collection[str], directory: Path, job: str, gathered: int) -> list[Contender]:
    """Those of these names, and always Spark's defaults; with the statistics of the night in which they were gathered."""
    taking_part = (make for name, make in STREAM_CONTENDERS.items() if name in names or name == "default")
    return [make(directory, job, gathered) for make in taking_part]


def stream_titles(names: Collection[str]) -> dict[str, str]:
    """By name, of those that take part."""
    return {one.name: one.title for one in stream_contenders(names, Path(), "", 1)}
