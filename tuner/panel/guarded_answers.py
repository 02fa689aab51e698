"""What every answer of the panel carries and never carries: headers against injection and framing, no inner details."""

from __future__ import annotations

import logging
from collections.abc import Sequence

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tuner.errors import StoreError
from tuner.frames import frames_of
from tuner.panel.assets import PLOT_STYLE
from tuner.panel.models.home import Home
from tuner.printable import printable

_log = logging.getLogger(__name__)

# Nothing but the panel's own files: what a log holds cannot run whatever the page does with it.
CONTENT_SECURITY_POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        f"style-src 'self' {PLOT_STYLE}",
        "img-src 'self' data:",
        "font-src 'self'",
        "connect-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'self'",
    )
)
HEADERS = {
    "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
STORE_UNUSABLE = "the history store cannot be used right now; the API server's log says why"
UNEXPECTED = "the panel could not answer this; the log of the server that serves it says why"

_MOST_OF_A_KEY = 60
_MOST_OF_A_PATH = 200


class GuardedAnswers:
    """ASGI middleware: adds HEADERS where an answer does not set them, and answers 500 for what nobody expected."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        begun = False

        async def guarded(message: Message) -> None:
            nonlocal begun
            if message["type"] == "http.response.start":
                begun = True
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        try:
            await self._app(scope, receive, guarded)
        except Exception as error:
            path = printable(scope["path"], _MOST_OF_A_PATH)
            _log.error(
                "the panel failed on %s %s (%s)\n%s", scope["method"], path, type(error).__name__, frames_of(error)
            )
            if begun:
                raise
            await JSONResponse({"detail": UNEXPECTED}, 500)(scope, receive, guarded)


def add_error_answers(app: FastAPI, home: Home) -> None:
    """Errors as {"detail": one sentence}: 503 where the store cannot be used, 422 for requests that make no sense.

    In Airflow the log alone says which host and database the store is: not all who may look are to know.
    """

    def store_unusable(_request: Request, error: Exception) -> JSONResponse:
        said = " ".join(str(error).split())
        _log.warning("%s", said)
        return JSONResponse({"detail": said if home is Home.STANDALONE else STORE_UNUSABLE}, 503)

    app.add_exception_handler(StoreError, store_unusable)
    app.add_exception_handler(RequestValidationError, _makes_no_sense)


def _makes_no_sense(_request: Request, error: Exception) -> JSONResponse:
    """By name and rule, without what was sent."""
    found = error.errors() if isinstance(error, RequestValidationError) else ()
    said = [f"{_place(each['loc'])}: {each['msg']}" for each in found[:5]]
    return JSONResponse({"detail": "; ".join(said) or "the request makes no sense"}, 422)


def _place(location: Sequence[object]) -> str:
    """Of keys that were sent no more than tells them apart."""
    return ".".join(printable(str(part), _MOST_OF_A_KEY) for part in location[1:]) or str(location[0])
