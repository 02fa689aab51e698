"""The results of a bench: speed-up of each run, how soon, which queries are slower, what tuning cost."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import geometric_mean, median

from tuner.bench.bench_run import BenchRun, QueryTime, Setup
from tuner.bench.slowdown import MARGIN, p_slower, significant

DEFAULT = "default"
# A contender has learned when a run reaches this share of its final gain.
MOST_OF_GAIN = 0.9
# The mean over this many best queries is shown beside the mean over all.
BEST = 16


@dataclass(frozen=True, slots=True)
class QueryResult:
    """One query of a contender: median seconds by default and over the repeats, and seconds of each run (None: it failed).

    `p_slower` is the p-value of being at most 5 % slower than by default (None: too few repeats to tell); `slower` holds if that
    is significant over all queries. `seems_slower`: the medians differ by more, but the test is not significant, or there is
    none. `rows_vary`: by default its rows differ from run to run, so that no more than their number can be compared.
    """

    name: str
    default_seconds: float
    final_seconds: float
    seconds: tuple[float | None, ...]
    p_slower: float | None
    slower: bool
    other_rows: bool
    rows_vary: bool = False

    @property
    def speed_up(self) -> float:
        """Default over final seconds; 1 if the query never succeeded by default."""
        return self.default_seconds / self.final_seconds if self.default_seconds and self.final_seconds else 1.0

    @property
    def seems_slower(self) -> bool:
        return not self.slower and self.final_seconds > (1 + MARGIN) * self.default_seconds


@dataclass(frozen=True, slots=True)
class RunResult:
    """One run of a contender: seconds of its queries, speed-up over the defaults of the same or the nearest round, and the
    sum so far with tuning. A failed query counts its own seconds and a run by default. `cpu_seconds` are those of processors,
    which other programs on the machine make no longer (None: not known of every query)."""

    number: int
    seconds: float
    speed_up: float
    tuning_seconds: float
    cumulative_seconds: float
    allocated_core_seconds: float | None
    failed: tuple[str, ...]
    said: tuple[str, ...]
    cpu_seconds: float | None = None


@dataclass(frozen=True, slots=True)
class ContenderResult:
    """The result of a contender. Speed-ups are medians over the repeats; `runs_to_most` is the first run with 90 % of the
    final gain (None: no gain, or no run reached it). `cumulative_seconds` covers the same rounds for all contenders: a
    round without a run counts as the nearest run. `allocated_core_seconds` is what executors held in a run, busy or idle: the
    median over the repeats (None: not known), as `cpu_seconds` are of what its queries had of processors."""

    name: str
    title: str
    preparing_seconds: float
    runs: tuple[RunResult, ...]
    queries: tuple[QueryResult, ...]
    total_speed_up: float
    geometric_mean: float
    best_geometric_mean: float
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


@dataclass(frozen=True, slots=True)
class BenchResult:
    """All contenders, Spark's defaults first."""

    title: str
    queries: int
    learning_runs: int
    repeats: int
    contenders: tuple[ContenderResult, ...]


def results(setup: Setup, titles: Mapping[str, str], runs: Mapping[str, Sequence[BenchRun]]) -> BenchResult:
    """The results of finished runs by contender, run 0 first where it had to prepare. Contenders may have fewer runs than the
    setup asks for; a round without a run by Spark's defaults is compared with their nearest.
    """
    default = [run for run in runs[DEFAULT] if run.number]
    rounds = max((run.number for each in runs.values() for run in each), default=0)
    found = [_contender(setup, name, titles[name], runs[name], default, rounds) for name in titles if runs.get(name)]
    return BenchResult(
        setup.workload.title, len(setup.workload.queries), setup.runs, setup.repeats, tuple(c for c in found if c.runs)
    )


