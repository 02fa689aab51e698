"""What a bench came to: speed-up of each run and in the end, how soon, which queries are slower, what tuning cost."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from tuner.bench.slowdown import MARGIN

DEFAULT = "default"
# The mean over this many best queries is shown beside the mean over all.
BEST = 16


@dataclass(frozen=True, slots=True)
class QueryResult:
    """One query of a contender: median seconds by default and over the repeats, and seconds of each run (None: it failed).

    `speed_up` is default over contender, the median of the rounds that both repeated; 1 where they are not compared.
    `finished` and `default_finished`: it succeeded in each repeat; only what did with both, and gave the same rows, is compared.
    `p_slower` is the p-value of being at most 5 % slower than by default (None: too few repeats to tell); `slower` holds if that
    is significant over all queries. `seems_slower`: the speed-up says more, but the test is not significant, or there is none.
    `rows_vary`: by default its rows differ from run to run, so that no more than their number can be compared; `numbers_vary`:
    nor that.
    """

    name: str
    default_seconds: float
    final_seconds: float
    seconds: tuple[float | None, ...]
    p_slower: float | None
    slower: bool
    other_rows: bool
    rows_vary: bool = False
    finished: bool = True
    default_finished: bool = True
    numbers_vary: bool = False
    speed_up: float = 1.0

    @property
    def compared(self) -> bool:
        """Whether its seconds can be compared with those by default."""
        ended = self.finished and self.default_finished and not self.other_rows
        return ended and self.default_seconds > 0 and self.final_seconds > 0

    @property
    def seems_slower(self) -> bool:
        return self.compared and not self.slower and (1 + MARGIN) * self.speed_up < 1


@dataclass(frozen=True, slots=True)
class RunResult:
    """One run of a contender: seconds of its queries, speed-up over the defaults of the same or the nearest round (of what both
    finished, and gave the same rows; None: nothing), and the sum so far with tuning. A failed query counts its own seconds and a
    run by default, in seconds and sums. `cpu_seconds` are those of processors, which other programs on the machine make no
    longer (None: not known of every query). `exit_code` is that of its application; `started_at` is "" where it is not known."""

    number: int
    seconds: float
    speed_up: float | None
    tuning_seconds: float
    cumulative_seconds: float
    allocated_core_seconds: float | None
    failed: tuple[str, ...]
    said: tuple[str, ...]
    cpu_seconds: float | None = None
    started_at: str = ""
    exit_code: int = 0


@dataclass(frozen=True, slots=True)
class ContenderResult:
    """The result of a contender. Speed-ups are medians over the repeats, each against the defaults of its round, of queries that
    both finished in each with the same rows (None: there is none); `runs_to_most` is the first run with 90 % of the final gain
    (None: that gain is not clear of noise, or no run reached it). `cumulative_seconds` covers the same rounds for all
    contenders: a round without a run counts as the nearest run. `allocated_core_seconds` is what executors held in a run, busy or
    idle: the median over the repeats (None: not known), as `cpu_seconds` are of what its queries had of processors."""

    name: str
    title: str
    preparing_seconds: float
    runs: tuple[RunResult, ...]
    queries: tuple[QueryResult, ...]
    cumulative_seconds: float
    allocated_core_seconds: float | None
    cpu_seconds: float | None = None
    total_speed_up: float | None = None
    geometric_mean: float | None = None
    best_geometric_mean: float | None = None
    runs_to_most: int | None = None

    @property
    def slower(self) -> tuple[QueryResult, ...]:
        return tuple(q for q in self.queries if q.slower)

    @property
    def tested(self) -> int:
        """How many queries could be tested for being slower; none of Spark's defaults, which all others are compared with."""
        return 0 if self.name == DEFAULT else sum(q.p_slower is not None for q in self.queries)

    @property
    def only_default(self) -> tuple[str, ...]:
        """Queries that the defaults finish, and this does not."""
        return tuple(q.name for q in self.queries if q.default_finished and not q.finished)

    @property
    def only_mine(self) -> tuple[str, ...]:
        """Queries that this finishes, and the defaults do not."""
        return tuple(q.name for q in self.queries if q.finished and not q.default_finished)


@dataclass(frozen=True, slots=True)
class BenchResult:
    """All contenders, Spark's defaults first. `left_out` says why of those that could not prepare."""

    title: str
    queries: int
    learning_runs: int
    repeats: int
    contenders: tuple[ContenderResult, ...]
    left_out: Mapping[str, str] = field(default_factory=dict)
