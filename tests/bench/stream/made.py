"""Streams and their runs as contenders would have left them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from tests.bench.made import setup
from tuner.bench.bench_run import QueryTime
from tuner.bench.stream.drawn_stream import Execution, StreamJob, stream_job
from tuner.bench.stream.executed import Executed, JobNight
from tuner.bench.stream.stream_setup import StreamSetup
from tuner.bench.workloads.joins.part_queries import drawn_parts

JOBS = (stream_job(0), stream_job(50))
PART = drawn_parts(1)[0]


def stream(directory: Path, nights: int = 2, seed: int = 1) -> StreamSetup:
    """Two jobs of four executions a night."""
    return StreamSetup(setup(directory), 0.01, seed, JOBS, 4, nights, analyze_every=2)


def executed(
    night: int, job: str, name: str, every: int, seconds: Mapping[str, float], failed: str = "", other: str = ""
) -> Executed:
    """`failed` and `other` name a contender that failed, or returned other rows."""
    times = {
        contender: QueryTime(
            name, of, 1, "others" if contender == other else "rows", "out of memory" * (contender == failed)
        )
        for contender, of in seconds.items()
    }
    return Executed(night, Execution(job, name, PART, every, False, ""), times)


def job_night(night: int, job: StreamJob, *executions: Executed, tuning: Mapping[str, float]) -> JobNight:
    """Whole applications take ten seconds more."""
    applications = {name: 10.0 + of + sum(one.times[name].seconds for one in executions) for name, of in tuning.items()}
    return JobNight(night, job, executions, tuning, applications)
