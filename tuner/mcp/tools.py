"""The tools of one server for one viewer, and the call of one of them."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping
from typing import Any

from fastapi import HTTPException
from mcp.types import CallToolResult, TextContent, ToolAnnotations
from mcp.types import Tool as ListedTool
from pydantic import ValidationError

from tuner.errors import StoreError, TunerError
from tuner.frames import frames_of
from tuner.mcp.bounded_answer import bounded_answer, json_text
from tuner.mcp.tool import Tool
from tuner.panel.guarded_answers import STORE_UNUSABLE
from tuner.panel.models.home import Home
from tuner.printable import printable, visible

_log = logging.getLogger(__name__)

UNKNOWN_TOOL = "there is no tool of this name; tools/list has those that there are"
UNEXPECTED = "this could not be answered; the server's log says why"
_MOST_OF_AN_ERROR = 1000
_MOST_FLAWS = 5


class Tools:
    """`home` says who may know where the store is: in Airflow only the server's log tells that."""

    def __init__(self, tools: Iterable[Tool], home: Home) -> None:
        self._tools = {tool.name: tool for tool in tools}
        self._home = home

    def listed(self) -> list[ListedTool]:
        """The same whatever the store holds."""
        return [_listed(tool) for tool in self._tools.values()]

    def call(self, name: str, arguments: Mapping[str, Any]) -> CallToolResult:
        """The answer, as JSON and as its text; or an error in one sentence. Raises nothing."""
        tool = self._tools.get(name)
        if tool is None:
            return _refusal(UNKNOWN_TOOL)
        try:
            return _answered(bounded_answer(tool.ask(tool.question.model_validate(arguments))))
        except Exception as error:
            return _refusal(f"{name}: {self._why_not(name, error)}")

    def _why_not(self, name: str, error: Exception) -> str:
        match error:
            case ValidationError():
                return _flaws(error)
            case HTTPException():
                return str(error.detail)
            case StoreError():
                _log.warning("%s", printable(str(error)))
                return str(error) if self._home is Home.STANDALONE else STORE_UNUSABLE
            case TunerError():
                return str(error)
        _log.error("the tool %s failed (%s)\n%s", name, type(error).__name__, frames_of(error))
        return UNEXPECTED


def _listed(tool: Tool) -> ListedTool:
    return ListedTool(
        name=tool.name,
        description=tool.description,
        inputSchema=tool.question.model_json_schema(),
        outputSchema=tool.answer.model_json_schema(mode="serialization"),
        annotations=ToolAnnotations(readOnlyHint=True, destructiveHint=False, idempotentHint=True, openWorldHint=False),
    )


def _answered(found: dict[str, Any]) -> CallToolResult:
    return CallToolResult(content=[TextContent(type="text", text=json_text(found))], structuredContent=found)


def _refusal(why: str) -> CallToolResult:
    said = visible(" ".join(why.split()), _MOST_OF_AN_ERROR)
    return CallToolResult(content=[TextContent(type="text", text=said)], isError=True)


def _flaws(error: ValidationError) -> str:
    """By name and rule, without what was sent."""
    found = [f"{'.'.join(map(str, each['loc'])) or 'arguments'}: {each['msg']}" for each in error.errors()]
    more = f"; and {len(found) - _MOST_FLAWS} more" if len(found) > _MOST_FLAWS else ""
    return f"{'; '.join(found[:_MOST_FLAWS])}{more}; the tool's inputSchema has its parameters"
