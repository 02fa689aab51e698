"""The page and its files, as they were shipped: only what is in the folder and of a known kind is served."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from fastapi import APIRouter, HTTPException, Request
from fastapi.responses import Response

from tuner.panel.assets import FOLDER

PAGE = "index.html"

_MEDIA_TYPES = {
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
    ".woff2": "font/woff2",
}


def page_routes(folder: Path = FOLDER, for_page: Sequence[Any] = ()) -> APIRouter:
    """`ui`, with dependencies of its own, and `static/…`. Nothing of a request is written into the page: it reads its
    address itself.
    """
    routes = APIRouter(include_in_schema=False)
    routes.add_api_route("/ui", _page(folder), methods=["GET", "HEAD"], response_class=Response, dependencies=for_page)
    routes.add_api_route("/static/{file:path}", _file(folder), methods=["GET", "HEAD"], response_class=Response)
    return routes


def _page(folder: Path) -> Callable[[], Response]:
    def ui() -> Response:
        try:
            return Response((folder / PAGE).read_bytes(), media_type="text/html; charset=utf-8")
        except OSError as error:
            raise HTTPException(500, "the panel's page is not installed; install airflow-spark-tuner again") from error

    return ui


def _file(folder: Path) -> Callable[[str, Request], Response]:
    def static(file: str, request: Request) -> Response:
        found = _served(folder).get(file)
        if found is None:
            raise HTTPException(404, "the panel has no such file")
        content = found.read_bytes()
        tag = f'"{hashlib.sha256(content).hexdigest()[:32]}"'
        # Asked again each time, and answered without the content: an upgrade is seen at once.
        headers = {"ETag": tag, "Cache-Control": "private, no-cache"}
        if tag in request.headers.get("if-none-match", ""):
            return Response(status_code=304, headers=headers)
        return Response(content, media_type=_MEDIA_TYPES[found.suffix], headers=headers)

    return static


def _served(folder: Path) -> dict[str, Path]:
    """What there is, by its path as an address has it: a name that is not listed leads nowhere."""
    files = (path for path in folder.rglob("*") if path.suffix in _MEDIA_TYPES and path.is_file())
    return {path.relative_to(folder).as_posix(): path for path in files}
