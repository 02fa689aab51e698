"""A bench's result as people read it in a terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from rich.console import Console
from rich.table import Table

from tuner.bench.bench_result import BEST, DEFAULT, BenchResult, ContenderResult, QueryResult
from tuner.bench.remarks import rounds_apart, who_was_left_out
from tuner.bench.report.least_slowdown import too_few
from tuner.cli.terminal.print_lines import print_lines
from tuner.cli.terminal.tables import number_column, table, text_cell, text_column


def show(console: Console, result: BenchResult, machine: str) -> None:
    """What each contender gains and costs, and every query."""
    what = (
        f"{result.title}, {result.queries} queries, {result.learning_runs} runs and {result.repeats} repeats; {machine}"
    )
    print_lines(console, [what, *(f"  {c.name}: {c.title}" for c in result.contenders), ""])
    console.print(_gains(result))
    print_lines(console, [""])
    console.print(_by_query(result))
    print_lines(console, [*_not_told(result), *(line for one in result.contenders for line in _remarks(one))])


def _gains(result: BenchResult) -> Table:
    found = table(
        text_column(""),
        *(number_column(contender.name) for contender in result.contenders),
        title="speed-up against Spark's defaults in the same round",
    )
    for number in sorted({run.number for contender in result.contenders for run in contender.runs}):
        found.add_row(f"run {number}", *(_speed_up(contender, number) for contender in result.contenders))
    for what, cell in _ROWS.items():
        found.add_row(what, *map(cell, result.contenders))
    return found


def _speed_up(contender: ContenderResult, number: int) -> str:
    return next((_times(run.speed_up) for run in contender.runs if run.number == number), "-")


def _runs_to_most(contender: ContenderResult) -> str:
    return f"run {contender.runs_to_most}" if contender.runs_to_most and contender.name != DEFAULT else "-"


def _slower(contender: ContenderResult) -> str:
    return f"{len(contender.slower)} of {contender.tested}" if contender.tested else "-"


def _failed(contender: ContenderResult) -> str:
    return str(sum(not query.finished for query in contender.queries))


def _held(contender: ContenderResult) -> str:
    return "-" if contender.allocated_core_seconds is None else f"{contender.allocated_core_seconds:,.0f}"


def _used(contender: ContenderResult) -> str:
    return "-" if contender.cpu_seconds is None else f"{contender.cpu_seconds:,.0f}"


_ROWS: Mapping[str, Callable[[ContenderResult], str]] = {
    "in the end, all queries": lambda contender: _times(contender.total_speed_up),
    "by query, geometric mean": lambda contender: _times(contender.geometric_mean),
    f"the {BEST} best queries": lambda contender: _times(contender.best_geometric_mean),
    "90 % of the gain at": _runs_to_most,
    "queries slower": _slower,
    "queries failed": _failed,
    "all runs, with tuning, s": lambda contender: f"{contender.cumulative_seconds:,.0f}",
    "core-seconds held a run": _held,
    "CPU seconds a run": _used,
}


def _by_query(result: BenchResult) -> Table:
    default, *others = result.contenders
    heads = (text_column(c.name) for c in others)
    found = table(text_column("query"), number_column("default"), *heads, title="seconds of each query in the end")
    by_name = [{q.name: q for q in c.queries} for c in others]
    for query in default.queries:
        cells = [_cell(queries[query.name]) for queries in by_name]
        found.add_row(text_cell(query.name), f"{query.final_seconds:.1f}" if query.finished else "failed", *cells)
    return found


def _cell(query: QueryResult) -> str:
    if not query.finished:
        return "failed"
    mark = " slower" if query.slower else ""
    return f"{query.final_seconds:.1f}{f' ({query.speed_up:.2f}x)' if query.compared else ''}{mark}"


def _not_told(result: BenchResult) -> Iterator[str]:
    """What these runs cannot tell, of any contender."""
    default, *others = result.contenders
    if others and not any(one.tested for one in others):
        yield "no query was tested for being slower: that takes two repeats at least (--repeats 2)"
    yield from too_few(result)
    yield from rounds_apart(result)
    yield from who_was_left_out(result)
    if vary := [query.name for query in default.queries if query.numbers_vary]:
        yield f"rows not compared at all, by default even their number differs from run to run: {', '.join(vary)}"
    if vary := [query.name for query in default.queries if query.rows_vary and not query.numbers_vary]:
        yield f"rows not comparable, by default they differ from run to run; only their number is: {', '.join(vary)}"


def _remarks(contender: ContenderResult) -> Sequence[str]:
    lines = []
    if contender.slower:
        names = ", ".join(f"{q.name} (p {q.p_slower:.3f})" for q in contender.slower)
        lines.append(f"{contender.name}: more than 5 % slower than by default: {names}")
    if seem := [f"{q.name} ({q.speed_up:.2f}x)" for q in contender.queries if q.seems_slower]:
        why = "but not significant" if contender.tested else "not tested"
        lines.append(f"{contender.name}: more than 5 % slower, {why}: {', '.join(seem)}")
    if contender.only_mine:
        lines.append(f"{contender.name}: finished, where the defaults failed: {', '.join(contender.only_mine)}")
    if contender.only_default:
        lines.append(f"{contender.name}: not finished, where the defaults do: {', '.join(contender.only_default)}")
    if died := [f"{run.number} (code {run.exit_code})" for run in contender.runs if run.exit_code]:
        lines.append(f"{contender.name}: its application died in run {', '.join(died)}")
    if failed := sorted({name for run in contender.runs for name in run.failed}):
        lines.append(f"{contender.name}: failed in some runs: {', '.join(failed)}")
    if other := [q.name for q in contender.queries if q.other_rows]:
        lines.append(f"{contender.name}: different rows than by default: {', '.join(other)}")
    return lines


def _times(ratio: float | None) -> str:
    return "-" if ratio is None else f"{ratio:.2f}x"
