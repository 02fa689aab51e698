"""The panel on this machine alone: for the user who started it, whoever else has an account here or a page in his browser."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import parse_qs

from starlette.datastructures import Headers
from starlette.requests import cookie_parser
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Mount, Router
from starlette.types import ASGIApp, Receive, Scope, Send

from tuner.history.store import Store
from tuner.panel.app import create_app
from tuner.panel.guarded_answers import GuardedAnswers
from tuner.panel.models.home import Home
from tuner.person import this_person

# What a browser calls this machine. Another name in the Host header is another site's, made to resolve to here.
HOSTS = frozenset({"localhost", "127.0.0.1", "[::1]"})

_COOKIE = "spark_tuner"

# A page of our own asks for the panel: browsers then send a strict cookie, whatever page or file the user came from.
_ENTERED = (
    '<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="0; url=ui"><link rel="icon" href="data:,">'
    "<title>Spark tuner</title>"
)
UNKNOWN_VISITOR = (
    "open the address that `spark-tuner ui` printed: it has a token, which keeps others on this machine out"
)


@dataclass(frozen=True, slots=True)
class Owner:
    """The user who started the panel; the history is his."""

    name: str

    def readable_dags(self) -> frozenset[str] | None:
        return None

    def may_act_on(self, dag_ids: frozenset[str]) -> bool:
        return True

    def may_read_code_of(self, dag_ids: frozenset[str]) -> bool:
        return True


class Loopback:
    """ASGI middleware: the token in the address once, a cookie from then on, and requests to this machine's names only.

    Browsers send a cookie to all ports of a host, and others may listen on one: it is for paths below `place` alone, which nobody
    guesses.
    """

    def __init__(self, app: ASGIApp, token: str, place: str) -> None:
        self._app = Router([Mount(f"/{place}", app)])
        self._token = token.encode()
        self._home = f"/{place}/"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and (answer := self._refusal_or_entry(scope)) is not None:
            await answer(scope, receive, send)
        elif scope["type"] != "websocket":
            await self._app(scope, receive, send)

    def _refusal_or_entry(self, scope: Scope) -> Response | None:
        headers = Headers(scope=scope)
        if _host(headers.get("host", "")) not in HOSTS:
            return JSONResponse({"detail": "the panel answers to localhost only"}, 403)
        entrance = scope["path"] in (self._home, f"{self._home}ui")
        given = parse_qs(scope["query_string"].decode("latin-1")).get("token", [""])[0]
        if entrance and self._is_token(given):
            return self._entry()
        if not self._is_token(cookie_parser(headers.get("cookie", "")).get(_COOKIE, "")):
            return JSONResponse({"detail": UNKNOWN_VISITOR}, 401)
        return RedirectResponse("ui", 303) if scope["path"] == self._home else None

    def _entry(self) -> Response:
        answer = HTMLResponse(_ENTERED)
        # Without a path it is the browser's own of the entrance, whatever a proxy has in front of that.
        answer.set_cookie(_COOKIE, self._token.decode(), httponly=True, samesite="strict", path=None)
        return answer

    def _is_token(self, given: str) -> bool:
        return secrets.compare_digest(given.encode(errors="replace"), self._token)


def loopback_app(store: Callable[[], Store], token: str, place: str, core_hour_price: float | None = None) -> ASGIApp:
    """The panel below `/place/` for whoever knows the token, as the user of this process."""
    owner = Owner(this_person())

    def viewer() -> Owner:
        return owner

    return GuardedAnswers(Loopback(create_app(store, viewer, Home.STANDALONE, core_hour_price), token, place))


def _host(header: str) -> str:
    """The host of `host:port`, with the brackets of an IPv6 address."""
    host = header.lower()
    return host.partition("]")[0] + "]" if host.startswith("[") else host.partition(":")[0]
