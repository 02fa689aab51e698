"""All workloads and contenders in one table."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from tuner.bench.bench_result import BenchResult, ContenderResult
from tuner.bench.default_noise import default_spread, totals
from tuner.bench.final_places import final_places
from tuner.bench.report.finished_bench import FinishedBench
from tuner.bench.report.least_slowdown import FINE, least_slowdown
from tuner.bench.report.losses import failed_at_end
from tuner.bench.report.markdown import Row, md_table, times

_LEGEND = """\
Seconds are of queries that a contender finished in each repeat with the rows of the defaults, all together, the median of the
repeats; ratios, of those that the defaults finished, too: of each repeat against the defaults of its round, and of these the
median (of two their geometric mean). *The defaults' own* is how many times as long the defaults' slowest round took as their
fastest, which nothing but the machine and its hour made: a gain or a loss by less than that factor may be as little. *Rows* are
compared in any order, value by value with its type, doubles to nine digits; the order of rows is not compared. *none over 5x*:
repeats are so few that no lesser slowdown could be found."""


def summary_table(benches: Sequence[FinishedBench]) -> str:
    """A row for each contender of each bench."""
    heads = (
        "workload", "queries", "contender", "s in the end", "all queries", "geometric mean", "rows", "failed", "surely slower",
        "the defaults' own",
    )  # fmt: skip
    rows = [_row(bench.result, contender) for bench in benches for contender in bench.result.contenders]
    return f"{_LEGEND}\n\n{md_table(heads, rows)}"


def surely_slower(result: BenchResult, contender: ContenderResult) -> str:
    """How many of those tested; what could be found at all where that is little, and none was."""
    least = least_slowdown(result, contender)
    if not contender.tested:
        return "not tested"
    if contender.slower or least is None or least <= FINE:
        return f"{len(contender.slower)} of {contender.tested}"
    return "none can be found" if least == float("inf") else f"none over {times(least)}"


def ratio(of: float | None) -> str:
    """A speed-up; nothing where nothing could be compared."""
    return times(of) if of is not None else "–"


def _row(result: BenchResult, contender: ContenderResult) -> Row:
    default, noise = contender is result.contenders[0], default_spread(result)
    failed = failed_at_end(result, contender)
    return (
        result.title,
        str(result.queries),
        contender.name,
        f"{_seconds(result, contender):,.0f}",
        ratio(contender.total_speed_up),
        ratio(contender.geometric_mean),
        "" if default else _rows(contender),
        str(len(failed)),
        "" if default else surely_slower(result, contender),
        "" if noise is None else times(noise),
    )


def _seconds(result: BenchResult, contender: ContenderResult) -> float:
    """The median over the repeats of what a run took: medians of queries add up to another sum."""
    places = final_places(result, contender)
    queries = [query for query in contender.queries if not query.other_rows]
    return median(totals([[query.seconds[place] for place in places] for query in queries]) or [0.0])


def _rows(contender: ContenderResult) -> str:
    if all(seconds is None for query in contender.queries for seconds in query.seconds):
        return "none"
    other = sum(query.other_rows for query in contender.queries)
    unknown = sum(query.rows_vary and not query.other_rows for query in contender.queries)
    words = [f"{other} differ"] if other else ["equal"]
    return ", ".join([*words, *([f"{unknown} not comparable"] if unknown else [])])
