"""Tools over HTTP, in the panel's app: every message by itself, for the viewer who sent it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Annotated, Any

from fastapi import APIRouter, Body, Depends, Header, HTTPException, Response
from fastapi.responses import JSONResponse
from mcp.shared.version import SUPPORTED_PROTOCOL_VERSIONS

from tuner.history.store import Store
from tuner.mcp.http_answer import NoMessageError, http_answer
from tuner.mcp.store_tools import StoreTools
from tuner.mcp.tools import Tools
from tuner.panel.access import Access
from tuner.panel.models.home import Home
from tuner.panel.recent_runs import RecentRuns
from tuner.panel.same_origin import from_own_page
from tuner.panel.viewer import Viewer

NO_MESSAGE = "send one message of JSON-RPC 2.0"


def _known_version(mcp_protocol_version: Annotated[str | None, Header()] = None) -> None:
    if mcp_protocol_version is not None and mcp_protocol_version not in SUPPORTED_PROTOCOL_VERSIONS:
        raise HTTPException(400, f"MCP-Protocol-Version: this server speaks {', '.join(SUPPORTED_PROTOCOL_VERSIONS)}")


def http_route(
    store: Callable[[], Store],
    viewer: Callable[..., Viewer | Awaitable[Viewer]],
    home: Home,
    core_hour_price: float | None = None,
    *,
    is_on: bool = True,
) -> APIRouter:
    """POST mcp. `viewer` is a dependency that tells who asks, or raises HTTPException; it must not go by a cookie, which a
    browser sends along for any page. What was asked holds for this message alone: there are no sessions.
    """
    recent, asking = RecentRuns(), Depends(viewer)

    def access_of(who: Viewer = asking) -> Access:
        return Access(store, who, recent, is_on)

    known = Depends(access_of)
    # The viewer first: who is unknown learns no more than that.
    routes = APIRouter(dependencies=[known, Depends(from_own_page), Depends(_known_version)])

    @routes.post("/mcp", include_in_schema=False)
    def message(message: Annotated[Any, Body()], access: Access = known) -> Response:
        try:
            found = http_answer(message, Tools(StoreTools(access, home, core_hour_price), home))
        except NoMessageError:
            raise HTTPException(400, NO_MESSAGE) from None
        return Response(status_code=202) if found is None else JSONResponse(found)

    return routes
