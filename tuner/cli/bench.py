"""`spark-tuner bench`: what the tuner gains on recurring SQL jobs, compared with what people do instead."""

from __future__ import annotations

import signal
import sys
from pathlib import Path
from typing import Annotated

import msgspec
import typer
from rich.console import Console

from tuner import __version__
from tuner.bench.bench_run import Setup, Workload
from tuner.bench.contenders.contenders import CONTENDERS, contenders_named
from tuner.bench.records import Records
from tuner.bench.report.finished_bench import FinishedBench, command_of, when_measured, write_finished
from tuner.bench.result_json import result_json
from tuner.bench.results import results
from tuner.bench.run_rounds import run_rounds
from tuner.bench.workloads.benchmark import Seeded
from tuner.bench.workloads.benchmarks import BENCHMARKS, USUAL, benchmark_workload
from tuner.bench.workloads.from_directories import from_directories
from tuner.cli.bench_progress import shown_progress
from tuner.cli.bench_text import show
from tuner.cli.console import console
from tuner.cli.options import AsJson
from tuner.cli.print_lines import print_lines
from tuner.cli.spark_session import Conf, parse_conf
from tuner.eventlog.properties import redact
from tuner.machine import cores, driver_memory, machine
from tuner.spark.spark_submit import require_java

# Without --seed.
_SEED = 1


def bench(
    workload: Annotated[str, typer.Option(help=f"What to run: {', '.join(BENCHMARKS)}.", show_default=USUAL)] = "",
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
    repeats: Annotated[int, typer.Option(min=0, help="Runs after that, with what each contender learned.")] = 2,
    fixed_every: Annotated[
        int, typer.Option(min=1, help="Contenders that do not learn run in every N-th round, and in the repeats.")
    ] = 1,
    contenders: Annotated[str, typer.Option(help="Comma-separated. `default` is always included.")] = ",".join(
        CONTENDERS
    ),
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
    """Compare the tuner with Spark's defaults, Spark's CBO, a raised broadcast threshold and searches on a recurring SQL job."""
    names = _names(contenders)
    if unknown := [name for name in names if name not in CONTENDERS]:
        raise typer.BadParameter(f"{', '.join(unknown)}; there are {', '.join(CONTENDERS)}", param_hint="--contenders")
    _check(workload, sql, tables, seed)
    require_java()
    to_stderr = console(stderr=True)
    found = contenders_named(names)
    directory = directory.absolute()
    setup = Setup(
        from_directories(sql, _names(queries), tables)
        if sql is not None and tables is not None
        else _benchmark(to_stderr, workload or USUAL, scale_factor, seed, _names(queries), directory),
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
    records = Records(setup)
    # Spark runs in its own process group: who ends this program ends both.
    signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))
    with shown_progress(to_stderr) as tell:
        run_rounds(setup, found, records, lambda text: print_lines(to_stderr, [text]), tell)
    ran = {c.name: records.of(c.name, setup.rounds) for c in found}
    result = results(setup, {c.name: c.title for c in found}, ran)
    command = command_of({
        "--workload": workload,
        "--sql": sql.name if sql is not None else None,
        "--tables": tables.name if tables is not None else None,
        "--scale-factor": scale_factor,
        "--seed": seed,
        "--queries": queries,
        "--runs": runs,
        "--repeats": repeats,
        "--fixed-every": fixed_every,
        "--contenders": ",".join(c.name for c in found),
        "--master": master,
        "--driver-memory": memory,
        "--conf": [redact(each) for each in conf or ()],
    })  # fmt: skip
    when = when_measured(run for each in ran.values() for run in each)
    write_finished(directory, FinishedBench(result, command, machine(), __version__, *when))
    if report is not None:
        from tuner.bench.result_page import write_page

        write_page(report, result, machine())
    if as_json:
        typer.echo(msgspec.json.encode(result_json(result, machine())).decode())
    else:
        show(console(), result, machine())


def _check(workload: str, sql: Path | None, tables: Path | None, seed: int | None) -> None:
    if (sql is None) != (tables is None):
        raise typer.BadParameter("give both, or neither for a benchmark", param_hint="--sql and --tables")
    if sql is not None and (workload or seed is not None):
        raise typer.BadParameter("queries and tables of your own have neither", param_hint="--workload and --seed")
    if workload and workload not in BENCHMARKS:
        raise typer.BadParameter(f"{workload}; there are {', '.join(BENCHMARKS)}", param_hint="--workload")
    benchmark = BENCHMARKS[workload or USUAL]
    if seed is not None and benchmark.seeded is Seeded.NOTHING:
        raise typer.BadParameter(
            f"{benchmark.title} takes none: {benchmark.why_no_seed}; --search-seed is that of random search and TPE",
            param_hint="--seed",
        )


def _benchmark(
    to: Console, name: str, scale_factor: float | None, seed: int | None, names: list[str], directory: Path
) -> Workload:
    benchmark = BENCHMARKS[name]
    size = benchmark.scale_factor if scale_factor is None else scale_factor
    print_lines(to, [f"{benchmark.title}: tables and queries, scale factor {size:g}"])
    return benchmark_workload(name, size, _SEED if seed is None else seed, names, directory / "tables")


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]
