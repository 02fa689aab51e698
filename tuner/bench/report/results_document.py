"""Finished benches and streams as one page of Markdown: what got worse, one table, then all that got slower."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from tuner.bench.bench_result import BenchResult, ContenderResult, QueryResult
from tuner.bench.remarks import rounds_apart, who_was_left_out
from tuner.bench.report.finished_bench import FinishedBench, FinishedStream
from tuner.bench.report.how_measured import how_measured
from tuner.bench.report.loss_section import loss_section, worst
from tuner.bench.report.losses import failed_at_end
from tuner.bench.report.markdown import Row, md_list, md_table, times
from tuner.bench.report.published_results import PUBLISHED_RESULTS
from tuner.bench.report.slow_executions import CLEARLY, slow_executions
from tuner.bench.report.stream_section import stream_overview, stream_section
from tuner.bench.report.summary_table import ratio, summary_table

_PUBLISHED = (
    "Of tuners like this one, by their authors, on other machines and data: not to be compared with the figures above."
)
_ABOUT = """\
Written by `spark-tuner bench-results` from what `spark-tuner bench` measured: each command below measures its part anew.
Seconds on other machines and days do not compare; what stands in one table was measured in turns. [Bench](bench.md) and
[stream](stream.md) say how, [workloads](workloads.md) on what. Results are not comparable with published TPC results."""
_COSTS = """\
*CPU s* are seconds of processors that a run's queries had in the end, with planning and compiling: other programs on the machine
make them hardly longer. *90 % of the gain* names a run where the whole gain is over twice what the defaults differ from
themselves."""
_SLOW = f"""\
*Slow* are executions of a query, in all rounds, that took over {CLEARLY:g} times the defaults' nearest one; for the defaults
against their own one in the next round, which is what chance does."""


def results_document(
    benches: Sequence[FinishedBench], streams: Sequence[FinishedStream] = (), pictures: Mapping[int, str] | None = None
) -> str:
    """The page. `pictures` are addresses by the place of their bench, then of their stream."""
    pictures, benches = pictures or {}, _told_apart(benches)
    blocks = ["# Results", worst(benches, streams), "## All of it"]
    blocks += [summary_table(benches)] if benches else []
    blocks += [stream_overview(streams)] if streams else []
    blocks += [_ABOUT, "## What got slower", *loss_section(benches, streams)]
    for place, bench in enumerate(benches):
        blocks += _bench(bench, pictures.get(place))
    for place, stream in enumerate(streams, start=len(benches)):
        blocks += stream_section(stream, pictures.get(place))
    blocks += ["## What others have published", _PUBLISHED, _published()]
    return "\n\n".join(blocks) + "\n"


def _told_apart(benches: Sequence[FinishedBench]) -> list[FinishedBench]:
    """Those that measured the same, with other contenders or on other machines, are told apart by their days."""
    counts = Counter(bench.result.title for bench in benches)
    return [
        replace(bench, result=replace(bench.result, title=f"{bench.result.title}, {bench.started_at[:10]}"))
        if counts[bench.result.title] > 1
        else bench
        for bench in benches
    ]


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
    if remarks := [*who_was_left_out(result), *rounds_apart(result), *_died(result)]:
        yield md_list(remarks)
    numbers = sorted({run.number for contender in result.contenders for run in contender.runs})
    yield "Seconds of all queries, and speed-up over the defaults of the same or the nearest round:"
    yield md_table(
        ("", *(f"run {number}" for number in numbers), "prepared, s"),
        [_by_run(contender, numbers) for contender in result.contenders],
    )
    yield from _costs(result)
    if picture is not None:
        yield f"![What each query of {result.title} gained]({picture})"
    yield f"<details><summary>Each query, in the end</summary>\n\n{_queries(result)}\n\n</details>"


def _died(result: BenchResult) -> Iterator[str]:
    for contender in result.contenders:
        for run in (run for run in contender.runs if run.exit_code):
            yield f"{contender.name}, run {run.number}: its application ended with code {run.exit_code}"


def _by_run(contender: ContenderResult, numbers: Sequence[int]) -> Row:
    by_number = {run.number: f"{run.seconds:,.0f} s, {ratio(run.speed_up)}" for run in contender.runs}
    return (contender.name, *(by_number.get(number, "–") for number in numbers), f"{contender.preparing_seconds:,.0f}")


def _costs(result: BenchResult) -> Iterator[str]:
    # A share of slow executions means nothing without what chance does.
    chance = slow_executions(result, result.contenders[0]).executions if result.contenders else 0
    yield f"{_COSTS}\n{_SLOW}" if chance else _COSTS
    yield md_table(
        ("", "CPU s", *(["slow"] if chance else []), "90 % of the gain", "all rounds, tuning included, s"),
        [
            (
                one.name,
                _cpu(result, one),
                *([_slow(result, one)] if chance else []),
                f"run {one.runs_to_most}" if one.runs_to_most else "",
                f"{one.cumulative_seconds:,.0f}",
            )
            for one in result.contenders
        ],
    )


def _slow(result: BenchResult, contender: ContenderResult) -> str:
    slow = slow_executions(result, contender)
    return f"{slow.slow} of {slow.executions} ({slow.share:.1%})" if slow.executions else ""


def _cpu(result: BenchResult, contender: ContenderResult) -> str:
    """Seconds of processors in the end, and how many times as many the defaults have; not where queries failed: what did not end
    used less."""
    default, used = result.contenders[0], contender.cpu_seconds
    if used is None:
        return ""
    whole = not failed_at_end(result, default) and not failed_at_end(result, contender)
    compared = f" ({times(default.cpu_seconds / used)})" if default.cpu_seconds and used and whole else ""
    return f"{used:,.0f}{compared}"


def _queries(result: BenchResult) -> str:
    default, *others = result.contenders
    rows = [
        (query.name, _alone(query), *(_seconds(contender.queries[place]) for contender in others))
        for place, query in enumerate(default.queries)
    ]
    return md_table(("query", "default, s", *(contender.name for contender in others)), rows)


def _alone(query: QueryResult) -> str:
    return f"{query.final_seconds:.1f}" if query.finished else "failed"


def _seconds(query: QueryResult) -> str:
    if not query.finished:
        return "**failed**"
    marks = [" **surely slower**"] * query.slower + [" **other rows**"] * query.other_rows
    compared = f" ({times(query.speed_up)})" if query.compared else ""
    return f"{query.final_seconds:.1f}{compared}{''.join(marks)}"
