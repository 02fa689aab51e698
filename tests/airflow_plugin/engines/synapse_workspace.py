"""As much of a Synapse workspace's REST API as a Spark batch needs; a SparkService runs the batches.

A file system in memory stands in for its storage account.
"""

from __future__ import annotations

import io
import json
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any, ClassVar

import fsspec

from tests.airflow_plugin.engines.spark_service import SparkService

BASE = "abfss://logs@account.dfs.core.windows.net"
# What spark-submit is started with for each field of a request.
FIELDS = {
    "driverMemory": "spark.driver.memory",
    "driverCores": "spark.driver.cores",
    "executorMemory": "spark.executor.memory",
    "executorCores": "spark.executor.cores",
    "numExecutors": "spark.executor.instances",
}


class Abfss(fsspec.AbstractFileSystem):  # type: ignore[misc]
    """Files by their names, `container/path`; `opened_with` holds the options that it was opened with, each time."""

    protocol = ("abfss",)
    cachable = False
    files: ClassVar[dict[str, bytes]] = {}
    opened_with: ClassVar[list[dict[str, Any]]] = []

    def __init__(self, **options: Any) -> None:
        super().__init__()
        self.opened_with.append(options)

    @classmethod
    def _strip_protocol(cls, path: str) -> str:
        container, _, below = path.removeprefix("abfss://").partition("/")
        return f"{container.partition('@')[0]}/{below}".rstrip("/")

    def ls(self, path: str, detail: bool = True, **_: Any) -> list[Any]:
        root = self._strip_protocol(path) + "/"
        below = {name.removeprefix(root): content for name, content in self.files.items() if name.startswith(root)}
        found = {
            root + name.partition("/")[0]: {"type": "directory" if "/" in name else "file", "size": len(content)}
            for name, content in below.items()
        }
        if not found:
            raise FileNotFoundError(path)
        return [{"name": name, **about} for name, about in found.items()] if detail else list(found)

    def _open(self, path: str, mode: str = "rb", **_: Any) -> io.BytesIO:
        if mode == "rb":
            return io.BytesIO(self.files[path])
        files = self.files

        class Written(io.BytesIO):
            def close(self) -> None:
                if not self.closed:
                    files[path] = self.getvalue()
                super().close()

        return Written()


@dataclass
class Workspace:
    """`received` holds the requests as they arrived; `status` is what is answered to them, 200 for one that is taken."""

    service: SparkService
    url: str = ""
    received: list[dict[str, Any]] = field(default_factory=list)
    status: int = 200
    states: list[str] = field(default_factory=list)

    def submit(self, request: dict[str, Any]) -> int:
        conf = {**request.get("conf", {})}
        conf |= {name: str(request[field]) for field, name in FIELDS.items() if field in request}
        conf |= {f"spark.{name}": ",".join(request[name]) for name in ("jars", "files") if name in request}
        self.received.append(request)
        if self.status != 200 or not self.service.takes(conf):
            return self.status if self.status != 200 else 400
        self.states.append("success" if self._run(conf) else "dead")
        return 200

    def _run(self, conf: dict[str, str]) -> bool:
        directory = conf.get("spark.eventLog.dir", "")
        if not directory.startswith("abfss"):
            return self.service.run(conf)
        with tempfile.TemporaryDirectory() as here:
            succeeded = self.service.run({**conf, "spark.eventLog.dir": here})
            self.service.submitted[-1] = dict(conf)
            for file in Path(here).iterdir():
                Abfss().pipe_file(f"{directory}/{file.name}", file.read_bytes())
        return succeeded


@contextmanager
def synapse_workspace(service: SparkService, monkeypatch: Any) -> Iterator[Workspace]:
    """A workspace to which AzureSynapseHook's client goes."""
    from airflow.providers.microsoft.azure.hooks.synapse import AzureSynapseHook
    from azure.core.pipeline.policies import SansIOHTTPPolicy
    from azure.synapse.spark import SparkClient

    workspace = Workspace(service)
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(workspace))
    Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
    workspace.url = f"http://127.0.0.1:{server.server_port}"

    def client(credential: Any, host: str, spark_pool: str, version: str, _: str) -> Any:
        # Its own way to authenticate takes no plain HTTP.
        return SparkClient(
            credential, workspace.url, spark_pool, version, authentication_policy=SansIOHTTPPolicy(), retry_total=0
        )

    monkeypatch.setattr(AzureSynapseHook, "_create_client", staticmethod(client))
    known = fsspec.registry.get("abfss")
    fsspec.register_implementation("abfss", Abfss, clobber=True)
    try:
        yield workspace
    finally:
        Abfss.files.clear()
        Abfss.opened_with.clear()
        if known is not None:
            fsspec.register_implementation("abfss", known, clobber=True)
        server.shutdown()
        server.server_close()


def _handler(workspace: Workspace) -> type[BaseHTTPRequestHandler]:
    class Batches(BaseHTTPRequestHandler):
        def log_message(self, *_: Any) -> None: ...

        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            status = workspace.submit(request)
            number = len(workspace.states)
            self._answer({"id": number, "state": "starting"} if status == 200 else {"error": {"code": "no"}}, status)

        def do_GET(self) -> None:
            number = int(self.path.partition("?")[0].rpartition("/")[2])
            self._answer({"id": number, "state": workspace.states[number - 1]})

        def do_DELETE(self) -> None:
            self._answer({})

        def _answer(self, body: dict[str, Any], status: int = 200) -> None:
            content = json.dumps(body).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

    return Batches
