"""A small server of the panel's page, and of a world's answers: a browser asks it as it asks the real one, at its own speed."""

from __future__ import annotations

import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import tuner.panel
from tests.panel.browser.canned import World
from tuner.panel.guarded_answers import HEADERS

STATIC = Path(tuner.panel.__file__).parent / "static"
KINDS = {".js": "text/javascript", ".css": "text/css", ".html": "text/html; charset=utf-8"}
# Airflow's own, as of 3.1.
SANDBOX = "allow-scripts allow-same-origin allow-forms"


class WorldServer:
    """Answers at `origin`; what `failing` names by its path fails with that status and detail."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.failing: dict[str, tuple[int, str]] = {}
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        # Browsers allow this name what they allow to https: the clipboard.
        self.origin = f"http://localhost:{self._http.server_port}"
        Thread(target=self._http.serve_forever, args=(0.02,), daemon=True).start()

    def close(self) -> None:
        self._http.shutdown()
        self._http.server_close()

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def do_GET(self) -> None:
                asked = urlsplit(self.path)
                self._send(*server._page(asked.path.removeprefix("/"), asked.query))

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])) or "{}")
                path = urlsplit(self.path).path.removeprefix("/api/")
                self._send(*(server._failure(path) or server._json(server.world.accept(path, body))))

            def _send(self, status: int, kind: str, body: bytes) -> None:
                self.send_response(status)
                # Airflow's own page around the panel's frame is not the panel's.
                headers = {} if urlsplit(self.path).path == "/airflow" else HEADERS
                for name, value in (headers | {"Content-Type": kind, "Content-Length": str(len(body))}).items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, format: str, *args: object) -> None:
                """Says nothing."""

        return Handler

    def _page(self, path: str, query: str) -> tuple[int, str, bytes]:
        if path == "airflow":
            frame = (
                f'<!doctype html><html class="dark"><iframe sandbox="{SANDBOX}" src="ui?{query}" width=900 height=700>'
            )
            return 200, KINDS[".html"], frame.encode()
        if path.startswith("api/"):
            path = path.removeprefix("api/")
            return self._failure(path) or self._json(self.world.answer(path, dict(parse_qsl(query))))
        file = STATIC / ("index.html" if path == "ui" else path.removeprefix("static/"))
        if not file.is_file():
            return 404, KINDS[".html"], path.encode()
        return 200, KINDS[file.suffix], file.read_bytes()

    def _failure(self, path: str) -> tuple[int, str, bytes] | None:
        if path not in self.failing:
            return None
        status, detail = self.failing[path]
        return status, "application/json", json.dumps({"detail": detail}).encode()

    @staticmethod
    def _json(found: Any) -> tuple[int, str, bytes]:
        if found is None:
            return 404, "application/json", b'{"detail": "the world has no such answer"}'
        return 200, "application/json", found.model_dump_json().encode()
