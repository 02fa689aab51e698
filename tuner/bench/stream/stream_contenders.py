"""The contenders of a stream, as each job has them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from pathlib import Path

from tuner.bench.contenders.contender import Contender
from tuner.bench.contenders.cost_based import CostBased
from tuner.bench.contenders.fixed import DEFAULT, THRESHOLD
from tuner.bench.contenders.tuned import Tuned

# Made for a job, in the stream's directory: jobs share what a contender knows. A search has no use for queries that never come
# back.
STREAM_CONTENDERS: Mapping[str, Callable[[Path, str], Contender]] = {
    "default": lambda directory, job: DEFAULT,
    "tuner": lambda directory, job: Tuned(cohort=job, history=history_of(directory)),
    "cbo": lambda directory, job: CostBased(
        title="Spark's CBO, with ANALYZE of all columns", catalog=directory / "cbo" / "catalog"
    ),
    "threshold": lambda directory, job: THRESHOLD,
}
USUAL = ("default", "tuner", "cbo")


def history_of(directory: Path) -> Path:
    """The tuner's store for all jobs of a stream: `spark-tuner ui --db sqlite:///FILE` shows it."""
    return directory / "tuner" / "history.db"


def stream_contenders(names: Collection[str], directory: Path, job: str) -> list[Contender]:
    """Those of these names, and always Spark's defaults."""
    return [make(directory, job) for name, make in STREAM_CONTENDERS.items() if name in names or name == "default"]
