"""The command line's entry point: exit code 0 on success, 2 on bad usage, 1 on failure with one line on stderr."""

from __future__ import annotations

import sys
from typing import Any, NoReturn

import typer
from typer.core import TyperGroup

from tuner import __version__
from tuner.cli.lazy_command import LazyCommand
from tuner.cli.terminal.streams import open_streams
from tuner.errors import TunerError
from tuner.printable import printable

COMMANDS = (
    LazyCommand("demo", "tuner.cli.commands.demo", "demo"),
    LazyCommand("submit", "tuner.cli.commands.submit", "submit"),
    LazyCommand("harvest", "tuner.cli.commands.harvest", "harvest"),
    LazyCommand("advise", "tuner.cli.commands.advise", "advise"),
    LazyCommand("replay", "tuner.cli.commands.replay", "replay"),
    LazyCommand("import", "tuner.cli.commands.import_logs", "import_logs"),
    LazyCommand("explain", "tuner.cli.commands.explain", "explain"),
    LazyCommand("agent-jar", "tuner.cli.commands.agent_jar", "agent_jar"),
    LazyCommand("status", "tuner.cli.commands.status", "status"),
    LazyCommand("savings", "tuner.cli.commands.savings", "savings"),
    LazyCommand("compare", "tuner.cli.commands.compare", "compare"),
    LazyCommand("approve", "tuner.cli.commands.verdict", "approve"),
    LazyCommand("reject", "tuner.cli.commands.verdict", "reject"),
    LazyCommand("pin", "tuner.cli.commands.verdict", "pin"),
    LazyCommand("rollback", "tuner.cli.commands.verdict", "rollback"),
    LazyCommand("regressions", "tuner.cli.commands.regressions", "regressions"),
    LazyCommand("baseline", "tuner.cli.commands.baseline", "baseline"),
    LazyCommand("mode", "tuner.cli.commands.mode", "mode"),
    LazyCommand("objective", "tuner.cli.commands.objective", "objective"),
    LazyCommand("ui", "tuner.cli.commands.ui", "ui"),
    LazyCommand("mcp", "tuner.cli.commands.mcp", "mcp"),
    LazyCommand("bench", "tuner.cli.commands.bench", "bench"),
    LazyCommand("bench-results", "tuner.cli.commands.bench_results", "bench_results"),
    LazyCommand("db", "tuner.cli.commands.db", "db"),
)


class _Commands(TyperGroup):
    def __init__(self, **given: Any) -> None:
        super().__init__(**{**given, "commands": {command.name: command for command in COMMANDS}})

    def format_help(self, *to: Any) -> None:
        for command in COMMANDS:
            command.help = command.first_line()
        super().format_help(*to)


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
    """Run a command. A TunerError becomes one line on stderr, as does what the system refuses; a closed pipe ends quietly."""
    open_streams()
    try:
        app()
    except TunerError as error:
        _end(str(error))
    except OSError as error:
        _end(_refused(error))


def _end(why: str) -> NoReturn:
    sys.exit(f"spark-tuner: {printable(' '.join(why.split()))}")


def _refused(error: OSError) -> str:
    """As in "/full/history.db: No space left on device"."""
    why = error.strerror or str(error) or type(error).__name__
    return why if error.filename is None else f"{error.filename}: {why}"
