"""The walk of cohorts on the workers: rows of runs in, what a replay finds out, by the walker of the local replay."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import StrEnum
from functools import partial
from itertools import groupby, islice
from pathlib import Path
from typing import Any

import msgspec
import pyarrow as pa

from tuner.cost.learned.calibrated_model import VARIABLE
from tuner.pipeline.run_rows import ROWS_PER_BATCH, Row, logged_runs
from tuner.problems import Problems
from tuner.replay.cohort_replay import CohortReplay, ReplayedRun, UnreadLog
from tuner.replay.totals import CohortTotals
from tuner.replay.walk import Walker


class Kind(StrEnum):
    """What a row's document is."""

    RUN = "run"
    COHORT = "cohort"
    UNREAD = "unread"
    PROBLEM = "problem"


# `started_ms` and `key` order the runs; `round` and `cohort` tell rows that count from those of an earlier walk.
FOUND = pa.schema(
    {
        "round": pa.string(),
        "cohort": pa.string(),
        "kind": pa.string(),
        "started_ms": pa.int64(),
        "key": pa.string(),
        "document": pa.string(),
    }
)


def walk_cohorts(
    batches: Iterable[pa.RecordBatch], walker: Walker, round_: str, model: bytes | None
) -> Iterator[pa.RecordBatch]:
    """Input: the columns and the order of `run_rows`, all of a cohort. Memory: what the walker looks back at.

    `model` is what SPARK_TUNER_MODEL names where the replay was started.
    """
    rows = (row for batch in batches for row in batch.to_pylist())
    with _priced_by(model):
        found = (
            {"round": round_, "cohort": cohort, **row}
            for cohort, of_one in groupby(rows, key=lambda row: row["cohort"])
            for row in _Walk(cohort, walker).rows(of_one)
        )
        while some := list(islice(found, ROWS_PER_BATCH)):
            yield pa.RecordBatch.from_pylist(some, schema=FOUND)


@dataclass(slots=True)
class _Walk:
    cohort: str
    walker: Walker
    problems: Problems = field(default_factory=Problems)
    unread: list[UnreadLog] = field(default_factory=list)

    def rows(self, found: Iterable[Row]) -> Iterator[dict[str, Any]]:
        """What goes wrong in a cohort is its problem, and stops no other."""
        walked = self._walked(found)
        step = partial(next, walked, None)
        while (row := self.problems.guard(f"replay cohort {self.cohort}", step, None)) is not None:
            yield row
        for number, log in enumerate(self.unread):
            yield _row(Kind.UNREAD, log, number)
        for number, problem in enumerate(self.problems.found):
            yield _row(Kind.PROBLEM, problem, number)

    def _walked(self, found: Iterable[Row]) -> Iterator[dict[str, Any]]:
        totals = CohortTotals(self.cohort)
        runs = logged_runs(found, lambda log, why: self.unread.append(UnreadLog(log, why)))
        steps = self.walker.walk(runs, self.problems)
        while True:
            try:
                run = next(steps)
            except StopIteration as end:
                following = end.value
                break
            totals.take(run)
            yield _row(Kind.RUN, run, round(run.started_at.timestamp() * 1e3), run.key)
        if totals.runs:
            yield _row(Kind.COHORT, totals.result(following), 0)


def _row(kind: Kind, value: ReplayedRun | CohortReplay | UnreadLog | str, order: int, key: str = "") -> dict[str, Any]:
    return {"kind": kind.value, "started_ms": order, "key": key, "document": msgspec.json.encode(value).decode()}


@contextmanager
def _priced_by(model: bytes | None) -> Iterator[None]:
    """Meanwhile, SPARK_TUNER_MODEL names this model, on whatever machine this is."""
    before = os.environ.pop(VARIABLE, None)
    with tempfile.TemporaryDirectory() as directory:
        if model is not None:
            path = Path(directory) / "model.json"
            path.write_bytes(model)
            os.environ[VARIABLE] = str(path)
        try:
            yield
        finally:
            os.environ.pop(VARIABLE, None)
            if before is not None:
                os.environ[VARIABLE] = before
