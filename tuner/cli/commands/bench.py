"""`spark-tuner bench`: what the tuner gains on recurring SQL jobs, compared with what people do instead."""

from __future__ import annotations

import signal
import sys
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from typing import Annotated

import msgspec
import typer
from rich.console import Console

from tuner.bench.bench_run import Setup, Workload
from tuner.bench.contenders.contender import Contender
from tuner.bench.contenders.contenders import CONTENDERS, contenders_named
from tuner.bench.contenders.contenders import USUAL as USUAL_CONTENDERS
from tuner.bench.records import Records
from tuner.bench.report.finished_bench import Finished, FinishedBench, command_of, when_measured, write_finished
from tuner.bench.result_json import result_json
from tuner.bench.results import results
from tuner.bench.run_rounds import run_rounds
from tuner.bench.stream.executed import executed
from tuner.bench.stream.run_stream import run_stream
from tuner.bench.stream.stream_contenders import USUAL as USUAL_IN_STREAM
from tuner.bench.stream.stream_contenders import stream_titles
from tuner.bench.stream.stream_json import stream_json
from tuner.bench.stream.stream_result import stream_result
from tuner.bench.stream.stream_setup import StreamSetup
from tuner.bench.told_setting import told_setting
from tuner.bench.workloads.benchmark import Seeded
from tuner.bench.workloads.benchmarks import BENCHMARKS, STREAMED, USUAL, benchmark_tables, benchmark_workload
from tuner.bench.workloads.from_directories import from_directories
from tuner.cli.as_text.bench import show
from tuner.cli.as_text.bench_progress import shown_progress
from tuner.cli.as_text.bench_stream import show_stream
from tuner.cli.as_text.write_page import check_page
from tuner.cli.options.output import AsJson
from tuner.cli.options.spark import Conf, parse_conf
from tuner.cli.options.stream import (
    NOT_OF_STREAM,
    AnalyzeEvery,
    Executions,
    PerNight,
    Shares,
    check_size,
    check_stream,
    stream_of,
)
from tuner.cli.process.held_file import held_file
from tuner.cli.terminal.console import console
from tuner.cli.terminal.print_lines import print_lines
from tuner.machine import cores, driver_memory
from tuner.spark.spark_submit import require_java

# Without --seed.
_SEED = 1
# In the directory of a bench that runs.
_LOCK = ".lock"
# Where a bench puts what it measures, and how it shows it.
_OF_NO_FIGURE = {"directory", "report", "as_json"}


def bench(
    ctx: typer.Context,
    workload: Annotated[
        str,
        typer.Option(help=f"What to run: {', '.join(BENCHMARKS)}.", show_default=f"{USUAL}; of a stream {STREAMED}"),
    ] = "",
    scale_factor: Annotated[
        float | None,
        typer.Option(
            min=0.01, help="How large its tables are: about gigabytes of raw data.", show_default="1, 0.1 of joins"
        ),
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option(
            min=0,
            help="Another one draws other data (tpch-skew, joins) and literals (ssb, joins).",
            show_default=str(_SEED),
        ),
    ] = None,
    queries: Annotated[str, typer.Option(help="Queries by name or number, comma-separated. [default: all]")] = "",
    runs: Annotated[int, typer.Option(min=2, help="Runs in which each contender learns.")] = 5,
    repeats: Annotated[
        int,
        typer.Option(min=0, help="Runs after that, which are compared and tested; the tuner goes on learning in them."),
    ] = 2,
    fixed_every: Annotated[
        int, typer.Option(min=1, help="Contenders that do not learn run in every N-th round, and in the repeats.")
    ] = 1,
    contenders: Annotated[
        str,
        typer.Option(
            help=f"Comma-separated, of {', '.join(CONTENDERS)}; `default` is always included.",
            show_default=f"all but oracle; of a stream {', '.join(USUAL_IN_STREAM)}",
        ),
    ] = "",
    stream: Annotated[
        bool,
        typer.Option(
            "--stream", help="Run jobs whose queries repeat between not at all and nightly, over tables that change."
        ),
    ] = False,
    executions: Executions = None,
    shares: Shares = "",
    per_night: PerNight = None,
    analyze_every: AnalyzeEvery = None,
    sql: Annotated[Path | None, typer.Option(help="A directory of .sql files to run instead of a benchmark.")] = None,
    tables: Annotated[
        Path | None, typer.Option(help="A directory with one folder of Parquet files for each table, for --sql.")
    ] = None,
    directory: Annotated[
        Path, typer.Option(help="Where tables, logs and results go. A stopped bench resumes there.")
    ] = Path("spark-tuner-bench"),
    master: Annotated[str, typer.Option(help="Spark's master. [default: local, with all cores]")] = "",
    memory: Annotated[str, typer.Option("--driver-memory", help="[default: half of the machine's, at most 8g]")] = "",
    timeout_seconds: Annotated[float, typer.Option(min=1.0, help="A query that takes longer has failed.")] = 900.0,
    conf: Conf = None,
    search_seed: Annotated[int, typer.Option(help="Seed of random search and TPE.")] = 1,
    report: Annotated[Path | None, typer.Option(help="Write the result as one HTML page with plots.")] = None,
    as_json: AsJson = False,
) -> None:
    """Compare the tuner with Spark's defaults, its CBO, a raised threshold, searches and an oracle on a recurring SQL job."""
    names = _names(contenders) or list(USUAL_IN_STREAM if stream else USUAL_CONTENDERS)
    if unknown := [name for name in names if name not in CONTENDERS]:
        raise typer.BadParameter(f"{', '.join(unknown)}; there are {', '.join(CONTENDERS)}", param_hint="--contenders")
    check_stream(ctx, names)
    _check(workload or (STREAMED if stream else ""), sql, tables, seed, scale_factor)
    of_stream = check_size(executions, shares, per_night)
    if report is not None:
        check_page(report)
    require_java()
    to_stderr = console(stderr=True)
    found = [] if stream else contenders_named(names)
    directory = directory.absolute()
    name, seed = workload or (STREAMED if stream else USUAL), _SEED if seed is None else seed
    size = BENCHMARKS[name].scale_factor if scale_factor is None else scale_factor
    _end_by_signals()
    directory.mkdir(parents=True, exist_ok=True)
    with held_file(directory / _LOCK, "another bench"):
        setup = Setup(
            from_directories(sql, _names(queries), tables)
            if sql is not None and tables is not None
            else _benchmark(to_stderr, name, size, seed, None if stream else _names(queries), directory),
            directory,
            master or f"local[{cores()}]",
            memory or driver_memory(),
            runs,
            repeats,
            timeout_seconds,
            parse_conf(conf),
            search_seed,
            fixed_every,
        )
        if stream:
            of = stream_of(setup, size, seed, of_stream, analyze_every)
            _run_and_show_stream(of, names, _command(ctx, ["default", *names], NOT_OF_STREAM), as_json=as_json)
        else:
            _run_and_show(setup, found, _command(ctx, [one.name for one in found]), report, as_json=as_json)


