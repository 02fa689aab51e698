"""`spark-tuner bench --stream`: what it is asked with."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Annotated

import typer

from tuner.bench.bench_run import Setup
from tuner.bench.report.finished_bench import STREAM
from tuner.bench.stream.drawn_stream import StreamJob, stream_job
from tuner.bench.stream.stream_contenders import STREAM_CONTENDERS
from tuner.bench.stream.stream_setup import StreamSetup
from tuner.bench.workloads.benchmarks import STREAMED

EXECUTIONS = 1000
PER_NIGHT = 8
ANALYZE_EVERY = 5
SHARES = "0,25,50,75,100"
_ROUNDING = 1e-9
OF_STREAM = ("executions", "shares", "per_night", "analyze_every")
NOT_OF_STREAM = ("sql", "tables", "queries", "runs", "repeats", "fixed_every", "search_seed", "report")

Executions = Annotated[
    int | None,
    typer.Option(help="A stream's executions in all, of whole nights, two at least.", show_default=f"{EXECUTIONS}"),
]
Shares = Annotated[
    str,
    typer.Option(
        help="A stream's jobs: of each, how many per cent of its executions are of queries that come back.",
        show_default=SHARES,
    ),
]
PerNight = Annotated[
    int | None, typer.Option(help="Executions of each of its jobs in a night.", show_default=f"{PER_NIGHT}")
]
AnalyzeEvery = Annotated[
    int | None,
    typer.Option(min=1, help="Its CBO's statistics are gathered every N-th night.", show_default=f"{ANALYZE_EVERY}"),
]


def check_stream(ctx: typer.Context, contenders: Collection[str]) -> None:
    """typer.BadParameter where options do not go together, or there is no such stream."""
    stream = ctx.params["stream"]
    given = [
        name
        for name in (NOT_OF_STREAM if stream else OF_STREAM)
        if (source := ctx.get_parameter_source(name)) and source.name != "DEFAULT"
    ]
    if given and stream:
        raise typer.BadParameter(
            "they do not go together: a stream draws its queries, tables and nights, and has no page",
            param_hint=_flags(given, "--stream"),
        )
    if given:
        raise typer.BadParameter("only a stream has it; give --stream too", param_hint=_flags(given))
    if stream:
        _check_what(ctx.params["workload"], contenders)


def check_size(executions: int | None, shares: str, per_night: int | None) -> tuple[Sequence[StreamJob], int, int]:
    """The jobs of a stream, their executions in a night, and nights. typer.BadParameter where they do not come out whole."""
    jobs = _jobs(shares or SHARES)
    each = PER_NIGHT if per_night is None else per_night
    broken = [job.name for job in jobs if abs(job.share * each - round(job.share * each)) > _ROUNDING]
    if each < 1 or broken:
        raise typer.BadParameter(
            f"{each} executions a night of {', '.join(broken or [job.name for job in jobs])} do not come out whole; "
            f"give {PER_NIGHT}, or other --shares",
            param_hint="--per-night",
        )
    return jobs, each, _nights(EXECUTIONS if executions is None else executions, len(jobs), each)


def stream_of(
    setup: Setup, size: float, seed: int, of: tuple[Sequence[StreamJob], int, int], analyze_every: int | None
) -> StreamSetup:
    """The stream of these options, below the setup's directory."""
    every = ANALYZE_EVERY if analyze_every is None else analyze_every
    return StreamSetup(replace(setup, directory=setup.directory / STREAM), size, seed, *of, every)


def _check_what(workload: str, contenders: Collection[str]) -> None:
    if workload and workload != STREAMED:
        raise typer.BadParameter(
            f"{workload} has no stream: its queries cannot be drawn anew each night; give --workload {STREAMED}",
            param_hint="--workload",
        )
    if other := [name for name in contenders if name not in STREAM_CONTENDERS]:
        raise typer.BadParameter(
            f"{', '.join(other)} cannot search queries that never come back, or count rows that change each night; "
            f"of a stream there are {', '.join(STREAM_CONTENDERS)}",
            param_hint="--contenders",
        )


def _jobs(shares: str) -> Sequence[StreamJob]:
    percents = [text.strip() for text in shares.split(",")]
    if not all(text.isdecimal() and int(text) <= 100 for text in percents) or len(set(percents)) < len(percents):
        raise typer.BadParameter(
            f"{shares}; give different percentages from 0 to 100, such as {SHARES}", param_hint="--shares"
        )
    return [stream_job(int(text)) for text in percents]


def _nights(executions: int, jobs: int, per_night: int) -> int:
    of_night = jobs * per_night
    nights, rest = divmod(executions, of_night)
    if rest or nights < 2:
        below, above = max(2, nights) * of_night, max(2, nights + 1) * of_night
        raise typer.BadParameter(
            f"{executions} are not two or more whole nights of {of_night} executions ({jobs} jobs of {per_night}); "
            f"give {below}{f' or {above}' if above > below else ''}",
            param_hint="--executions",
        )
    return nights


def _flags(names: Collection[str], *also: str) -> str:
    return " and ".join((*also, *(f"--{name.replace('_', '-')}" for name in names)))
