"""The page and its files, as they were shipped: only what is in the folder and of a known kind is served."""

from __future__ import annotations

import hashlib
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
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


@dataclass(frozen=True, slots=True)
class _Shipped:
    """The page, which asks for files of `version`, a digest of all of them; and the files beside it by their path as an address
    has it: a name that is not listed leads nowhere."""

    page: bytes
    files: Mapping[str, bytes]
    version: str


def page_routes(folder: Path = FOLDER, for_page: Sequence[Any] = ()) -> APIRouter:
    """`ui`, with dependencies of its own, and `static/…`. Nothing of a request is written into the page: it reads its
    address itself.

    The page asks for its files under `static/VERSION/`, where a browser keeps them for good: a page of ninety files is one
    request when it is opened again. Under `static/` itself (icons that Airflow links) they are asked for each time and
    answered without the content. The files are read once in a process, so they always fit the API that serves them.
    """
    routes = APIRouter(include_in_schema=False)
    routes.add_api_route("/ui", _page(folder), methods=["GET", "HEAD"], response_class=Response, dependencies=for_page)
    routes.add_api_route("/static/{file:path}", _file(folder), methods=["GET", "HEAD"], response_class=Response)
    return routes


def _page(folder: Path) -> Callable[[], Awaitable[Response]]:
    async def ui() -> Response:
        try:
            return Response(_shipped(folder).page, media_type="text/html; charset=utf-8")
        except OSError as error:
            raise HTTPException(500, "the panel's page is not installed; install airflow-spark-tuner again") from error

    return ui


def _file(folder: Path) -> Callable[[str, Request], Awaitable[Response]]:
    # No thread for each of ninety answers from memory.
    async def static(file: str, request: Request) -> Response:
        shipped = _shipped(folder)
        name = file.removeprefix(f"{shipped.version}/")
        content = shipped.files.get(name)
        if content is None:
            raise HTTPException(404, "the panel has no such file; load the page again if the panel was upgraded")
        tag = f'"{shipped.version}"'
        kept = "no-cache" if name == file else "max-age=31536000, immutable"
        headers = {"ETag": tag, "Cache-Control": f"private, {kept}"}
        if tag in request.headers.get("if-none-match", ""):
            return Response(status_code=304, headers=headers)
        return Response(content, media_type=_MEDIA_TYPES[Path(name).suffix], headers=headers)

    return static


@cache
def _shipped(folder: Path) -> _Shipped:
    paths = sorted(path for path in folder.rglob("*") if path.suffix in _MEDIA_TYPES and path.is_file())
    files = {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}
    digest = hashlib.sha256()
    for name, content in files.items():
        digest.update(f"{name} {len(content)}\n".encode())
        digest.update(content)
    version = digest.hexdigest()[:16]
    page = (folder / PAGE).read_bytes().replace(b'="static/', f'="static/{version}/'.encode())
    return _Shipped(page, files, version)
