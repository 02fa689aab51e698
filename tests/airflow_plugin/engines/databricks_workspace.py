"""A workspace of Databricks on this machine: as much of its REST API as runs and jobs need, and of DBFS.

A SparkService runs what is sent, a cluster at a time; what its Spark logged is delivered when the test says so.
"""

from __future__ import annotations

import base64
import gzip
import ipaddress
import json
import ssl
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import pairwise
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from tests.airflow_plugin.engines.spark_service import SparkService

TOKEN = "dapi-hunter2"
# After which lines the log of a cluster is rolled over. Its first piece tells what the application was submitted with.
ROLLED_AT = (4, 5)


class RefusedError(Exception):
    """What a request is answered with that is none: a status and Databricks' code for it."""


@dataclass
class Workspace:
    """`requests` are the bodies of what was submitted, created or reset, `files` is DBFS, `upload` takes what goes elsewhere."""

    service: SparkService
    files: Path
    upload: Callable[[str, bytes], None] = lambda *_: None
    instance: str = ""
    requests: list[dict[str, Any]] = field(default_factory=list)
    # Answers 429 or another status to whoever submits.
    unavailable: tuple[int, str] | None = None
    running: bool = False
    # Whether a task of theirs without a cluster fails.
    others_fail: bool = False
    # What its cluster policies say, by their ids.
    policies: dict[str, dict[str, Any]] = field(default_factory=dict)
    # Whether Spark says that the application ended before its cluster is taken down.
    tells_end: bool = False
    edit: Callable[[list[dict[str, Any]]], list[dict[str, Any]]] = lambda events: events
    cancelled: list[int] = field(default_factory=list)
    _runs: dict[int, dict[str, Any]] = field(default_factory=dict)
    _tokens: dict[str, int] = field(default_factory=dict)
    _jobs: dict[int, dict[str, Any]] = field(default_factory=dict)
    _logged: list[tuple[Mapping[str, Any], bytes]] = field(default_factory=list)
    _clusters: int = 0

    def submit(self, body: dict[str, Any]) -> dict[str, Any]:
        token = body.get("idempotency_token")
        if token in self._tokens:
            return {"run_id": self._tokens[token]}
        self._take(body)
        run_id = self._start(body)
        if token:
            self._tokens[token] = run_id
        return {"run_id": run_id}

    def create(self, body: dict[str, Any]) -> dict[str, Any]:
        self._take(body)
        self._jobs[len(self._jobs) + 1] = body
        return {"job_id": len(self._jobs)}

    def reset(self, body: dict[str, Any]) -> dict[str, Any]:
        self._take(body["new_settings"])
        self._jobs[body["job_id"]] = body["new_settings"]
        return {}

    def run_now(self, body: dict[str, Any]) -> dict[str, Any]:
        self.requests.append(body)
        return {"run_id": self._start(self._jobs[int(body["job_id"])])}

    def list_jobs(self, body: Mapping[str, Any]) -> dict[str, Any]:
        named = [(id_, job) for id_, job in self._jobs.items() if job["name"] == body.get("name")]
        return {"jobs": [{"job_id": id_, "settings": job} for id_, job in named], "has_more": False}

    def get(self, body: Mapping[str, Any]) -> dict[str, Any]:
        run = self._runs[int(body["run_id"])]
        ended = {"life_cycle_state": "TERMINATED", "result_state": run["result"], "state_message": ""}
        state = {"life_cycle_state": "RUNNING", "state_message": ""} if self.running else ended
        return {"state": state, **run, "tasks": [{**task, "state": state} for task in run["tasks"]]}

    def cancel(self, body: Mapping[str, Any]) -> dict[str, Any]:
        self.cancelled.append(int(body["run_id"]))
        return {}

    def policy(self, body: Mapping[str, Any]) -> dict[str, Any]:
        if body["policy_id"] not in self.policies:
            raise RefusedError(404, "RESOURCE_DOES_NOT_EXIST")
        return {"policy_id": body["policy_id"], "definition": json.dumps(self.policies[body["policy_id"]])}

    def deliver(self) -> None:
        """What was logged so far gets to where it is to be read."""
        for place, text in self._logged:
            self._lay_out(place, text)
        self._logged.clear()

    def _take(self, body: dict[str, Any]) -> None:
        self.requests.append(body)
        if self.unavailable:
            raise RefusedError(*self.unavailable)
        for cluster in _clusters(body):
            _check(cluster, self.policies.get(cluster.get("policy_id", ""), {}))
            if not self.service.takes(cluster.get("spark_conf", {})):
                raise RefusedError(400, "INVALID_PARAMETER_VALUE")

    def _start(self, body: dict[str, Any]) -> int:
        ended = [self._run(cluster) for cluster in _clusters(body)]
        run_id = len(self._runs) + 1
        tasks = [
            {"task_key": task.get("task_key", body.get("run_name")), "run_id": run_id, "start_time": run_id}
            for task in body.get("tasks") or [body]
        ]
        result = "SUCCESS" if all(ended) and not self.others_fail else "FAILED"
        self._runs[run_id] = {
            "run_id": run_id,
            "job_id": 7,
            "run_page_url": f"https://{self.instance}/run/{run_id}",
            "result": result,
            "tasks": tasks,
        }
        return run_id

    def _run(self, cluster: Mapping[str, Any]) -> bool:
        conf = {**self._set_by_policy(cluster, "spark_conf."), **cluster.get("spark_conf", {})}
        log_conf = cluster.get("cluster_log_conf")
        if path := self._set_by_policy(cluster, "cluster_log_conf.").get("path"):
            log_conf = log_conf or {"dbfs": {"destination": path}}
        with tempfile.TemporaryDirectory() as here:
            ended = self.service.run({**conf, "spark.eventLog.dir": here})
            self.service.submitted[-1] = dict(conf)
            for log in Path(here).iterdir():
                self._logged.append((log_conf or {}, self._as_databricks(log.read_text())))
        return ended

    def _set_by_policy(self, cluster: Mapping[str, Any], below: str) -> dict[str, str]:
        rules = self.policies.get(cluster.get("policy_id", ""), {})
        set_ = {path: rule.get("value", rule.get("defaultValue")) for path, rule in rules.items()}
        return {path.removeprefix(below): value for path, value in set_.items() if value and path.startswith(below)}

    def _as_databricks(self, text: str) -> bytes:
        events = [json.loads(line) for line in text.splitlines()]
        events[0] = {"Event": "DBCEventLoggingListenerMetadata", **events[0], "Rollover Number": 0} | {
            "Event": "DBCEventLoggingListenerMetadata"
        }
        if not self.tells_end:
            events = [event for event in events if event["Event"] != "SparkListenerApplicationEnd"]
        for event in events:
            event.get("Spark Properties", {}).pop("spark.eventLog.dir", None)
        return "".join(json.dumps(event) + "\n" for event in self.edit(events)).encode()

    def _lay_out(self, place: Mapping[str, Any], text: bytes) -> None:
        if not place:
            return
        ((kind, where),) = place.items()
        self._clusters += 1
        cluster = f"{datetime.now(UTC):%m%d-%H%M%S}-{self._clusters:08x}"
        lines = text.splitlines(keepends=True)
        *rolled, last = [b"".join(lines[i:j]) for i, j in pairwise((0, *ROLLED_AT, len(lines)))]
        logs = {f"eventlog-2026-11-24--0{n}-00.gz": gzip.compress(piece) for n, piece in enumerate(rolled)}
        below = f"{cluster}/eventlog/{cluster}_10_0_0_1/4911756012346"
        files = {f"{below}/{name}": content for name, content in (logs | {"eventlog": last}).items()}
        files[f"{cluster}/driver/log4j-active.log"] = b"26/11/24 07:00:00 INFO DriverDaemon: started\n" * 3
        for name, content in files.items():
            if kind == "dbfs":
                file = self.path(f"{where['destination']}/{name}")
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_bytes(content)
            else:
                self.upload(f"{where['destination']}/{name}", content)

    # --- DBFS ---

    def path(self, url: str) -> Path:
        return self.files / urlsplit(url).path.lstrip("/")

    def dbfs_list(self, body: Mapping[str, Any]) -> dict[str, Any]:
        path = self.path(body["path"])
        if not path.exists():
            raise RefusedError(404, "RESOURCE_DOES_NOT_EXIST")
        entries = sorted(path.iterdir()) if path.is_dir() else [path]
        return {
            "files": [
                {
                    "path": f"/{entry.relative_to(self.files)}",
                    "is_dir": entry.is_dir(),
                    "file_size": 0 if entry.is_dir() else entry.stat().st_size,
                }
                for entry in entries
            ]
        }

    def dbfs_mkdirs(self, body: Mapping[str, Any]) -> dict[str, Any]:
        self.path(body["path"]).mkdir(parents=True, exist_ok=True)
        return {}

    def dbfs_create(self, body: Mapping[str, Any]) -> dict[str, Any]:
        self.path(body["path"]).write_bytes(b"")
        return {"handle": 1}

    def dbfs_close(self, body: Mapping[str, Any]) -> dict[str, Any]:
        return {}

    def dbfs_read(self, body: Mapping[str, Any]) -> dict[str, Any]:
        with self.path(body["path"]).open("rb") as file:
            file.seek(body["offset"])
            data = file.read(body["length"])
        return {"bytes_read": len(data), "data": base64.b64encode(data).decode()}

    @property
    def routes(self) -> dict[str, Callable[..., dict[str, Any]]]:
        return {
            "/api/2.2/jobs/runs/submit": self.submit,
            "/api/2.2/jobs/runs/get": self.get,
            "/api/2.2/jobs/runs/cancel": self.cancel,
            "/api/2.2/jobs/runs/get-output": lambda _: {"error": "boom"},
            "/api/2.2/jobs/create": self.create,
            "/api/2.2/jobs/reset": self.reset,
            "/api/2.2/jobs/run-now": self.run_now,
            "/api/2.2/jobs/list": self.list_jobs,
            "/api/2.0/policies/clusters/get": self.policy,
            "/api/2.0/dbfs/list": self.dbfs_list,
            "/api/2.0/dbfs/mkdirs": self.dbfs_mkdirs,
            "/api/2.0/dbfs/create": self.dbfs_create,
            "/api/2.0/dbfs/close": self.dbfs_close,
            "/api/2.0/dbfs/read": self.dbfs_read,
        }


