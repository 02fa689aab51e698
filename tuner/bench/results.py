"""The results of a bench: speed-up of each run, how soon, which queries are slower, what tuning cost."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import geometric_mean, median

from tuner.bench.bench_run import BenchRun, QueryTime, Setup
from tuner.bench.default_noise import spread, totals
from tuner.bench.how_soon import how_soon
from tuner.bench.slowdown import MARGIN, p_slower, significant

DEFAULT = "default"
# The mean over this many best queries is shown beside the mean over all.
BEST = 16


@dataclass(frozen=True, slots=True)
class QueryResult:
    """One query of a contender: median seconds by default and over the repeats, and seconds of each run (None: it failed).

    `finished` and `default_finished`: it succeeded in each repeat; only what did with both is compared. `p_slower` is the p-value
    of being at most 5 % slower than by default (None: too few repeats to tell); `slower` holds if that is significant over all
    queries. `seems_slower`: the medians differ by more, but the test is not significant, or there is none. `rows_vary`: by
    default its rows differ from run to run, so that no more than their number can be compared; `numbers_vary`: nor that.
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

    @property
    def compared(self) -> bool:
        """Whether its seconds can be compared with those by default."""
        return self.finished and self.default_finished and self.default_seconds > 0 and self.final_seconds > 0

    @property
    def speed_up(self) -> float:
        """Default over final seconds; 1 where they are not compared."""
        return self.default_seconds / self.final_seconds if self.compared else 1.0

    @property
    def seems_slower(self) -> bool:
        return self.compared and not self.slower and self.final_seconds > (1 + MARGIN) * self.default_seconds


@dataclass(frozen=True, slots=True)
class RunResult:
    """One run of a contender: seconds of its queries, speed-up over the defaults of the same or the nearest round (of what both
    finished; None: nothing), and the sum so far with tuning. A failed query counts its own seconds and a run by default, in
    seconds and sums. `cpu_seconds` are those of processors, which other programs on the machine make no longer (None: not known
    of every query). `exit_code` is that of its application; `started_at` is "" where it is not known."""

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
    """The result of a contender. Speed-ups are medians over the repeats, of queries that it and the defaults finished in each
    (None: there is none); `runs_to_most` is the first run with 90 % of the final gain (None: that gain is not clear of noise, or
    no run reached it). `cumulative_seconds` covers the same rounds for all contenders: a round without a run counts as the
    nearest run. `allocated_core_seconds` is what executors held in a run, busy or idle: the median over the repeats (None: not
    known), as `cpu_seconds` are of what its queries had of processors."""

    name: str
    title: str
    preparing_seconds: float
    runs: tuple[RunResult, ...]
    queries: tuple[QueryResult, ...]
    total_speed_up: float | None
    geometric_mean: float | None
    best_geometric_mean: float | None
    runs_to_most: int | None
    cumulative_seconds: float
    allocated_core_seconds: float | None
    cpu_seconds: float | None = None

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


def results(
    setup: Setup,
    titles: Mapping[str, str],
    runs: Mapping[str, Sequence[BenchRun]],
    left_out: Mapping[str, str] | None = None,
) -> BenchResult:
    """The results of finished runs by contender, run 0 first where it had to prepare. Contenders may have fewer runs than the
    setup asks for; a round without a run by Spark's defaults is compared with their nearest.
    """
    default = [run for run in runs[DEFAULT] if run.number]
    rounds = max((run.number for each in runs.values() for run in each), default=0)
    found = [_contender(setup, name, titles[name], runs[name], default, rounds) for name in titles if runs.get(name)]
    return BenchResult(
        setup.workload.title,
        len(setup.workload.queries),
        setup.runs,
        setup.repeats,
        tuple(c for c in found if c.runs),
        left_out or {},
    )


def _contender(
    setup: Setup, name: str, title: str, runs: Sequence[BenchRun], default: Sequence[BenchRun], rounds: int
) -> ContenderResult:
    usual = {query: _median_whole(default, query) for query in setup.workload.queries}
    mine = [run for run in runs if run.number]
    preparing = sum(run.tuning_seconds for run in runs if not run.number)
    final, against = _final(setup, mine), _final(setup, default)
    queries = _queries(list(usual), final, against, mine, default)
    ratios = sorted((q.speed_up for q in queries if q.compared), reverse=True)
    total = _total_speed_up(against, final, [q.name for q in queries if q.compared])
    held = [run.allocated_core_seconds for run in final if run.allocated_core_seconds is not None]
    used = [seconds for run in final if (seconds := _cpu_seconds(run)) is not None]
    by_run = tuple(_runs(mine, default, usual, preparing))
    noise = spread(totals([[None if q.error else q.seconds for q in _of(default, query)] for query in usual]))
    return ContenderResult(
        name=name,
        title=title,
        preparing_seconds=preparing,
        runs=by_run,
        queries=queries,
        total_speed_up=total,
        geometric_mean=geometric_mean(ratios) if ratios else None,
        best_geometric_mean=geometric_mean(ratios[:BEST]) if ratios else None,
        runs_to_most=how_soon(name, [(run.number, run.speed_up) for run in by_run], total, noise),
        cumulative_seconds=_cumulative(by_run, rounds, preparing),
        allocated_core_seconds=median(held) if held else None,
        cpu_seconds=median(used) if used else None,
    )


