"""Tools over a process's own streams: for the program that started it, as the user who runs it."""

from __future__ import annotations

from typing import TextIO

import anyio
import mcp.types as protocol
from anyio import to_thread
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

from tuner import __version__
from tuner.mcp.instructions import INSTRUCTIONS
from tuner.mcp.tools import Tools

SERVER_NAME = "spark-tuner"

# Calls that are answered at once; others wait.
_AT_ONCE = 4


def serve(tools: Tools, stdout: TextIO) -> None:
    """Answers what comes on stdin until it ends. `stdout` holds messages of the protocol alone."""
    anyio.run(_serve, tools, stdout)


async def _serve(tools: Tools, stdout: TextIO) -> None:
    server = _server(tools)
    async with stdio_server(stdout=anyio.wrap_file(stdout)) as (reading, writing):
        await server.run(reading, writing, server.create_initialization_options())


def _server(tools: Tools) -> Server[object, object]:
    server: Server[object, object] = Server(SERVER_NAME, __version__, INSTRUCTIONS)
    slots = anyio.CapacityLimiter(_AT_ONCE)

    async def listed(_asked: protocol.ListToolsRequest) -> protocol.ServerResult:
        return protocol.ServerResult(protocol.ListToolsResult(tools=tools.listed()))

    async def called(asked: protocol.CallToolRequest) -> protocol.ServerResult:
        name, arguments = asked.params.name, asked.params.arguments or {}
        found = await to_thread.run_sync(tools.call, name, arguments, abandon_on_cancel=True, limiter=slots)
        return protocol.ServerResult(found)

    server.request_handlers[protocol.ListToolsRequest] = listed
    server.request_handlers[protocol.CallToolRequest] = called
    return server
