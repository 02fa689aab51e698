"""Times of logs in a name node's HTTP API, which tells milliseconds where other file systems tell seconds."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest

pytest.importorskip("requests", reason="requests is not installed: pip install airflow-spark-tuner[hdfs]")

from fsspec.implementations.webhdfs import WebHDFS
from requests import Response

from tuner.eventlog.find import find_logs
from tuner.eventlog.location import log_path
from tuner.eventlog.log_watch import QUIET_SECONDS, goes_on
from tuner.eventlog.recent_logs import recent_logs

LOGS = "webhdfs://nn:9870/logs"
WRITTEN = 1_700_000_000.0
# As a name node tells of files: LISTSTATUS, GETFILESTATUS.
FILE = {"length": 7, "type": "FILE", "accessTime": 1_700_000_005_000, "modificationTime": 1_700_000_000_000}
FILES = ("application_1_1", "application_1_2.inprogress")


def told(path: str | None) -> Mapping[str, Any] | None:
    if path == "/logs":
        return {"FileStatus": {"length": 0, "type": "DIRECTORY", "modificationTime": 1}}
    name = str(path).removeprefix("/logs/")
    return {"FileStatus": {"pathSuffix": "", **FILE}} if name in FILES else None


@pytest.fixture(autouse=True)
def name_node(monkeypatch: pytest.MonkeyPatch) -> None:
    def call(_: WebHDFS, op: str, path: str | None = None, **_more: Any) -> Response:
        path = str(WebHDFS._strip_protocol(path)).rstrip("/")
        listed = {"FileStatuses": {"FileStatus": [{"pathSuffix": name, **FILE} for name in FILES]}}
        found = listed if op == "LISTSTATUS" and path == "/logs" else told(path)
        if found is None:
            raise FileNotFoundError(path)
        answer = Response()
        answer._content = json.dumps(found).encode()
        return answer

    monkeypatch.setattr(WebHDFS, "_call", call)


def test_what_was_written_before_is_no_recent_log() -> None:
    assert [log.name for log in recent_logs(log_path(LOGS), WRITTEN - 1)] == [*reversed(FILES)]
    assert recent_logs(log_path(LOGS), WRITTEN + 1) == []


def test_a_log_without_an_end_goes_on_until_it_is_quiet_for_an_hour() -> None:
    (log,) = [source for source in find_logs(log_path(LOGS)) if source.in_progress]
    assert goes_on(log, WRITTEN + QUIET_SECONDS - 1)
    assert not goes_on(log, WRITTEN + QUIET_SECONDS)
