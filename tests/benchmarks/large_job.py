"""How long a decision and a harvest of a job of many queries take, with the limits that ship.

    python -m tests.benchmarks.large_job DIRECTORY

The directory is that of a finished `spark-tuner bench --contenders tuner`, such as one of TPC-DS's 99 queries. Each run of the
tuner there is decided and harvested again, into a history of its own: a line for each.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from tuner.loop.loop import complete, prepare
from tuner.loop.next_decision import load_rules
from tuner.loop.turn import JobToRun
from tuner.model.decision import Mode
from tuner.spark.spark_submit import environment_for, find_spark_submit
from tuner.steering.agent.submission import submission

T = TypeVar("T")


def timed(work: Callable[[], T]) -> tuple[T, str]:
    wall, cpu = time.monotonic(), time.process_time()
    found = work()
    return found, f"{time.monotonic() - wall:.1f} s ({time.process_time() - cpu:.1f} s of a core)"


def tried(run: Path, history: Path, directory: Path) -> None:
    """One run, which gets as long to wait as it took."""
    shutil.copytree(run / "events", directory / "events", dirs_exist_ok=True)
    program = find_spark_submit()
    spark = submission(program, {}, environ=environment_for(program), with_defaults=True)
    job = JobToRun(
        "bench", f"bench/{run.name}/1", 1, Mode.AUTO, event_log_base=str(directory / "events"), submission=spark
    )
    store = f"sqlite:///{history}"
    turn, deciding = timed(lambda: prepare(job, store))
    load_rules()
    took: dict[str, Any] = msgspec.json.decode((run / "run.json").read_bytes())
    began = datetime.now(UTC) - timedelta(seconds=took["application_seconds"])
    report, harvesting = timed(lambda: complete(replace(turn, started_at=began), store, failed=False))
    queries = len(report.run.outcome.queries) if report.run and report.run.outcome else 0
    print(
        f"{run.name}: decided in {deciding}, {len(turn.decision.in_force)} in force; {queries} queries harvested in {harvesting}"
    )
    for problem in report.problems:
        print(f"  {problem}")


def main(directory: Path) -> None:
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as work:
        history = Path(work, "history.db")
        for run in sorted((directory / "tuner").glob("run-*")):
            tried(run, history, Path(work))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
