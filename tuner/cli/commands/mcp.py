"""`spark-tuner mcp`: tools for agents, over this process's own streams."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import Annotated, TextIO

import typer

from tuner.cli.options.output import CoreHourPrice
from tuner.cli.options.store import Url, stored_url
from tuner.errors import RequirementError


def mcp(
    logs: Annotated[
        list[str] | None,
        typer.Option(
            "--logs", metavar="DIR", help="Offer the event logs in this folder, too; may be given several times."
        ),
    ] = None,
    url: Url = None,
    core_hour_price: CoreHourPrice = None,
) -> None:
    """Serve an agent's client (MCP, over stdin and stdout) with tools that read the store, and logs; they change nothing."""
    _require_sdk()
    # What measures and reads logs, and the SDK: `--help` does not wait for them.
    from tuner.cli.mcp.log_folders import LogFolders
    from tuner.cli.mcp.mcp_tools import mcp_tools
    from tuner.mcp.stdio import serve

    tools = mcp_tools(stored_url(url), LogFolders.named(logs or ()), core_hour_price)
    if sys.stdin.isatty():
        typer.echo("spark-tuner mcp: waits for an MCP client on stdin; docs/mcp.md says how to configure one", err=True)
    # The SDK reads stdin in a thread that only the end of the process interrupts.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    with _own_stdout() as protocol:
        serve(tools, protocol)


def _require_sdk() -> None:
    missing = [name for name in ("fastapi", "mcp") if find_spec(name) is None]
    if missing:
        raise RequirementError(f"the MCP server needs {' and '.join(missing)}: pip install 'airflow-spark-tuner[mcp]'")


@contextmanager
def _own_stdout() -> Iterator[TextIO]:
    """Stdout for messages alone: whatever else is printed, by any library, goes to stderr."""
    sys.stdout.flush()
    protocol = os.fdopen(os.dup(1), "w", encoding="utf-8", newline="\n")
    os.dup2(2, 1)
    with protocol:
        yield protocol
