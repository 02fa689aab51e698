"""`spark-tuner harvest`: what an event log says."""

from __future__ import annotations

import shutil
import sys
from dataclasses import asdict
from functools import partial
from pathlib import Path
from tempfile import NamedTemporaryFile, TemporaryDirectory
from typing import TYPE_CHECKING

import msgspec
import typer
from rich.text import Text

from tuner.cli.as_json.json_line import JsonLine
from tuner.cli.options.logs import Paths, Processes
from tuner.cli.options.output import AsJson
from tuner.cli.options.spark import Conf, Master, Out, check_spark_options
from tuner.cli.reading.harvest_on_spark import harvest_on_spark
from tuner.cli.reading.logs import LogReader, QueryList, read_into
from tuner.cli.terminal.console import console
from tuner.cli.terminal.print_lines import print_lines
from tuner.cli.terminal.tables import number_column, table, text_cell, text_column
from tuner.eventlog.find import LogSource
from tuner.model.application import Application, Problem
from tuner.model.query import Query, QueryStatus
from tuner.units import format_bytes, format_seconds
from tuner.words.counts import counted
from tuner.words.query_names import QueryNames

if TYPE_CHECKING:
    from tuner.pipeline.harvest import HarvestSummary


def harvest(
    paths: Paths,
    as_json: AsJson = False,
    processes: Processes = None,
    spark: Master = None,
    out: Out = None,
    conf: Conf = None,
) -> None:
    """Read event logs: applications, queries, joins with measured rows and bytes, stages, problems."""
    check_spark_options(spark, out, conf, processes)
    if spark is not None and out is not None:
        done, failures = harvest_on_spark(paths, spark, out, conf or [])
        _tell_tables(done, as_json=as_json)
        if failures:
            raise typer.Exit(1)
        return
    reader = LogReader(processes)
    if as_json:
        with TemporaryDirectory(prefix="spark-tuner-") as directory:
            for _, line in reader.read(paths, partial(_written, directory)):
                with line.open("rb") as file:
                    shutil.copyfileobj(file, sys.stdout.buffer)
                line.unlink()
                sys.stdout.buffer.flush()
    else:
        for application, found in reader.read(paths, partial(read_into, QueryList)):
            _show(application, found)
    if reader.failures:
        raise typer.Exit(1)


def _tell_tables(done: HarvestSummary, *, as_json: bool) -> None:
    if as_json:
        typer.echo(msgspec.json.encode(asdict(done)).decode())
        return
    statuses = ", ".join(f"{count} {status}" for status, count in sorted(done.statuses.items())) or "none"
    read = f"{done.read} logs read ({format_bytes(done.size_bytes)}): {statuses}; {done.unchanged} unchanged"
    print_lines(console(), [read, *(f"  {table}: {rows} rows" for table, rows in done.rows.items())])


def _written(directory: str, source: LogSource) -> tuple[Application, Path]:
    """An application, and the file that its line of JSON is in: it may be longer than memory, and another process writes it."""
    application, line = read_into(JsonLine, source)
    with NamedTemporaryFile(dir=directory, delete=False) as file:
        file.writelines(line.chunks(application))
    return application, Path(file.name)


def _show(application: Application, work: QueryList) -> None:
    out = console()
    found = work.in_order()
    print_lines(out, [_headline(application, len(found), work.stages)])
    if found:
        numbers = map(number_column, ("query", "seconds", "joins", "broadcast", "files", "spilled"))
        queries = table(*numbers, text_column("name"))
        names = QueryNames()
        for query in found:
            queries.add_row(*_row(query, names.add(query)))
        out.print(queries)
    print_lines(out, map(_problem_line, application.problems))
    out.print()


def _problem_line(problem: Problem) -> str:
    where = f"{problem.file}:{problem.line}" if problem.line else problem.file
    return f"  {problem.code}: {where}: {problem.message}"


def _headline(application: Application, queries: int, stages: int) -> str:
    executors = application.executors
    start, end = application.start_ms, application.end_ms
    took = f", {format_seconds((end - start) / 1e3)}" if start is not None and end is not None and end >= start else ""
    return (
        f"{application.app_name or '(no name)'} ({application.app_id or 'no id'}), Spark {application.spark_version or '?'}, "
        f"{application.status}{took}: {counted(queries, 'query')}, {counted(stages, 'stage')}, "
        f"{counted(executors.count, 'executor')}"
        + (f" of {counted(executors.cores, 'core')}" if executors.count else "")
    )


def _row(query: Query, name: str) -> list[str | Text]:
    ended = "" if query.status is QueryStatus.SUCCEEDED else f"{query.status.value}: "
    broadcast = sum(join.strategy.value.startswith("Broadcast") for join in query.joins)
    return [
        str(query.id),
        "-" if query.duration_ms is None else f"{query.duration_ms / 1e3:.1f}",
        str(len(query.joins)),
        str(broadcast) if broadcast else "-",
        format_bytes(query.input_bytes),
        format_bytes(query.spilled_bytes) if query.spilled_bytes else "-",
        text_cell(f"{ended}{name}"),
    ]
