"""The command line's entry point: exit code 0 on success, 2 on bad usage, 1 on failure with one line on stderr."""

from __future__ import annotations

import sys
from typing import Any

import typer
from typer.core import TyperGroup

from tuner import __version__
from tuner.cli.lazy_command import LazyCommand
from tuner.errors import TunerError
from tuner.printable import printable

COMMANDS = (
    LazyCommand(
        "demo",
        "tuner.cli.demo",
        "demo",
        "Make TPC-DS tables, run a nightly PySpark job through Airflow several times, and show what the tuner made of it.",
    ),
    LazyCommand(
        "submit", "tuner.cli.submit", "submit", "Run spark-submit, steered by what earlier runs of the cohort measured."
    ),
    LazyCommand(
        "harvest",
        "tuner.cli.harvest",
        "harvest",
        "Read event logs: applications, queries, joins with measured rows and bytes, stages, problems.",
    ),
    LazyCommand(
        "advise",
        "tuner.cli.advise",
        "advise",
        "Read event logs and print recommendations with evidence and predicted seconds, and insights for a person.",
    ),
    LazyCommand(
        "replay",
        "tuner.cli.replay",
        "replay",
        "Walk the runs of recurring jobs in time order and decide at each as a live run would, knowing only the past.",
    ),
    LazyCommand(
        "import",
        "tuner.cli.import_logs",
        "import_logs",
        "Put the runs of old event logs into the history store: the next run is decided on them as on its own.",
    ),
    LazyCommand(
        "explain",
        "tuner.cli.explain",
        "explain",
        "Show what each query's seconds are made of by the cost model; with --model, the model and how far it is off.",
    ),
    LazyCommand(
        "agent-jar",
        "tuner.cli.agent_jar",
        "agent_jar",
        "Build the jar that steers joins inside Spark, to be deployed where your cluster's drivers can read it.",
    ),
    LazyCommand("status", "tuner.cli.status", "status", "Show what the store knows: runs, what steered them, and why."),
    LazyCommand("approve", "tuner.cli.verdict", "approve", "Let the next run try an action."),
    LazyCommand("reject", "tuner.cli.verdict", "reject", "Never apply an action."),
    LazyCommand("pin", "tuner.cli.verdict", "pin", "Apply an action in every run, whatever is measured."),
    LazyCommand("rollback", "tuner.cli.verdict", "rollback", "Take an action back from the next run on."),
    LazyCommand(
        "mode",
        "tuner.cli.mode",
        "mode",
        "Set how much may be done to a cohort from its next run on: it beats what the job says.",
    ),
    LazyCommand("ui", "tuner.cli.ui", "ui", "Show the panel in a browser, to this machine only; Ctrl+C ends it."),
    LazyCommand(
        "bench",
        "tuner.cli.bench",
        "bench",
        "Compare the tuner with Spark's defaults, Spark's CBO, a raised broadcast threshold and searches on a recurring SQL job.",
    ),
    LazyCommand("db", "tuner.cli.db", "db", "The history store."),
)


class _Commands(TyperGroup):
    def __init__(self, **given: Any) -> None:
        super().__init__(**{**given, "commands": {command.name: command for command in COMMANDS}})


app = typer.Typer(
    name="spark-tuner",
    cls=_Commands,
    help="Makes recurring Spark jobs faster from run to run: reads the event log, steers the next run, says why in numbers.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


def _version(asked: bool) -> None:
    if asked:
        typer.echo(f"spark-tuner {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: bool = typer.Option(
        False, "--version", callback=_version, is_eager=True, help="Print the version and exit."
    ),
) -> None:
    pass


def main() -> None:
    """Run a command. A TunerError becomes one line on stderr; a closed pipe ends quietly."""
    try:
        app()
    except TunerError as error:
        sys.exit(f"spark-tuner: {printable(' '.join(str(error).split()))}")
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(1)
    except KeyboardInterrupt:
        sys.exit(130)