def _end_by_signals() -> None:
    """Spark runs in its own process group: who ends this program ends both. What is ignored (nohup) stays so."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, lambda asked, _: sys.exit(128 + asked))


def _run_and_show(
    setup: Setup, contenders: Sequence[Contender], command: str, report: Path | None, *, as_json: bool
) -> None:
    records, to_stderr = Records(setup), console(stderr=True)
    with shown_progress(to_stderr) as tell:
        left_out = run_rounds(setup, contenders, records, lambda text: print_lines(to_stderr, [text]), tell)
    ran = {c.name: records.of(c.name, setup.rounds) for c in contenders if c.name not in left_out}
    result = results(setup, {c.name: c.title for c in contenders}, ran, left_out)
    when = when_measured(run for each in ran.values() for run in each)
    where = records.machine
    how = (command, where, records.version, *when, records.spark_defaults)
    write_finished(setup.directory, FinishedBench(result, *how))
    if report is not None:
        from tuner.bench.result_page import write_page

        write_page(report, result, where)
    if as_json:
        typer.echo(msgspec.json.encode(result_json(result, where)).decode())
    else:
        show(console(), result, where)


def _run_and_show_stream(stream: StreamSetup, names: Collection[str], command: str, *, as_json: bool) -> None:
    """Run what is not on record, then keep and print the result. `command` measures it anew."""
    to_stderr = console(stderr=True)
    with shown_progress(to_stderr) as tell:
        left_out = run_stream(stream, names, lambda text: print_lines(to_stderr, [text]), tell)
    titles = stream_titles([name for name in names if name not in left_out])
    done = executed(stream, titles)
    records = stream.records(stream.jobs[0].name)
    result, where = stream_result(stream.setup.workload.title, titles, done, left_out), records.machine
    ran = (run for job in stream.jobs for name in titles for run in stream.records(job.name).of(name, stream.nights))
    how = (command, where, records.version, *when_measured(ran), records.spark_defaults)
    write_finished(stream.setup.directory.parent, Finished(result, *how))
    if as_json:
        typer.echo(msgspec.json.encode(stream_json(result, done, where)).decode())
    else:
        show_stream(console(), result, where)


def _command(ctx: typer.Context, contenders: Iterable[str], without: Iterable[str] = ()) -> str:
    """What measures it anew: without places of this machine, and without secrets."""
    given = ctx.params
    asked = {
        **given,
        **{place: given[place].name for place in ("sql", "tables") if given[place] is not None},
        "contenders": ",".join(dict.fromkeys(contenders)),
        "conf": list(map(told_setting, given["conf"] or ())),
    }
    of_figures = asked.keys() - _OF_NO_FIGURE - set(without)
    options = {one.opts[0]: asked[one.name] for one in ctx.command.params if one.name in of_figures}
    return command_of(options)


def _check(workload: str, sql: Path | None, tables: Path | None, seed: int | None, scale_factor: float | None) -> None:
    if (sql is None) != (tables is None):
        raise typer.BadParameter("give both, or neither for a benchmark", param_hint="--sql and --tables")
    if sql is not None and (workload or seed is not None or scale_factor is not None):
        raise typer.BadParameter(
            "queries and tables of your own have none of these", param_hint="--workload, --seed and --scale-factor"
        )
    if workload and workload not in BENCHMARKS:
        raise typer.BadParameter(f"{workload}; there are {', '.join(BENCHMARKS)}", param_hint="--workload")
    benchmark = BENCHMARKS[workload or USUAL]
    if seed is not None and benchmark.seeded is Seeded.NOTHING:
        raise typer.BadParameter(
            f"{benchmark.title} takes none: {benchmark.why_no_seed}; --search-seed is that of random search and TPE",
            param_hint="--seed",
        )


def _benchmark(to: Console, name: str, size: float, seed: int, names: list[str] | None, directory: Path) -> Workload:
    """With queries of these names, all if there are none; without any for None."""
    what = "tables" if names is None else "tables and queries"
    print_lines(to, [f"{BENCHMARKS[name].title}: {what}, scale factor {size:g}"])
    if names is None:
        return benchmark_tables(name, size, seed, directory / "tables")
    return benchmark_workload(name, size, seed, names, directory / "tables")


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]
