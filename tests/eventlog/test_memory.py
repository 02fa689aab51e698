"""Memory does not grow with a log's bytes."""

from __future__ import annotations

import resource
import tracemalloc
from pathlib import Path

import zstandard

from tuner.model.application import Completeness

from .samples import (
    ROWS,
    accumulators,
    application_end,
    execution_end,
    execution_start,
    head,
    job_start,
    plan,
    read,
    replan,
    stage_submitted,
    task_end,
)

LOG_BYTES = 60 << 20
HELD_BYTES = 6 << 20


def test_a_long_log_is_read_as_a_stream(tmp_path: Path) -> None:
    # AQE re-plans, two thirds of a real log's bytes, and tasks, two thirds of its lines.
    bulky = replan(0, plan("Scan orc ", text="x" * 60_000))
    block = bulky + b"".join(task_end(i, partition=i) for i in range(20))
    path, blocks, size = tmp_path / "local-1.zstd", 0, 0
    with path.open("wb") as file:
        opening = b"".join([*head(), execution_start(), job_start(), stage_submitted()])
        file.write(zstandard.compress(opening, 1))
        while size < LOG_BYTES:
            file.write(zstandard.compress(block, 1))
            blocks, size = blocks + 1, size + len(block)
        file.write(zstandard.compress(execution_end() + application_end(), 1))

    peak_before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    tracemalloc.start()
    application = read(path)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - peak_before) << 10

    assert application.status is Completeness.COMPLETE, application.problems
    assert accumulators(application) == {ROWS: 20 * 50}
    assert application.stages[0].executor_run_time_ms == blocks * 20 * 10
    assert peak < HELD_BYTES
    assert grown < 4 * HELD_BYTES
