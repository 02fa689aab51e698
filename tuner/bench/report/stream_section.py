"""What a page of results says of a stream."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tuner.bench.bench_result import DEFAULT
from tuner.bench.remarks import nights_apart, who_was_left_out
from tuner.bench.report.finished_bench import FinishedStream
from tuner.bench.report.how_measured import how_measured
from tuner.bench.report.markdown import Row, md_list, md_table, times
from tuner.bench.stream.how_often import how_often
from tuner.bench.stream.stream_result import Compared, ContenderSum, StreamResult, Sum

_SUMS = """\
Of streams, all seconds with tuning (deciding, reading event logs, ANALYZE); how many times as long the defaults take, with a 90 %
interval over jobs' nights; and of single executions how many took over 5 % less and more than by default, which is noise in
part."""


def stream_overview(streams: Sequence[FinishedStream]) -> str:
    """A row for each contender of each stream."""
    rows = [
        (stream.result.title, f"{stream.result.executions:,}", *_figures(contender))
        for stream in streams
        for contender in stream.result.contenders
    ]
    heads = (
        "stream", "executions", "contender", "s with tuning", "of it tuning", "defaults / contender", "faster, slower",
        "surely slower",
    )  # fmt: skip
    return f"{_SUMS}\n\n{md_table(heads, rows)}"


def stream_section(stream: FinishedStream, picture: str | None) -> Iterator[str]:
    """Where, when and how it was measured; its sums by share of repetition, and by how often a query comes back."""
    result = stream.result
    yield f"## A stream of {result.executions:,} executions: {result.title}"
    yield from how_measured(stream)
    if remarks := [*who_was_left_out(result), *nights_apart(result), *_died(result)]:
        yield md_list(remarks)
    yield f"{result.nights} nights of {len(result.shares)} jobs; seconds with tuning, by the share of executions that repeat:"
    heads = [one.name for one in result.contenders]
    yield md_table(
        ("share that repeats", "executions", *heads),
        [_sums(f"{share:.0%}", [one.by_job[job] for one in result.contenders]) for job, share in result.shares.items()]
        + [_sums("all", [one.total for one in result.contenders])],
    )
    if picture is not None:
        yield f"![Seconds of each contender over the nights]({picture})"
    yield "Queries alone, by how often they come back; in brackets executions over 5 % faster and slower:"
    rows = [
        _by_return([one.compared[place] for one in result.contenders])
        for place in range(len(result.contenders[0].compared))
    ]
    yield md_table(("a query comes back", "executions", *heads), rows)


def _died(result: StreamResult) -> Iterator[str]:
    for contender in result.contenders:
        for one in contender.died:
            yield f"{contender.name}, {one.job}, night {one.night}: its application ended with code {one.exit_code}"


def _figures(contender: ContenderSum) -> Row:
    total, default = contender.total, contender.name == DEFAULT
    faster, slower = (
        sum(one.faster for one in contender.compared),
        sum(one.slower for one in contender.compared),
    )
    return (
        contender.name,
        f"{total.seconds:,.0f}",
        f"{contender.tuning_seconds:,.0f}",
        "–" if default else _ratio(total),
        "–" if default else f"{faster}, {slower}",
        "–" if default else f"{len(contender.slower)} of {contender.tested}",
    )


def _ratio(of: Sum) -> str:
    return times(of.ratio) if of.low is None else f"{times(of.ratio)} ({of.low:.2f} to {of.high:.2f})"


def _sums(what: str, sums: Sequence[Sum]) -> Row:
    default, *others = sums
    return (
        what,
        f"{default.executions:,}",
        f"{default.seconds:,.0f}",
        *(f"{one.seconds:,.0f}, {_ratio(one)}" for one in others),
    )


def _by_return(compared: Sequence[Compared]) -> Row:
    default, *others = compared
    return (
        how_often(default.every),
        f"{default.executions:,}",
        f"{default.default_seconds:,.0f}",
        *(f"{one.seconds:,.0f}, {times(one.ratio)} ({one.faster}, {one.slower})" for one in others),
    )
