"""Finished benches as one page of Markdown, with what got slower first."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from tuner.bench.report.finished_bench import FinishedBench
from tuner.bench.report.published_results import PUBLISHED_RESULTS
from tuner.bench.report.slow_executions import CLEARLY, slow_executions
from tuner.bench.results import BenchResult, ContenderResult, QueryResult

Row = Sequence[str]
_PUBLISHED = (
    "Of tuners like this one, by their authors, on other machines and data: not to be compared with the figures above."
)
_ABOUT = """\
Written by `spark-tuner bench-results` from what `spark-tuner bench` measured: each command below measures its part anew.
Seconds on other machines and days do not compare; what stands in one table was measured in turns. [Bench](bench.md) says how,
[workloads](workloads.md) on what. Results are not comparable with published TPC results."""
_SLOWER = """\
Queries over 5 % slower in the end: *surely* by Welch's test over the repeats, corrected for the number of queries (Holm);
*seems* where the medians say so and no test does."""
_SLOW = f"""\
*Slow* are executions of a query, in all rounds, that took over {CLEARLY:g} times the defaults' nearest one; for the defaults
against their own next one, which is what chance does."""


def results_document(benches: Sequence[FinishedBench], pictures: Mapping[int, str]) -> str:
    """The page. `pictures` are addresses by the place of their bench."""
    blocks = [
        "# Results",
        _ABOUT,
        "## What got slower",
        *_losses(benches),
        "## All of it",
        _overview(benches),
    ]
    for place, bench in enumerate(benches):
        blocks += _bench(bench, pictures.get(place))
    blocks += ["## What others have published", _PUBLISHED, _published()]
    return "\n\n".join(blocks) + "\n"


def _losses(benches: Sequence[FinishedBench]) -> Iterator[str]:
    found = [
        (bench.result.title, contender, query)
        for bench in benches
        for contender in bench.result.contenders[1:]
        for query in contender.queries
    ]
    yield "Rows that are not those of the defaults:\n\n" + _list(
        f"{title}, {contender.name}: {query.name}" for title, contender, query in found if query.other_rows
    )
    yield "Queries that failed in some run:\n\n" + _list(
        f"{bench.result.title}, {contender.name}: {', '.join(failed)}"
        for bench in benches
        for contender in bench.result.contenders
        if (failed := sorted({name for run in contender.runs for name in run.failed}))
    )
    yield _SLOWER
    worse = sorted(
        (e for e in found if e[2].slower or e[2].seems_slower), key=lambda e: (not e[2].slower, e[2].speed_up)
    )
    yield _table(
        ("workload", "contender", "query", "default, s", "s", "speed-up", "how sure"),
        [
            (title, c.name, q.name, f"{q.default_seconds:.1f}", f"{q.final_seconds:.1f}", _times(q.speed_up), _sure(q))
            for title, c, q in worse
        ],
    ) if worse else "None."  # fmt: skip


def _overview(benches: Sequence[FinishedBench]) -> str:
    rows = [
        (bench.result.title, str(bench.result.queries), *_figures(bench.result, contender))
        for bench in benches
        for contender in bench.result.contenders
    ]
    heads = (
        "workload", "queries", "contender", "s in the end", "all queries", "geometric mean", "surely slower", "slow",
        "90 % of the gain", "all rounds, tuning included, s",
    )  # fmt: skip
    return f"{_SLOW}\n\n{_table(heads, rows)}"


def _figures(result: BenchResult, contender: ContenderResult) -> Row:
    slow = slow_executions(result, contender)
    default = contender is result.contenders[0]
    return (
        contender.name,
        f"{sum(query.final_seconds for query in contender.queries):,.0f}",
        _times(contender.total_speed_up),
        _times(contender.geometric_mean),
        "–" if default else str(len(contender.slower)),
        f"{slow.slow} of {slow.executions} ({slow.share:.1%})" if slow.executions else "–",
        f"run {contender.runs_to_most}" if contender.runs_to_most and not default else "–",
        f"{contender.cumulative_seconds:,.0f}",
    )


def _published() -> str:
    rows = [
        (one.system, one.claim, one.counted, one.workload, one.budget, f"[{one.source}]({one.url})")
        for one in PUBLISHED_RESULTS
    ]
    return _table(("system", "claim", "of what", "workload", "what tuning took", "source"), rows)


def _bench(bench: FinishedBench, picture: str | None) -> Iterator[str]:
    result = bench.result
    yield f"## {result.title}"
    yield f"{bench.started_at} to {bench.ended_at}, {bench.machine}, airflow-spark-tuner {bench.version}."
    yield f"```sh\n{bench.command}\n```"
    yield _list(f"{contender.name}: {contender.title}" for contender in result.contenders)
    numbers = sorted({run.number for contender in result.contenders for run in contender.runs})
    yield "Seconds of all queries, and speed-up over the defaults of the same or the nearest round:"
    yield _table(
        ("", *(f"run {number}" for number in numbers), "prepared, s"),
        [_by_run(contender, numbers) for contender in result.contenders],
    )
    if picture is not None:
        yield f"![What each query of {result.title} gained]({picture})"
    yield f"<details><summary>Each query, in the end</summary>\n\n{_queries(result)}\n\n</details>"


def _by_run(contender: ContenderResult, numbers: Sequence[int]) -> Row:
    by_number = {run.number: f"{run.seconds:,.0f} s, {_times(run.speed_up)}" for run in contender.runs}
    return (contender.name, *(by_number.get(number, "–") for number in numbers), f"{contender.preparing_seconds:,.0f}")


def _queries(result: BenchResult) -> str:
    default, *others = result.contenders
    rows = [
        (query.name, f"{query.final_seconds:.1f}", *(_seconds(contender.queries[place]) for contender in others))
        for place, query in enumerate(default.queries)
    ]
    return _table(("query", "default, s", *(contender.name for contender in others)), rows)


def _seconds(query: QueryResult) -> str:
    marks = [" **surely slower**"] * query.slower + [" **other rows**"] * query.other_rows
    return f"{query.final_seconds:.1f} ({_times(query.speed_up)}){''.join(marks)}"


def _sure(query: QueryResult) -> str:
    p = "" if query.p_slower is None else f" (p {query.p_slower:.3f})"
    return f"surely{p}" if query.slower else f"seems{p}"


def _table(heads: Row, rows: Iterable[Row]) -> str:
    lines = [_row(heads), _row(["---", *["--:"] * (len(heads) - 1)]), *map(_row, rows)]
    return "\n".join(lines)


def _row(cells: Row) -> str:
    return f"| {' | '.join(cell.replace('|', '&#124;') for cell in cells)} |"


def _list(items: Iterable[str]) -> str:
    return "\n".join(f"- {item}" for item in items) or "- none"


def _times(ratio: float) -> str:
    return f"{ratio:.2f}x"
