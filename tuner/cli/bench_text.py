"""A bench's result as people read it in a terminal."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table

from tuner.bench.results import BEST, DEFAULT, BenchResult, ContenderResult, QueryResult
from tuner.units import format_seconds


def show(console: Console, result: BenchResult, machine: str) -> None:
    """What each contender gains and costs, and every query."""
    console.print(
        f"{result.title}, {result.queries} queries, {result.learning_runs} runs and {result.repeats} repeats; {machine}",
        markup=False,
        soft_wrap=True,
    )
    console.print()
    console.print(_contenders(result))
    console.print(_by_query(result))
    for contender in result.contenders:
        for line in _remarks(contender):
            console.print(line, markup=False, soft_wrap=True)


def _contenders(result: BenchResult) -> Table:
    numbers = sorted({run.number for contender in result.contenders for run in contender.runs})
    head = [f"run {n}" for n in numbers]
    table = Table(
        "",
        *head,
        "in the end",
        "geo. mean",
        f"best {BEST}",
        "90 % at",
        "slower",
        "all, with tuning",
        "core-seconds held",
        box=None,
    )
    for column in table.columns[1:]:
        column.justify = "right"
    for contender in result.contenders:
        by_number = {run.number: run for run in contender.runs}
        cells = [_times(by_number[n].speed_up) if n in by_number else "-" for n in numbers]
        table.add_row(
            contender.title,
            *cells,
            _times(contender.total_speed_up),
            _times(contender.geometric_mean),
            _times(contender.best_geometric_mean),
            f"run {contender.runs_to_most}" if contender.runs_to_most and contender.name != DEFAULT else "-",
            f"{len(contender.slower)}",
            format_seconds(contender.cumulative_seconds),
            "-" if contender.allocated_core_seconds is None else f"{contender.allocated_core_seconds:,.0f}",
        )
    return table


def _by_query(result: BenchResult) -> Table:
    default, *others = result.contenders
    table = Table(
        "query", "default", *(c.name for c in others), box=None, title="seconds in the end", title_justify="left"
    )
    for column in table.columns[1:]:
        column.justify = "right"
    by_name = [{q.name: q for q in c.queries} for c in others]
    for query in default.queries:
        cells = [_cell(queries[query.name]) for queries in by_name]
        table.add_row(query.name, f"{query.final_seconds:.1f}", *cells)
    return table


def _cell(query: QueryResult) -> str:
    mark = " slower" if query.slower else ""
    return f"{query.final_seconds:.1f} ({query.speed_up:.2f}x){mark}"


def _remarks(contender: ContenderResult) -> Sequence[str]:
    lines = []
    if contender.slower:
        names = ", ".join(f"{q.name} (p {q.p_slower:.3f})" for q in contender.slower)
        lines.append(f"{contender.name}: more than 5 % slower than by default: {names}")
    if seem := [f"{q.name} ({q.speed_up:.2f}x)" for q in contender.queries if q.seems_slower]:
        lines.append(f"{contender.name}: more than 5 % slower, but not significant: {', '.join(seem)}")
    if failed := sorted({name for run in contender.runs for name in run.failed}):
        lines.append(f"{contender.name}: failed in some runs: {', '.join(failed)}")
    if other := [q.name for q in contender.queries if q.other_rows]:
        lines.append(f"{contender.name}: different rows than by default: {', '.join(other)}")
    return lines


def _times(ratio: float) -> str:
    return f"{ratio:.2f}x"
