"""Each execution of a stream with what every contender took for it, and each job's night with what tuning took."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field

from tuner.bench.bench_result import DEFAULT
from tuner.bench.bench_run import BenchRun, QueryTime
from tuner.bench.hours_apart import hours_apart
from tuner.bench.records import Records
from tuner.bench.stream.drawn_stream import Execution, StreamJob
from tuner.bench.stream.run_stream import STATISTICS
from tuner.bench.stream.stream_setup import StreamSetup


@dataclass(frozen=True, slots=True)
class Executed:
    """An execution with its time by contender."""

    night: int
    of: Execution
    times: Mapping[str, QueryTime]

    @property
    def counted(self) -> bool:
        """Whether sums of seconds have it. Not if it failed by default: how long that would take is not known."""
        return not self.times[DEFAULT].error

    def seconds(self, contender: str) -> float:
        """What it took; if it failed, that and what it took by default; with other rows, no less than by default."""
        mine, default = self.times[contender], self.times[DEFAULT]
        if mine.error:
            return mine.seconds + default.seconds
        return max(mine.seconds, default.seconds) if self.other_rows(contender) else mine.seconds

    def compared(self, contender: str) -> bool:
        """Whether it succeeded with both and gave the same rows, so that their seconds can be compared."""
        return self._ended(contender) and not self.other_rows(contender)

    def other_rows(self, contender: str) -> bool:
        return self._ended(contender) and self.times[contender].digest != self.times[DEFAULT].digest

    def _ended(self, contender: str) -> bool:
        return not self.times[contender].error and not self.times[DEFAULT].error


@dataclass(frozen=True, slots=True)
class JobNight:
    """A job's run in a night. By contender: `tuning` is its seconds of deciding and reading logs, and its part of those in which
    statistics were gathered for all jobs; `applications` its seconds of whole applications, tuning included; `exit_codes` are of
    applications that died; the first and the last of them all began `hours_apart`."""

    night: int
    job: StreamJob
    executions: tuple[Executed, ...]
    tuning: Mapping[str, float] = field(default_factory=dict)
    applications: Mapping[str, float] = field(default_factory=dict)
    exit_codes: Mapping[str, int] = field(default_factory=dict)
    hours_apart: float = 0.0

    @property
    def counted(self) -> tuple[Executed, ...]:
        """The executions that sums of seconds have: the same of all contenders."""
        return tuple(one for one in self.executions if one.counted)

    def seconds(self, contender: str) -> float:
        """Those of its queries, and tuning."""
        return sum(one.seconds(contender) for one in self.counted) + self.tuning[contender]

    def application_seconds(self, contender: str) -> float:
        """Those of its application, but for executions that sums do not have."""
        left_out = sum(one.times[contender].seconds for one in self.executions if not one.counted)
        return self.applications[contender] - left_out


def executed(stream: StreamSetup, contenders: Collection[str]) -> tuple[JobNight, ...]:
    """All jobs' nights that are on record of every contender."""
    records = {name: stream.records(name) for name in (STATISTICS, *(job.name for job in stream.jobs))}
    return tuple(_job_nights(stream, contenders, records))


def _job_nights(stream: StreamSetup, contenders: Collection[str], records: Mapping[str, Records]) -> Iterator[JobNight]:
    for number, night in enumerate(stream.drawn(), start=1):
        statistics = {name: records[STATISTICS].get(name, number) for name in contenders}
        for job in stream.jobs:
            found = {name: records[job.name].get(name, number) for name in contenders}
            runs = {name: run for name, run in found.items() if run is not None}
            if len(runs) == len(contenders):
                shares = {name: _share(run, len(stream.jobs)) for name, run in statistics.items()}
                yield _job_night(number, job, night[job.name], runs, shares)


def _share(statistics: BenchRun | None, jobs: int) -> tuple[float, float]:
    """A job's part of the seconds of gathering statistics, and of the application that did."""
    return (statistics.tuning_seconds / jobs, statistics.application_seconds / jobs) if statistics else (0.0, 0.0)


def _job_night(
    night: int,
    job: StreamJob,
    executions: Collection[Execution],
    runs: Mapping[str, BenchRun],
    statistics: Mapping[str, tuple[float, float]],
) -> JobNight:
    times = {name: {query.name: query for query in run.queries} for name, run in runs.items()}
    return JobNight(
        night,
        job,
        tuple(Executed(night, one, {name: of[one.name] for name, of in times.items()}) for one in executions),
        {name: run.tuning_seconds + statistics[name][0] for name, run in runs.items()},
        {name: run.application_seconds + run.tuning_seconds + statistics[name][1] for name, run in runs.items()},
        {name: run.exit_code for name, run in runs.items() if run.exit_code},
        hours_apart(run.started_at for run in runs.values()),
    )
