"""The results of a bench: speed-up of each run, how soon, which queries are slower, what tuning cost."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from statistics import median

from tuner.bench.bench_result import DEFAULT, BenchResult, ContenderResult, QueryResult, RunResult
from tuner.bench.bench_run import BenchRun, QueryTime, Setup
from tuner.bench.in_pairs import in_pairs
from tuner.bench.slowdown import p_slower, significant


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
    return in_pairs(
        BenchResult(
            setup.workload.title,
            len(setup.workload.queries),
            setup.runs,
            setup.repeats,
            tuple(c for c in found if c.runs),
            left_out or {},
        )
    )


def _contender(
    setup: Setup, name: str, title: str, runs: Sequence[BenchRun], default: Sequence[BenchRun], rounds: int
) -> ContenderResult:
    usual = {query: _median_whole(default, query) for query in setup.workload.queries}
    mine = [run for run in runs if run.number]
    preparing = sum(run.tuning_seconds for run in runs if not run.number)
    final, against = _final(setup, mine), _final(setup, default)
    queries = _queries(list(usual), final, against, mine, default)
    held = [run.allocated_core_seconds for run in final if run.allocated_core_seconds is not None]
    used = [seconds for run in final if (seconds := _cpu_seconds(run)) is not None]
    same = {query.name for query in queries if not query.other_rows}
    by_run = tuple(_runs(mine, default, usual, preparing, same))
    return ContenderResult(
        name=name,
        title=title,
        preparing_seconds=preparing,
        runs=by_run,
        queries=queries,
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
    other = {name for name in names if _other_rows(default, mine, name)}
    p_values = {
        name: p_slower(_whole(against, name), _whole(final, name))
        for name in names
        if name not in other and _finished(against, name) and _finished(final, name)
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
            other_rows=name in other,
            rows_vary=len(_digests(default, name)) > 1,
            finished=_finished(final, name),
            default_finished=_finished(against, name),
            numbers_vary=len(_numbers_of_rows(default, name)) > 1,
        )
        for name in names
    )


def _runs(
    mine: Sequence[BenchRun],
    default: Sequence[BenchRun],
    usual: Mapping[str, float],
    preparing: float,
    same: Collection[str],
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
            speed_up=_speed_up(_nearest(default, run.number), run, same),
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


def _speed_up(default: BenchRun, run: BenchRun, same: Collection[str]) -> float | None:
    """Of those queries of the same rows that both finished; None where there is none."""
    both = {name for name in same if _finished([default], name) and _finished([run], name)}
    usual, took = (sum(query.seconds for query in of.queries if query.name in both) for of in (default, run))
    return usual / took if usual and took else None


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