@contextmanager
def served(workspace: Workspace, directory: Path) -> Iterator[Path]:
    """The workspace under https, at its `instance`; the certificate to trust it by."""

    class Api(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True
        # Head and body in one packet: their reader acknowledges the first of two late.
        wbufsize = -1

        def log_message(self, *_: Any) -> None: ...

        def do_POST(self) -> None:
            self._answer()

        def do_GET(self) -> None:
            self._answer()

        def _answer(self) -> None:
            url = urlsplit(self.path)
            text = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            body = json.loads(text) if text else dict(parse_qsl(url.query))
            status, answer = 200, dict[str, Any]()
            try:
                if self.headers["Authorization"] != f"Bearer {TOKEN}":
                    raise RefusedError(403, "PERMISSION_DENIED")
                answer = workspace.routes[url.path](body)
            except RefusedError as error:
                status, answer = error.args[0], {"error_code": error.args[1], "message": error.args[1]}
            content = json.dumps(answer).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

    certificate = _certificate(directory)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    server = ThreadingHTTPServer(("127.0.0.1", 0), Api)
    server.daemon_threads = True
    server.block_on_close = False
    server.socket = context.wrap_socket(server.socket, server_side=True)
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    workspace.instance = f"127.0.0.1:{server.server_port}"
    try:
        yield certificate
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _clusters(body: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The clusters that a run makes."""
    tasks = body.get("tasks") or [body]
    shared = {task.get("job_cluster_key") for task in tasks}
    found = [task["new_cluster"] for task in tasks if "new_cluster" in task]
    named = body.get("job_clusters") or []
    return found + [cluster["new_cluster"] for cluster in named if cluster["job_cluster_key"] in shared]


def _check(cluster: Mapping[str, Any], policy: Mapping[str, Any]) -> None:
    """What Databricks does not take of a cluster."""
    conf, log = cluster.get("spark_conf", {}), cluster.get("cluster_log_conf")
    given = {f"spark_conf.{name}": value for name, value in conf.items()}
    given.update(("cluster_log_conf.path", place.get("destination")) for place in (log or {}).values())
    for path, rule in policy.items():
        if path in given and (rule["type"] == "forbidden" or rule.get("value", given[path]) != given[path]):
            raise RefusedError(400, "INVALID_PARAMETER_VALUE")
    names_one = log is None or (len(log) == 1 and set(log) <= {"dbfs", "s3", "volumes"})
    if not names_one or not all(isinstance(value, (str, bool, int)) for value in conf.values()):
        raise RefusedError(400, "INVALID_PARAMETER_VALUE")
    for kind, place in (log or {}).items():
        if not place.get("destination", "").startswith({"dbfs": "dbfs:/", "s3": "s3://", "volumes": "/Volumes/"}[kind]):
            raise RefusedError(400, "INVALID_PARAMETER_VALUE")
        if kind == "s3" and not (place.get("region") or place.get("endpoint")):
            raise RefusedError(400, "INVALID_PARAMETER_VALUE")


def _certificate(directory: Path) -> Path:
    """A file of a key and of the certificate that it signed, for this machine."""
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "workspace")])
    here = x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))])
    now = datetime.now(UTC)
    builder = x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key())
    builder = (
        builder.serial_number(1).not_valid_before(now - timedelta(days=1)).not_valid_after(now + timedelta(days=1))
    )
    signed = builder.add_extension(here, critical=False).sign(key, hashes.SHA256())
    pem = serialization.Encoding.PEM
    private = key.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    file = directory / "workspace.pem"
    file.write_bytes(private + signed.public_bytes(pem))
    return file
