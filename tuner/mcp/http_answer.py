"""The answer to one message of the protocol that came by itself: nothing is kept between messages."""

from __future__ import annotations

from typing import Any

import mcp.types as protocol
from mcp.shared.version import SUPPORTED_PROTOCOL_VERSIONS
from pydantic import BaseModel, ValidationError

from tuner import __version__
from tuner.mcp.instructions import INSTRUCTIONS
from tuner.mcp.stdio import SERVER_NAME
from tuner.mcp.tools import Tools

_METHODS = frozenset({"initialize", "ping", "tools/list", "tools/call"})
_Asked = protocol.InitializeRequest | protocol.PingRequest | protocol.ListToolsRequest | protocol.CallToolRequest


class NoMessageError(Exception):
    """What came is no message of JSON-RPC, or several."""


def http_answer(message: object, tools: Tools) -> dict[str, Any] | None:
    """A response of JSON-RPC; None for what asks for none. Raises NoMessageError."""
    try:
        sent = protocol.JSONRPCMessage.model_validate(message).root
    except ValidationError as error:
        raise NoMessageError from error
    if not isinstance(sent, protocol.JSONRPCRequest):
        return None
    asked = _asked(sent)
    if isinstance(asked, protocol.ErrorData):
        return _plain(protocol.JSONRPCError(jsonrpc="2.0", id=sent.id, error=asked))
    return _plain(protocol.JSONRPCResponse(jsonrpc="2.0", id=sent.id, result=_plain(_result(asked, tools))))


def _asked(sent: protocol.JSONRPCRequest) -> _Asked | protocol.ErrorData:
    if sent.method not in _METHODS:
        return protocol.ErrorData(code=protocol.METHOD_NOT_FOUND, message="this server has no such method")
    try:
        asked = protocol.ClientRequest.model_validate({"method": sent.method, "params": sent.params or {}}).root
    except ValidationError:
        asked = None
    if not isinstance(asked, _Asked):
        return protocol.ErrorData(code=protocol.INVALID_PARAMS, message="these are no parameters of this method")
    return asked


def _result(asked: _Asked, tools: Tools) -> BaseModel:
    match asked:
        case protocol.InitializeRequest():
            return _introduction(asked.params.protocolVersion)
        case protocol.ListToolsRequest():
            return protocol.ListToolsResult(tools=tools.listed())
        case protocol.CallToolRequest():
            return tools.call(asked.params.name, asked.params.arguments or {})
        case protocol.PingRequest():
            return protocol.EmptyResult()


def _introduction(version: str | int) -> protocol.InitializeResult:
    return protocol.InitializeResult(
        protocolVersion=version if version in SUPPORTED_PROTOCOL_VERSIONS else protocol.LATEST_PROTOCOL_VERSION,
        capabilities=protocol.ServerCapabilities(tools=protocol.ToolsCapability(listChanged=False)),
        serverInfo=protocol.Implementation(name=SERVER_NAME, version=__version__),
        instructions=INSTRUCTIONS,
    )


def _plain(message: BaseModel) -> dict[str, Any]:
    return message.model_dump(by_alias=True, mode="json", exclude_none=True)