def _contender(
    setup: Setup, name: str, title: str, runs: Sequence[BenchRun], default: Sequence[BenchRun], rounds: int
) -> ContenderResult:
    usual = {query: _median_whole(default, query) for query in setup.workload.queries}
    mine = [run for run in runs if run.number]
    preparing = sum(run.tuning_seconds for run in runs if not run.number)
    final = [run for run in mine if run.number > setup.runs] or mine[-1:]
    queries = _queries(setup, final, mine, default, usual)
    ratios = sorted((q.speed_up for q in queries), reverse=True)
    against = [run for run in default if run.number > setup.runs] or list(default[-1:])
    total = _typical_total(against, usual), _typical_total(final, usual)
    held = [run.allocated_core_seconds for run in final if run.allocated_core_seconds is not None]
    used = [seconds for run in final if (seconds := _cpu_seconds(run)) is not None]
    by_run = tuple(_runs(mine, default, usual, preparing))
    return ContenderResult(
        name=name,
        title=title,
        preparing_seconds=preparing,
        runs=by_run,
        queries=queries,
        total_speed_up=total[0] / total[1] if total[1] else 1.0,
        geometric_mean=geometric_mean(ratios) if ratios else 1.0,
        best_geometric_mean=geometric_mean(ratios[:BEST]) if ratios else 1.0,
        runs_to_most=_runs_to_most(mine, default, usual, total),
        cumulative_seconds=_cumulative(by_run, rounds, preparing),
        allocated_core_seconds=median(held) if held else None,
        cpu_seconds=median(used) if used else None,
    )


def _queries(
    setup: Setup,
    final: Sequence[BenchRun],
    mine: Sequence[BenchRun],
    default: Sequence[BenchRun],
    usual: Mapping[str, float],
) -> tuple[QueryResult, ...]:
    against = [run for run in default if run.number > setup.runs] or list(default)
    # Of the same rounds: a slow hour of the machine is nobody's gain.
    p_values = {name: p_slower(_whole(against, name), _whole(final, name)) for name in usual}
    slower = significant(p_values)
    return tuple(
        QueryResult(
            name=name,
            default_seconds=_median_whole(against, name),
            final_seconds=median(_counted(q, usual) for q in _of(final, name)) if _of(final, name) else 0.0,
            seconds=tuple(None if q.error else q.seconds for q in _of(mine, name)),
            p_slower=p_values[name],
            slower=name in slower,
            other_rows=_other_rows(default, mine, name),
            rows_vary=len(_digests(default, name)) > 1,
        )
        for name in usual
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
        took = _total(run, usual)
        yield RunResult(
            number=run.number,
            seconds=took,
            speed_up=_total(_nearest(default, run.number), usual) / took if took else 1.0,
            tuning_seconds=run.tuning_seconds,
            cumulative_seconds=cumulative,
            allocated_core_seconds=run.allocated_core_seconds,
            cpu_seconds=_cpu_seconds(run),
            failed=tuple(q.name for q in run.queries if q.error),
            said=run.said,
        )


def _cumulative(runs: Sequence[RunResult], rounds: int, preparing: float) -> float:
    if not runs:
        return preparing
    last = runs[-1]
    return last.cumulative_seconds + (rounds - last.number) * (last.seconds + last.tuning_seconds)


def _runs_to_most(
    mine: Sequence[BenchRun],
    default: Sequence[BenchRun],
    usual: Mapping[str, float],
    total: tuple[float, float],
) -> int | None:
    gain = 1 - total[1] / total[0] if total[0] else 0.0
    if gain <= 0:
        return None
    for run in mine:
        if 1 - _total(run, usual) / _total(_nearest(default, run.number), usual) >= MOST_OF_GAIN * gain:
            return run.number
    return None


def _nearest(runs: Sequence[BenchRun], number: int) -> BenchRun:
    """The run of a round, or of the one nearest to it; of two the earlier."""
    return min(runs, key=lambda run: (abs(run.number - number), run.number))


def _total(run: BenchRun, usual: Mapping[str, float]) -> float:
    return sum(_counted(query, usual) for query in run.queries)


def _cpu_seconds(run: BenchRun) -> float | None:
    used = [query.cpu_seconds for query in run.queries]
    return None if None in used else sum(seconds for seconds in used if seconds is not None)


def _typical_total(runs: Sequence[BenchRun], usual: Mapping[str, float]) -> float:
    return median(_total(run, usual) for run in runs) if runs else 0.0


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
