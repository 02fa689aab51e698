"""As much of Livy's REST API as a batch needs; a SparkService runs the batches."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

from tests.airflow_plugin.engines.spark_service import SparkService, lists_joined


@contextmanager
def livy_server(service: SparkService) -> Iterator[str]:
    """The URL of a server."""
    states: list[str] = []

    class Livy(BaseHTTPRequestHandler):
        def log_message(self, *_: Any) -> None: ...

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            conf = lists_joined(body.get("conf", {}), body.get("jars"), body.get("files"))
            if not service.takes(conf):
                return self._answer({"msg": "Blacklisted configuration values in session config"}, 400)
            states.append("success" if service.run(conf) else "dead")
            return self._answer(self._batch(len(states)), 201)

        def do_GET(self) -> None:
            parts = self.path.strip("/").split("/")
            batch = int(parts[1])
            if parts[2:] and parts[2].startswith("log"):
                return self._answer({"id": batch, "from": 0, "total": 0, "log": []})
            return self._answer(self._batch(batch))

        def _batch(self, batch: int) -> dict[str, Any]:
            return {"id": batch, "state": states[batch - 1], "appId": f"app-{batch}"}

        def _answer(self, body: dict[str, Any], status: int = 200) -> None:
            content = json.dumps(body).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Livy)
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
