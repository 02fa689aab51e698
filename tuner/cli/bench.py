"""`spark-tuner bench`: what the tuner gains on recurring SQL jobs, compared with what people do instead."""

from __future__ import annotations

import signal
import sys
from pathlib import Path
from typing import Annotated

import msgspec
import typer
from rich.console import Console

from tuner.bench.bench_run import Setup, Workload
from tuner.bench.contenders.contenders import CONTENDERS, contenders_named
from tuner.bench.records import Records
from tuner.bench.result_json import result_json
from tuner.bench.results import results
from tuner.bench.run_rounds import run_rounds
from tuner.bench.workloads import from_directories, tpcds
from tuner.cli.bench_progress import shown_progress
from tuner.cli.bench_text import show
from tuner.cli.console import console
from tuner.cli.options import AsJson
from tuner.cli.print_lines import print_lines
from tuner.cli.spark_session import Conf, parse_conf
from tuner.machine import cores, driver_memory, machine
from tuner.spark.spark_submit import require_java


def bench(
    scale_factor: Annotated[float, typer.Option(min=0.01, help="TPC-DS scale factor: gigabytes of raw data.")] = 1.0,
    queries: Annotated[str, typer.Option(help="Queries by name or number, comma-separated. [default: all]")] = "",
    runs: Annotated[int, typer.Option(min=2, help="Runs in which each contender learns.")] = 5,
    repeats: Annotated[int, typer.Option(min=0, help="Runs after that, with what each contender learned.")] = 2,
    fixed_every: Annotated[
        int, typer.Option(min=1, help="Contenders that do not learn run in every N-th round, and in the repeats.")
    ] = 1,
    contenders: Annotated[str, typer.Option(help="Comma-separated. `default` is always included.")] = ",".join(
        CONTENDERS
    ),
    sql: Annotated[Path | None, typer.Option(help="A directory of .sql files to run instead of TPC-DS.")] = None,
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
    seed: Annotated[int, typer.Option(help="Seed of random search and TPE.")] = 1,
    report: Annotated[Path | None, typer.Option(help="Write the result as one HTML page with plots.")] = None,
    as_json: AsJson = False,
) -> None:
    """Compare the tuner with Spark's defaults, Spark's CBO, a raised broadcast threshold and searches on a recurring SQL job."""
    names = _names(contenders)
    if unknown := [name for name in names if name not in CONTENDERS]:
        raise typer.BadParameter(f"{', '.join(unknown)}; there are {', '.join(CONTENDERS)}", param_hint="--contenders")
    if (sql is None) != (tables is None):
        raise typer.BadParameter("give both, or neither for TPC-DS", param_hint="--sql and --tables")
    require_java()
    to_stderr = console(stderr=True)
    found = contenders_named(names)
    directory = directory.absolute()
    setup = Setup(
        _workload(to_stderr, sql, tables, scale_factor, _names(queries), directory),
        directory,
        master or f"local[{cores()}]",
        memory or driver_memory(),
        runs,
        repeats,
        timeout_seconds,
        parse_conf(conf),
        seed,
        fixed_every,
    )
    records = Records(setup)
    # Spark runs in its own process group: who ends this program ends both.
    signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))
    with shown_progress(to_stderr) as tell:
        run_rounds(setup, found, records, lambda text: print_lines(to_stderr, [text]), tell)
    result = results(setup, {c.name: c.title for c in found}, {c.name: records.of(c.name, setup.rounds) for c in found})
    if report is not None:
        from tuner.bench.result_page import write_page

        write_page(report, result, machine())
    if as_json:
        typer.echo(msgspec.json.encode(result_json(result, machine())).decode())
    else:
        show(console(), result, machine())


def _workload(
    to: Console, sql: Path | None, tables: Path | None, scale_factor: float, names: list[str], directory: Path
) -> Workload:
    if sql is not None and tables is not None:
        return from_directories(sql, names, tables)
    print_lines(to, [f"TPC-DS tables, scale factor {scale_factor:g}"])
    return tpcds(scale_factor, names, directory / "tables")


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]
