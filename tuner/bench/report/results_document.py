"""Finished benches and streams as one page of Markdown, with what got slower first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from tuner.bench.report.finished_bench import FinishedBench, FinishedStream
from tuner.bench.report.how_measured import how_measured
from tuner.bench.report.markdown import Row, md_list, md_table, times
from tuner.bench.report.published_results import PUBLISHED_RESULTS
from tuner.bench.report.slow_executions import CLEARLY, slow_executions
from tuner.bench.report.stream_section import stream_overview, stream_section
from tuner.bench.results import BenchResult, ContenderResult, QueryResult

_PUBLISHED = (
    "Of tuners like this one, by their authors, on other machines and data: not to be compared with the figures above."
)
_ABOUT = """\
Written by `spark-tuner bench-results` from what `spark-tuner bench` measured: each command below measures its part anew.
Seconds on other machines and days do not compare; what stands in one table was measured in turns. [Bench](bench.md) and
[stream](stream.md) say how, [workloads](workloads.md) on what. Results are not comparable with published TPC results."""
_SLOWER = """\
Queries over 5 % slower in the end: *surely* by Welch's test over the repeats (in a stream by a test of pairs over the nights),
corrected for the number of queries (Holm); *seems* where the medians say so and no test does. A bench with fewer than two repeats
tests none."""
_SLOW = f"""\
*Slow* are executions of a query, in all rounds, that took over {CLEARLY:g} times the defaults' nearest one; for the defaults
against their own one in the next round, which is what chance does (– where they ran in no two rounds on end). *CPU s* are
seconds of processors that the queries of a run had, with planning and compiling: other programs on the machine make them hardly
longer."""


def results_document(
    benches: Sequence[FinishedBench], streams: Sequence[FinishedStream] = (), pictures: Mapping[int, str] | None = None
) -> str:
    """The page. `pictures` are addresses by the place of their bench, then of their stream."""
    pictures = pictures or {}
    blocks = ["# Results", _ABOUT, "## What got slower", *_losses(benches, streams), "## All of it"]
    blocks += [_overview(benches)] if benches else []
    blocks += [stream_overview(streams)] if streams else []
    for place, bench in enumerate(benches):
        blocks += _bench(bench, pictures.get(place))
    for place, stream in enumerate(streams, start=len(benches)):
        blocks += stream_section(stream, pictures.get(place))
    blocks += ["## What others have published", _PUBLISHED, _published()]
    return "\n\n".join(blocks) + "\n"


def _losses(benches: Sequence[FinishedBench], streams: Sequence[FinishedStream]) -> Iterator[str]:
    found = [
        (bench.result.title, contender, query)
        for bench in benches
        for contender in bench.result.contenders[1:]
        for query in contender.queries
    ]
    of_streams = [(stream.result, contender) for stream in streams for contender in stream.result.contenders]
    yield "Rows that are not those of the defaults:\n\n" + md_list(
        [f"{title}, {contender.name}: {query.name}" for title, contender, query in found if query.other_rows]
        + [f"{of.title}, {one.name}: {'; '.join(one.other_rows)}" for of, one in of_streams if one.other_rows]
    )
    if vary := [line for bench in benches for line in _varying(bench.result)]:
        yield "Not comparable, for by default their rows differ from run to run; only their number is:\n\n" + md_list(
            vary
        )
    yield "Queries that failed in some run:\n\n" + md_list(
        [
            f"{bench.result.title}, {contender.name}: {', '.join(failed)}"
            for bench in benches
            for contender in bench.result.contenders
            if (failed := sorted({name for run in contender.runs for name in run.failed}))
        ]
        + [f"{of.title}, {one.name}: {'; '.join(one.failed)}" for of, one in of_streams if one.failed]
    )
    yield _SLOWER
    worse = sorted(
        (e for e in found if e[2].slower or e[2].seems_slower), key=lambda e: (not e[2].slower, e[2].speed_up)
    )
    rows = [
        (f"{of.title}, a stream", one.name, f"{q.name} of {q.job}", "–", "–", times(q.ratio), f"surely (p {q.p:.3f})")
        for of, one in of_streams
        for q in one.slower
    ] + [
        (title, c.name, q.name, f"{q.default_seconds:.1f}", f"{q.final_seconds:.1f}", times(q.speed_up), _sure(q))
        for title, c, q in worse
    ]
    heads = ("workload", "contender", "query", "default, s", "s", "speed-up", "how sure")
    yield md_table(heads, rows) if rows else "None."


def _varying(result: BenchResult) -> Iterator[str]:
    if names := [query.name for query in result.contenders[0].queries if query.rows_vary]:
        yield f"{result.title}: {', '.join(names)}"


def _overview(benches: Sequence[FinishedBench]) -> str:
    rows = [
        (bench.result.title, str(bench.result.queries), *_figures(bench.result, contender))
        for bench in benches
        for contender in bench.result.contenders
    ]
    heads = (
        "workload", "queries", "contender", "s in the end", "all queries", "geometric mean", "CPU s", "surely slower", "slow",
        "90 % of the gain", "all rounds, tuning included, s",
    )  # fmt: skip
    return f"{_SLOW}\n\n{md_table(heads, rows)}"


def _figures(result: BenchResult, contender: ContenderResult) -> Row:
    slow = slow_executions(result, contender)
    default = contender is result.contenders[0]
    return (
        contender.name,
        f"{sum(query.final_seconds for query in contender.queries):,.0f}",
        times(contender.total_speed_up),
        times(contender.geometric_mean),
        _cpu(result, contender),
        "–" if default else _surely_slower(contender),
        f"{slow.slow} of {slow.executions} ({slow.share:.1%})" if slow.executions else "–",
        f"run {contender.runs_to_most}" if contender.runs_to_most and not default else "–",
        f"{contender.cumulative_seconds:,.0f}",
    )


def _surely_slower(contender: ContenderResult) -> str:
    return f"{len(contender.slower)} of {contender.tested}" if contender.tested else "not tested"


def _cpu(result: BenchResult, contender: ContenderResult) -> str:
    """Seconds of processors in the end, and how many times as many the defaults have."""
    usual, used = result.contenders[0].cpu_seconds, contender.cpu_seconds
    if used is None:
        return "–"
    return f"{used:,.0f} ({times(usual / used)})" if usual and used else f"{used:,.0f}"


def _published() -> str:
    rows = [
        (one.system, one.claim, one.counted, one.workload, one.budget, f"[{one.source}]({one.url})")
        for one in PUBLISHED_RESULTS
    ]
    return md_table(("system", "claim", "of what", "workload", "what tuning took", "source"), rows)


def _bench(bench: FinishedBench, picture: str | None) -> Iterator[str]:
    result = bench.result
    yield f"## {result.title}"
    yield from how_measured(bench)
    numbers = sorted({run.number for contender in result.contenders for run in contender.runs})
    yield "Seconds of all queries, and speed-up over the defaults of the same or the nearest round:"
    yield md_table(
        ("", *(f"run {number}" for number in numbers), "prepared, s"),
        [_by_run(contender, numbers) for contender in result.contenders],
    )
    if picture is not None:
        yield f"![What each query of {result.title} gained]({picture})"
    yield f"<details><summary>Each query, in the end</summary>\n\n{_queries(result)}\n\n</details>"


def _by_run(contender: ContenderResult, numbers: Sequence[int]) -> Row:
    by_number = {run.number: f"{run.seconds:,.0f} s, {times(run.speed_up)}" for run in contender.runs}
    return (contender.name, *(by_number.get(number, "–") for number in numbers), f"{contender.preparing_seconds:,.0f}")


def _queries(result: BenchResult) -> str:
    default, *others = result.contenders
    rows = [
        (query.name, f"{query.final_seconds:.1f}", *(_seconds(contender.queries[place]) for contender in others))
        for place, query in enumerate(default.queries)
    ]
    return md_table(("query", "default, s", *(contender.name for contender in others)), rows)


def _seconds(query: QueryResult) -> str:
    marks = [" **surely slower**"] * query.slower + [" **other rows**"] * query.other_rows
    return f"{query.final_seconds:.1f} ({times(query.speed_up)}){''.join(marks)}"


def _sure(query: QueryResult) -> str:
    p = "not tested" if query.p_slower is None else f"p {query.p_slower:.3f}"
    return f"surely ({p})" if query.slower else f"seems ({p})"
