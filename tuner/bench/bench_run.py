"""What a bench runs, and what one run took."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from tuner.spark.knobs import DRIVER_MEMORY


@dataclass(frozen=True, slots=True)
class Workload:
    """A recurring job: query texts by name, in the order they run, and a directory with one folder of Parquet files a table.

    `conf` is what its texts need of a session to be understood.
    """

    title: str
    queries: Mapping[str, str]
    tables: Path
    conf: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Setup:
    """How a workload is run: the same for all contenders. `conf` is the user's own; `timeout_seconds` is for one query.

    Contenders learn in `runs`; the `repeats` that follow are what is measured and tested: a search runs the best that it found,
    the tuner goes on learning, as it does night after night. Contenders that do not learn run in the first round, in every
    `fixed_every`-th after it, and in the repeats.
    """

    workload: Workload
    directory: Path
    master: str
    driver_memory: str
    runs: int
    repeats: int
    timeout_seconds: float
    conf: Mapping[str, str] = field(default_factory=dict)
    seed: int = 1
    fixed_every: int = 1

    @property
    def rounds(self) -> int:
        return self.runs + self.repeats

    @property
    def properties(self) -> dict[str, str]:
        """What the user's own spark-submit would say."""
        return {"spark.master": self.master, DRIVER_MEMORY.property: self.driver_memory, **self.conf}

    def has_turn(self, number: int, *, learns: bool) -> bool:
        """Whether a contender runs in a round."""
        return learns or number > self.runs or (number - 1) % self.fixed_every == 0


@dataclass(frozen=True, slots=True)
class QueryTime:
    """One query of one run: wall seconds from text to rows, and seconds of processors meanwhile (None: not known). `error` is ""
    if it succeeded; equal rows have equal digests."""

    name: str
    seconds: float
    rows: int = 0
    digest: str = ""
    error: str = ""
    cpu_seconds: float | None = None


@dataclass(frozen=True, slots=True)
class BenchRun:
    """One run of a contender. `number` counts from 1; run 0 prepares what the contender needs (statistics).

    `tuning_seconds` is spent outside the queries: deciding, reading the event log, gathering statistics.
    `application_seconds` is all of spark-submit. A search set `conf` for the application and `query_conf` for single
    queries. `said` says what changed and why. `allocated_core_seconds` are cores times seconds that executors
    were held, busy or idle (None: not known). `exit_code` is that of its application, `attempts` how often it was run.
    """

    contender: str
    number: int
    queries: tuple[QueryTime, ...]
    tuning_seconds: float = 0.0
    application_seconds: float = 0.0
    query_conf: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    conf: Mapping[str, str] = field(default_factory=dict)
    said: tuple[str, ...] = ()
    started_at: str = ""
    allocated_core_seconds: float | None = None
    exit_code: int = 0
    attempts: int = 1

    @property
    def is_final(self) -> bool:
        """Not if its application died: that may be the machine's doing. Who dies twice does it by itself."""
        return self.exit_code == 0 or self.attempts > 1
