"""What a stream is, and how it is run: the same for all contenders."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tuner.bench.bench_run import Setup
from tuner.bench.records import Records
from tuner.bench.stream.drawn_stream import Night, StreamJob, drawn_stream
from tuner.bench.workloads.joins.part_queries import drawn_parts


@dataclass(frozen=True, slots=True)
class StreamSetup:
    """`setup` is how each application is run; its workload has the tables of the start. Statistics are gathered before the
    first night and every `analyze_every` nights. Of a stream's nights there may be more in a later bench."""

    setup: Setup
    scale_factor: float
    seed: int
    jobs: Sequence[StreamJob]
    per_night: int
    nights: int
    analyze_every: int

    @property
    def executions(self) -> int:
        return self.nights * len(self.jobs) * self.per_night

    @property
    def tables(self) -> Path:
        """The tables of the night, at the same place each night."""
        return self.setup.directory / "tables"

    def drawn(self) -> tuple[Night, ...]:
        """The executions of each night by job. TunerError if there are not as many queries."""
        return drawn_stream(drawn_parts(self.seed), self.jobs, self.per_night, self.nights, self.seed)

    def of_job(self, job: str, queries: Mapping[str, str]) -> Setup:
        """How a job's application of a night is run."""
        workload = replace(self.setup.workload, queries=queries, tables=self.tables)
        return replace(self.setup, workload=workload, directory=self.setup.directory / job)

    def records(self, job: str) -> Records:
        """A job's finished runs, numbered by night. TunerError if another stream ran in the directory."""
        return Records(self.of_job(job, {}), self._identity())

    def statistics_of(self, night: int) -> int:
        """The night whose statistics a night has: itself where they are due, else the last one before it."""
        return night - (night - 1) % self.analyze_every

    def _identity(self) -> Mapping[str, Any]:
        return {
            "workload": self.setup.workload.title,
            "scale_factor": self.scale_factor,
            "seed": self.seed,
            "jobs": [job.name for job in self.jobs],
            "executions of a job in a night": self.per_night,
            "analyze_every": self.analyze_every,
            "master": self.setup.master,
            "driver_memory": self.setup.driver_memory,
            "timeout_seconds": self.setup.timeout_seconds,
            "conf": dict(self.setup.conf),
        }
