"""Logs in a bucket, as `spark-tuner harvest s3://…` reads them from an S3 server on this machine."""

from __future__ import annotations

import io
import json
import os
import socket
import subprocess
import sys
import time
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from urllib.request import Request, urlopen

import pytest
from upath import UPath

from tuner.errors import EventLogNotFoundError
from tuner.eventlog.find import find_logs
from tuner.eventlog.locate import locate
from tuner.eventlog.location import log_path
from tuner.eventlog.log_watch import LogWatch
from tuner.loop.event_log_place import event_log_place
from tuner.loop.turn import JobToRun
from tuner.model.decision import Mode
from tuner.spark.run_tags import KEY
from tuner.steering.submit_conf import EVENT_LOG_DIR

from .framings import lz4
from .samples import environment, whole_log, zstd

pytestmark = pytest.mark.sockets

ACCOUNT = {"AWS_ACCESS_KEY_ID": "reader", "AWS_SECRET_ACCESS_KEY": "hunter2", "AWS_DEFAULT_REGION": "us-east-1"}

s3fs = pytest.importorskip("s3fs", reason="s3fs is not installed: pip install airflow-spark-tuner[s3]")
pytest.importorskip("moto", reason="moto is not installed: it is of the dev group")


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    url = f"http://127.0.0.1:{port}"
    process = subprocess.Popen(
        [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        for _ in range(300):
            try:
                put(url, "logs", b"")
                break
            except OSError:
                assert process.poll() is None
                time.sleep(0.2)
        yield url
    finally:
        process.terminate()
        process.wait(20)


def put(server: str, key: str, content: bytes) -> None:
    headers = {"Content-Type": "application/octet-stream"}
    urlopen(Request(f"{server}/{key}", data=content, method="PUT", headers=headers), timeout=10).close()


def harvest(server: str, *urls: str) -> subprocess.CompletedProcess[str]:
    environment = {k: v for k, v in os.environ.items() if not k.startswith("AWS_")}
    return subprocess.run(
        [sys.executable, "-m", "tuner.cli", "harvest", "--json", *urls],
        env={**environment, **ACCOUNT, "AWS_ENDPOINT_URL": server},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def test_a_bucket_of_logs_in_all_forms(server: str) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("local-4", b"".join(whole_log("local-4")))
    rolled = whole_log("local-3")
    put(server, "logs/a/local-1", b"".join(whole_log("local-1")))
    put(server, "logs/a/local-2.lz4", lz4(whole_log("local-2")))
    put(server, "logs/a/notes.txt", b"not a log")
    put(server, "logs/eventlog_v2_local-3/appstatus_local-3", b"")
    put(server, "logs/eventlog_v2_local-3/events_1_local-3.zstd", zstd(rolled[:6]))
    put(server, "logs/eventlog_v2_local-3/events_2_local-3.zstd", zstd(rolled[6:]))
    put(server, "logs/packed.zip", packed.getvalue())
    done = harvest(server, "s3://logs/")
    assert done.returncode == 0, done.stderr
    found = [json.loads(line) for line in done.stdout.splitlines()]
    assert [(a["app_id"], a["status"], a["problems"]) for a in found] == [
        (f"local-{number}", "complete", []) for number in (1, 2, 3, 4)
    ]
    assert "passed over, not event logs: notes.txt" in done.stderr


def test_a_bucket_that_is_not_there_is_one_line_and_stops_nothing_else(server: str) -> None:
    put(server, "logs/b/local-9", b"".join(whole_log("local-9")))
    done = harvest(server, "s3://nowhere/logs", "s3://logs/b")
    assert done.returncode == 1
    assert json.loads(done.stdout)["app_id"] == "local-9"
    assert done.stderr.count("\n") == 1, done.stderr
    assert "s3://nowhere/logs: no such file or directory" in done.stderr


@pytest.fixture
def account(server: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """This process has access to the server: what s3fs keeps may be of another one."""
    for name, value in {**ACCOUNT, "AWS_ENDPOINT_URL": server}.items():
        monkeypatch.setenv(name, value)
    s3fs.S3FileSystem.clear_instance_cache()


@pytest.mark.usefixtures("account")
def test_a_runs_log_has_a_directory_before_it_is_written_and_is_found_by_its_key(server: str) -> None:
    """Spark starts only where its event log directory is there: in a bucket, where something is in it."""
    job = JobToRun("etl", "etl/1/1", 1, Mode.AUTO, event_log_base="s3a://logs/runs")
    directory = event_log_place(job).directory
    assert directory.startswith("s3a://logs/runs/etl/etl/1/1-")
    assert event_log_place(replace(job, event_log_base="", user_conf={EVENT_LOG_DIR: directory})).directory == directory
    key = directory.removeprefix("s3a://")
    first, *rest = whole_log("local-1")
    put(server, f"{key}/eventlog_v2_local-0/events_1_local-0", b"".join(whole_log("local-0")))
    own = zstd([first, environment(**{KEY: "etl/1/1"}), *rest])
    put(server, f"{key}/eventlog_v2_local-1/events_1_local-1.zstd", own)
    put(server, f"{key}/eventlog_v2_local-1/appstatus_local-1", b"")
    assert locate(directory, "etl/1/1", time.time() - 60).app_id == "local-1"
    with pytest.raises(EventLogNotFoundError, match="no event log with"):
        locate(directory, "etl/1/1", time.time() + 60)


@pytest.mark.usefixtures("account")
def test_a_bucket_that_is_watched_tells_what_is_new(server: str) -> None:
    watch = LogWatch()

    def looked() -> list[str]:
        found = list(watch.changed(find_logs(log_path("s3://logs/watched"))))
        for source in found:
            watch.took(source)
        return [source.path.name for source in found]

    put(server, "logs/watched/local-0", b"".join(whole_log("local-0")))
    put(server, "logs/watched/local-1.inprogress", b"".join(whole_log("local-1")))
    assert (looked(), looked()) == (["local-0"], [])
    put(server, "logs/watched/local-2", b"".join(whole_log("local-2")))
    UPath("s3://logs/watched/local-0").write_bytes(b"".join(whole_log("local-0")[:-1]))
    assert (looked(), looked()) == (["local-0", "local-2"], [])


@pytest.mark.usefixtures("account")
def test_no_bucket_is_made_for_a_runs_log() -> None:
    for _ in range(2):
        found = event_log_place(JobToRun("etl", "etl/1/1", 1, Mode.AUTO, event_log_base="s3a://nowhere/runs"))
        assert "(The specified bucket does not exist)" in found.why
        assert found.conf == {}


def test_a_server_that_does_not_answer_is_one_line_without_secrets() -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        done = harvest(f"http://127.0.0.1:{closed.getsockname()[1]}", "s3://logs/b")
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (1, "", 1), done.stderr
    assert "hunter2" not in done.stderr
