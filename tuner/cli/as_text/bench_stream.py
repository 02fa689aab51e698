"""A stream's result as people read it in a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import Console
from rich.table import Column, Table

from tuner.bench.remarks import nights_apart, who_was_left_out
from tuner.bench.stream.how_often import how_often
from tuner.bench.stream.stream_result import Compared, ContenderSum, StreamResult, Sum
from tuner.cli.terminal.print_lines import print_lines
from tuner.cli.terminal.tables import number_column, table, text_column

_MOST_NIGHTS = 8
_MOST_NAMED = 10


def show_stream(console: Console, result: StreamResult, machine: str) -> None:
    """Rows that differ first; then what each contender took, and where it lost."""
    what = f"{result.title}: {result.executions:,} executions, {result.nights} nights of {len(result.shares)} jobs; {machine}"
    print_lines(console, [what, *(f"  {one.name}: {one.title}" for one in result.contenders)])
    print_lines(console, [*_differences(result), ""])
    console.print(_by_share(result))
    print_lines(console, [""])
    console.print(_by_night(result))
    print_lines(console, [""])
    console.print(_by_return(result))
    print_lines(console, ["", *(line for one in result.contenders[1:] for line in _slower(one))])


def _differences(result: StreamResult) -> Iterator[str]:
    others = result.contenders[1:]
    if different := [one for one in others if one.other_rows]:
        for one in different:
            yield f"OTHER ROWS than by default with {one.name}, {_executions(one.other_rows)}"
    elif others:
        yield "Every execution that succeeded returned the rows that it returns by default."
    for one in result.contenders:
        if one.failed:
            yield f"Failed with {one.name}, {_executions(one.failed)}"
        if one.died:
            died = [f"night {each.night}, {each.job} (code {each.exit_code})" for each in one.died]
            yield f"{one.name}: its application died in {_named(died)}"
    yield from nights_apart(result)
    yield from who_was_left_out(result)


def _executions(names: Sequence[str]) -> str:
    return f"{len(names)} {'execution' if len(names) == 1 else 'executions'}: {_named(names)}"


def _named(names: Sequence[str]) -> str:
    more = f"; and {len(names) - _MOST_NAMED} more (--json has all)" if len(names) > _MOST_NAMED else ""
    return f"{'; '.join(names[:_MOST_NAMED])}{more}"


def _by_share(result: StreamResult) -> Table:
    found = table(
        text_column("share that repeats"),
        number_column("executions"),
        *_heads(result),
        title="seconds with tuning (default / contender, its 90 % interval)",
    )
    for job, share in result.shares.items():
        _add_sums(found, f"{share:.0%}", [one.by_job[job] for one in result.contenders])
    _add_sums(found, "all", [one.total for one in result.contenders])
    found.add_row("  of it tuning", "", *(f"{one.tuning_seconds:,.0f}" for one in result.contenders))
    found.add_row("  with starts of Spark", "", *_compared([one.application_seconds for one in result.contenders]))
    return found


def _add_sums(found: Table, what: str, sums: Sequence[Sum]) -> None:
    others = sums[1:]
    found.add_row(what, f"{sums[0].executions:,}", *_compared([one.seconds for one in sums]))
    found.add_row("", "", "", *map(_interval, others))


def _interval(of: Sum) -> str:
    return "too few nights" if of.low is None else f"{of.low:.2f}x to {of.high:.2f}x"


def _by_night(result: StreamResult) -> Table:
    found = table(text_column("up to night"), *_heads(result), title="seconds with tuning, summed up over the nights")
    step = max(1, -(-result.nights // _MOST_NIGHTS))
    for night in range(result.nights, 0, -step)[::-1]:
        found.add_row(f"{night}", *_compared([one.by_night[night - 1] for one in result.contenders]))
    return found


def _by_return(result: StreamResult) -> Table:
    found = table(
        text_column("the query comes back"),
        number_column("executions"),
        *_heads(result),
        title="queries alone; executions over 5 % faster/slower",
    )
    for place, one in enumerate(result.contenders[0].compared):
        cells = (_faster_and_slower(contender.compared[place]) for contender in result.contenders[1:])
        found.add_row(how_often(one.every), f"{one.executions:,}", f"{one.default_seconds:,.0f}", *cells)
    return found


def _faster_and_slower(one: Compared) -> str:
    return f"{one.ratio:.2f}x {one.faster}/{one.slower}"


def _slower(one: ContenderSum) -> Iterator[str]:
    test = "t-test of pairs over its nights, Holm"
    if not one.tested:
        yield f"{one.name}: no query ran twice, so none could be tested for being slower by more than chance."
    elif not one.slower:
        yield f"{one.name}: none of {one.tested} repeated queries is over 5 % slower by more than chance ({test})."
    else:
        names = (f"{q.name} of {q.job} ({q.ratio:.2f}x in {q.nights} nights, p {q.p:.1g})" for q in one.slower)
        yield (
            f"{one.name}: {len(one.slower)} of {one.tested} repeated queries are over 5 % slower by more than chance "
            f"({test}): {', '.join(names)}"
        )


def _heads(result: StreamResult) -> Iterator[Column]:
    return (number_column(one.name) for one in result.contenders)


def _compared(seconds: Sequence[float]) -> Iterator[str]:
    """The default's, then each contender's with how many times as long the default takes."""
    default = seconds[0]
    yield f"{default:,.0f}"
    yield from (f"{one:,.0f} ({_ratio(one, default)})" for one in seconds[1:])


def _ratio(seconds: float, default: float) -> str:
    return f"{default / seconds if seconds else 1:.2f}x"