def _final(setup: Setup, runs: Sequence[BenchRun]) -> Sequence[BenchRun]:
    """The repeats: a contender's and the defaults' are of the same rounds, for a slow hour of the machine is nobody's gain.
    Without any, the last run."""
    return [run for run in runs if run.number > setup.runs] or runs[-1:]


def _queries(
    names: Sequence[str],
    final: Sequence[BenchRun],
    against: Sequence[BenchRun],
    mine: Sequence[BenchRun],
    default: Sequence[BenchRun],
) -> tuple[QueryResult, ...]:
    p_values = {
        name: p_slower(_whole(against, name), _whole(final, name))
        for name in names
        if _finished(against, name) and _finished(final, name)
    }
    slower = significant(p_values)
    return tuple(
        QueryResult(
            name=name,
            default_seconds=_median_whole(against, name),
            final_seconds=_median_whole(final, name),
            seconds=tuple(None if q.error else q.seconds for q in _of(mine, name)),
            p_slower=p_values.get(name),
            slower=name in slower,
            other_rows=_other_rows(default, mine, name),
            rows_vary=len(_digests(default, name)) > 1,
            finished=_finished(final, name),
            default_finished=_finished(against, name),
            numbers_vary=len(_numbers_of_rows(default, name)) > 1,
        )
        for name in names
    )


def _runs(
    mine: Sequence[BenchRun], default: Sequence[BenchRun], usual: Mapping[str, float], preparing: float
) -> Iterable[RunResult]:
    cumulative, counted = preparing, 0
    for run in mine:
        # A round without a run counts as the nearest run.
        for number in range(counted + 1, run.number + 1):
            nearest = _nearest(mine, number)
            cumulative += _total(nearest, usual) + nearest.tuning_seconds
        counted = run.number
        yield RunResult(
            number=run.number,
            seconds=_total(run, usual),
            speed_up=_speed_up(_nearest(default, run.number), run),
            tuning_seconds=run.tuning_seconds,
            cumulative_seconds=cumulative,
            allocated_core_seconds=run.allocated_core_seconds,
            cpu_seconds=_cpu_seconds(run),
            failed=tuple(q.name for q in run.queries if q.error),
            said=run.said,
            started_at=run.started_at,
            exit_code=run.exit_code,
        )


def _cumulative(runs: Sequence[RunResult], rounds: int, preparing: float) -> float:
    if not runs:
        return preparing
    last = runs[-1]
    return last.cumulative_seconds + (rounds - last.number) * (last.seconds + last.tuning_seconds)


def _nearest(runs: Sequence[BenchRun], number: int) -> BenchRun:
    """The run of a round, or of the one nearest to it; of two the earlier."""
    return min(runs, key=lambda run: (abs(run.number - number), run.number))


def _total(run: BenchRun, usual: Mapping[str, float]) -> float:
    return sum(_counted(query, usual) for query in run.queries)


def _cpu_seconds(run: BenchRun) -> float | None:
    used = [query.cpu_seconds for query in run.queries]
    return None if None in used else sum(seconds for seconds in used if seconds is not None)


def _speed_up(default: BenchRun, run: BenchRun) -> float | None:
    both = [name for name in _names(run) if _finished([default], name) and _finished([run], name)]
    return _total_speed_up([default], [run], both)


def _total_speed_up(default: Sequence[BenchRun], mine: Sequence[BenchRun], names: Sequence[str]) -> float | None:
    """Of these queries, which both finished; None where there is none."""
    usual, took = (median(_total_of(run, names) for run in runs) if runs else 0.0 for runs in (default, mine))
    return usual / took if usual and took else None


def _total_of(run: BenchRun, names: Sequence[str]) -> float:
    return sum(query.seconds for query in run.queries if query.name in names)


def _names(run: BenchRun) -> list[str]:
    return [query.name for query in run.queries]


def _finished(runs: Sequence[BenchRun], name: str) -> bool:
    """Whether it succeeded in each of the runs."""
    found = _of(runs, name)
    return bool(found) and not any(query.error for query in found)


def _counted(query: QueryTime, usual: Mapping[str, float]) -> float:
    return query.seconds + (usual.get(query.name, 0.0) if query.error else 0.0)


def _of(runs: Iterable[BenchRun], name: str) -> list[QueryTime]:
    return [query for run in runs for query in run.queries if query.name == name]


def _whole(runs: Iterable[BenchRun], name: str) -> list[float]:
    return [query.seconds for query in _of(runs, name) if not query.error]


def _median_whole(runs: Iterable[BenchRun], name: str) -> float:
    return median(_whole(runs, name) or [0.0])


def _other_rows(default: Sequence[BenchRun], mine: Sequence[BenchRun], name: str) -> bool:
    """Whether rows differ from those by default; where those vary, too (a LIMIT may cut through ties), whether their number
    does."""
    usual, found = _digests(default, name), _digests(mine, name)
    if len(usual) == 1:
        return not found <= usual
    usual_rows, rows = _numbers_of_rows(default, name), _numbers_of_rows(mine, name)
    return len(usual_rows) == 1 and not rows <= usual_rows


def _digests(runs: Sequence[BenchRun], name: str) -> set[str]:
    return {query.digest for query in _of(runs, name) if not query.error}


def _numbers_of_rows(runs: Sequence[BenchRun], name: str) -> set[int]:
    return {query.rows for query in _of(runs, name) if not query.error}
