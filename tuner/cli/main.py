"""The command line's entry point: exit code 0 on success, 2 on bad usage, 1 on failure with one line on stderr."""

from __future__ import annotations

import sys

import typer

from tuner import __version__
from tuner.cli.advise import advise
from tuner.cli.agent_jar import agent_jar
from tuner.cli.bench import bench
from tuner.cli.db import db
from tuner.cli.demo import demo
from tuner.cli.explain import explain
from tuner.cli.harvest import harvest
from tuner.cli.import_logs import import_logs
from tuner.cli.mode import mode
from tuner.cli.replay import replay
from tuner.cli.status import status
from tuner.cli.submit import submit
from tuner.cli.ui import ui
from tuner.cli.verdict import approve, pin, reject, rollback
from tuner.errors import TunerError
from tuner.printable import printable

app = typer.Typer(
    name="spark-tuner",
    help="Makes recurring Spark jobs faster from run to run: reads the event log, steers the next run, says why in numbers.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
app.command()(demo)
app.command(context_settings={"allow_extra_args": True, "ignore_unknown_options": False})(submit)
app.command()(harvest)
app.command()(advise)
app.command()(replay)
app.command(name="import")(import_logs)
app.command()(explain)
app.command()(agent_jar)
app.command()(status)
app.command()(approve)
app.command()(reject)
app.command()(pin)
app.command()(rollback)
app.command()(mode)
app.command()(ui)
app.command()(bench)
app.add_typer(db, name="db")


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
