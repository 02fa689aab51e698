"""`spark-tuner demo`: the whole loop on this machine, in one command."""

from __future__ import annotations

import os
import shutil
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import msgspec
import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from tuner.cli.options.output import AsJson
from tuner.cli.process.held_file import held_file
from tuner.cli.terminal.console import console
from tuner.cli.terminal.own_command import own_command
from tuner.cli.terminal.print_lines import print_lines, print_to_copy
from tuner.errors import TunerError
from tuner.machine import cores as usable_cores
from tuner.spark.spark_submit import require_java
from tuner.words.counts import counted

if TYPE_CHECKING:
    from tuner.demo.airflow import Airflow
    from tuner.demo.workload import Workload

_MARK = ".spark-tuner-demo"
# Between two looks at what a run has finished.
PATIENCE_SECONDS = 0.5


def demo(
    runs: Annotated[int, typer.Option(min=2, max=28, help="How often Airflow runs the job.")] = 4,
    scale_factor: Annotated[float, typer.Option(min=0.01, help="TPC-DS scale factor: gigabytes of raw data.")] = 1.0,
    directory: Annotated[Path, typer.Option(help="Where tables, logs and history go.")] = Path("spark-tuner-demo"),
    as_json: AsJson = False,
) -> None:
    """Make TPC-DS tables, run a nightly PySpark job through Airflow several times, and show what the tuner made of it."""
    require_java()
    with _work_directory(directory) as work:
        _demo(work, runs, scale_factor, as_json=as_json)


def _demo(work: Path, runs: int, scale_factor: float, *, as_json: bool) -> None:
    # These need the demo's extra packages, and Java comes first.
    from tuner.cli.as_text.demo import show
    from tuner.demo import airflow, table, tables, workload
    from tuner.demo.require_measured import require_measured
    from tuner.history.store import Store

    out = console(stderr=as_json)
    started = time.monotonic()
    cores = min(airflow.MAX_CORES, usable_cores())
    tables_directory = work / "tables" / f"sf{scale_factor:g}"
    job = workload.write_workload(work / "job", tables_directory)
    with _progress(out) as progress, airflow.Airflow(work / "airflow", job, cores) as home:
        step = progress.add_task(f"TPC-DS tables, scale factor {scale_factor:g}", total=None)
        tables.make_tables(tables_directory, scale_factor)
        progress.update(step, description="Airflow's database")
        if _answer(home) != "ready":
            raise TunerError(f"Airflow could not make its database; see {home.log}")
        progress.update(step, description="tables and Airflow ready", total=1, completed=1)
        for run in range(1, runs + 1):
            _run(progress, home, job, run, runs)
            with Store.open(home.store_url) as store:
                require_measured(store.runs(airflow.COHORT, run), run, home.log)
    with Store.open(home.store_url) as store:
        found = table.rows(store.runs(airflow.COHORT, runs))
    if len(found) < runs or not all(row.seconds for row in found):
        raise TunerError(f"not every run could be harvested; see {home.log}")
    if as_json:
        typer.echo(msgspec.json.encode({"runs": table.as_json(found)}).decode())
    else:
        out.print()
        show(out, found)
        took = time.monotonic() - started
        rows_agree = f"all {runs} runs returned the rows of run 1; {took:.0f} s in all, on {counted(cores, 'core')}"
        print_lines(out, ["", rows_agree])
        for words, command in (("look at it:", ["ui"]), ("or read it:", ["status", airflow.COHORT])):
            own = own_command([*command, "--db", home.store_url], sys.argv[0], os.environ)
            print_to_copy(out, [f"{words}  {own}"])


def _run(progress: Progress, home: Airflow, job: Workload, run: int, runs: int) -> None:
    from tuner.demo.workload import date_of, different_results, finished_queries

    name = f"run {run} of {runs}"
    bar = progress.add_task(f"{name}: starting", total=len(job.names))
    home.request(date_of(run))
    while (answer := home.answer(PATIENCE_SECONDS)) is None:
        done = finished_queries(job, run)
        waiting = next((n for n in job.names if n not in done), None)
        what = "harvesting" if waiting is None else waiting.split("-", 1)[1].replace("-", " ")
        progress.update(bar, completed=len(done), description=f"{name}: {what}")
    if answer != "success" or len(finished_queries(job, run)) < len(job.names):
        raise TunerError(f"{name} failed ({answer}); see {home.log}")
    if different := different_results(job, run):
        raise TunerError(f"{name} returned other rows than run 1 for {', '.join(different)}; see {job.results}")
    progress.update(bar, completed=len(job.names), description=f"{name}: done")
    progress.stop_task(bar)


def _answer(home: Airflow) -> str:
    while (answer := home.answer(PATIENCE_SECONDS)) is None:
        pass
    return answer


@contextmanager
def _work_directory(directory: Path) -> Iterator[Path]:
    """The demo's directory, with what an earlier demo left in it cleared, except its tables; TunerError where one runs there."""
    work = directory.absolute()
    mark = work / _MARK
    if work.exists() and any(work.iterdir()) and not mark.exists():
        raise TunerError(f"{directory}: not empty, and not made by an earlier demo; give another --directory")
    work.mkdir(parents=True, exist_ok=True)
    with held_file(mark, "another demo"):
        for name in ("job", "airflow"):
            shutil.rmtree(work / name, ignore_errors=True)
        yield work


def _progress(console: Console) -> Progress:
    return Progress(
        SpinnerColumn(finished_text="+"),
        TextColumn("{task.description}"),
        BarColumn(bar_width=20),
        TimeElapsedColumn(),
        refresh_per_second=4,
        console=console,
    )
