"""What a page of results says first: the worst that happened, then all that got slower."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tuner.bench.bench_result import BenchResult
from tuner.bench.report.finished_bench import FinishedBench, FinishedStream
from tuner.bench.report.least_slowdown import too_few
from tuner.bench.report.losses import Loss, failed_at_end, losses, worst_first
from tuner.bench.report.markdown import Row, md_list, md_table, times

_SLOWER = """\
Queries that took over 5 % longer in the end, *surely*: by Welch's test over the repeats (in a stream by a test of pairs over the
nights), corrected for the number of queries (Holm); or *beyond noise*: by more than the defaults' slowest run of that query
differs from their fastest, in all rounds, which no test bears out."""
_MOST_NAMES = 3
_HEADS = ("workload", "contender", "query", "default, s", "s", "speed-up", "the defaults' own", "how sure")


def worst(benches: Sequence[FinishedBench], streams: Sequence[FinishedStream]) -> str:
    """One paragraph: other rows, failures, and the worst that is slower by more than noise."""
    wrong, failed = _other_rows(benches, streams), _failed_at_end(benches, streams)
    parts = [
        f"Rows other than by default: {_few(wrong)}.",
        f"Failed in the end: {_few(failed)}.",
        f"Slower by more than noise: {'; '.join(_slower(benches, streams)) or 'none'}.",
    ]
    return f"**What got worse.** {' '.join(parts)}"


def loss_section(benches: Sequence[FinishedBench], streams: Sequence[FinishedStream]) -> Iterator[str]:
    """Blocks of Markdown: rows, failures, what is slower by more than noise, and folded by workload what may be noise."""
    yield "Rows that are not those of the defaults:\n\n" + md_list(_other_rows(benches, streams))
    for what, of_all in (
        ("Not comparable, for by default their rows differ from run to run; only their number is", False),
        ("Not compared at all, for by default even the number of their rows differs from run to run", True),
    ):
        if vary := [line for bench in benches for line in _varying(bench.result, of_all=of_all)]:
            yield f"{what}:\n\n{md_list(vary)}"
    yield "Queries that failed in some run:\n\n" + md_list(_failed(benches, streams))
    if only := [line for bench in benches for line in _only_mine(bench.result)]:
        yield f"Finished, where the defaults failed; not in any ratio:\n\n{md_list(only)}"
    found = [losses(bench.result) for bench in benches]
    real = worst_first(loss for of_one in found for loss in of_one if loss.real)
    rows = [*_of_streams(streams), *map(_row, real)]
    yield _SLOWER
    yield md_table(_HEADS, rows) if rows else "None."
    if untold := [line for bench in benches for line in _too_few(bench.result)]:
        yield md_list(untold)
    for bench, of_one in zip(benches, found, strict=True):
        if rest := [loss for loss in of_one if not loss.real]:
            what = f"{bench.result.title}: {len(rest)} more that took over 5 % longer, which may be noise"
            yield f"<details><summary>{what}</summary>\n\n{md_table(_HEADS, map(_row, rest))}\n\n</details>"


def _other_rows(benches: Sequence[FinishedBench], streams: Sequence[FinishedStream]) -> list[str]:
    return [
        f"{bench.result.title}, {contender.name}: {query.name}"
        for bench in benches
        for contender in bench.result.contenders[1:]
        for query in contender.queries
        if query.other_rows
    ] + [
        f"{stream.result.title}, {one.name}: {'; '.join(one.other_rows)}"
        for stream in streams
        for one in stream.result.contenders
        if one.other_rows
    ]


def _failed_at_end(benches: Sequence[FinishedBench], streams: Sequence[FinishedStream]) -> list[str]:
    return [
        f"{bench.result.title}, {one.name}: {_few(names)}"
        for bench in benches
        for one in bench.result.contenders
        if (names := failed_at_end(bench.result, one))
    ] + _failed((), streams)


def _failed(benches: Sequence[FinishedBench], streams: Sequence[FinishedStream]) -> list[str]:
    return [
        f"{bench.result.title}, {contender.name}: {', '.join(failed)}"
        for bench in benches
        for contender in bench.result.contenders
        if (failed := sorted({name for run in contender.runs for name in run.failed}))
    ] + [
        f"{stream.result.title}, {one.name}: {'; '.join(one.failed)}"
        for stream in streams
        for one in stream.result.contenders
        if one.failed
    ]


def _varying(result: BenchResult, *, of_all: bool) -> Iterator[str]:
    default = result.contenders[0].queries
    if names := [query.name for query in default if query.rows_vary and query.numbers_vary == of_all]:
        yield f"{result.title}: {', '.join(names)}"


def _only_mine(result: BenchResult) -> Iterator[str]:
    for one in result.contenders:
        if one.only_mine:
            yield f"{result.title}, {one.name}: {', '.join(one.only_mine)}"


def _slower(benches: Sequence[FinishedBench], streams: Sequence[FinishedStream]) -> Iterator[str]:
    """A contender's losses at a time, with the worst of them."""
    found: dict[str, list[tuple[float, str]]] = {}
    for bench in benches:
        for loss in losses(bench.result):
            if loss.real:
                at = f"{loss.query.name} of {loss.title}"
                found.setdefault(loss.contender, []).append((loss.query.speed_up, at))
    for stream in streams:
        for one in stream.result.contenders:
            for slow in one.slower:
                at = f"{slow.name} of {slow.job}, a stream of {stream.result.title}"
                found.setdefault(one.name, []).append((slow.ratio, at))
    for contender, ratios in found.items():
        ratio, at = min(ratios)
        number = "1 query" if len(ratios) == 1 else f"{len(ratios)} queries"
        yield f"{number} of {contender}, at worst {at} ({times(ratio)})"


def _of_streams(streams: Sequence[FinishedStream]) -> list[Row]:
    return [
        (
            f"{stream.result.title}, a stream", one.name, f"{q.name} of {q.job}", "–", "–", times(q.ratio), "–",
            f"surely (p {q.p:.3f})",
        )
        for stream in streams
        for one in stream.result.contenders
        for q in one.slower
    ]  # fmt: skip


def _row(loss: Loss) -> Row:
    q = loss.query
    return (
        loss.title, loss.contender, q.name, f"{q.default_seconds:.1f}", f"{q.final_seconds:.1f}", times(q.speed_up),
        times(loss.noise) if loss.noise is not None else "not known", _sure(loss),
    )  # fmt: skip


def _sure(loss: Loss) -> str:
    p = "not tested" if loss.query.p_slower is None else f"p {loss.query.p_slower:.3f}"
    if loss.query.slower:
        return f"surely ({p})"
    return f"beyond noise ({p})" if loss.beyond_noise else f"within noise ({p})" if loss.noise else p


def _too_few(result: BenchResult) -> Iterator[str]:
    for one in result.contenders[1:]:
        if not one.tested:
            yield f"{result.title}, {one.name}: no query was tested; that takes two repeats of both"
    yield from (f"{result.title}, {line}" for line in too_few(result))


def _few(names: Sequence[str]) -> str:
    more = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
    return f"{'; '.join(names[:_MOST_NAMES])}{more}" or "none"
