"""`spark-tuner ui`: a server for this machine alone."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import urllib.request
import webbrowser
from collections.abc import Callable
from http.cookiejar import CookieJar
from importlib import util
from pathlib import Path
from queue import Queue
from threading import Event

import pytest

from tests.cli.conftest import Result
from tuner.cli.commands import ui
from tuner.cli.commands.ui import loopback_address
from tuner.errors import TunerError
from tuner.history.store import Store

pytestmark = pytest.mark.sockets

Call = Callable[..., Result]


def test_it_answers_to_who_has_the_printed_address_and_ends_by_ctrl_c(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/h.db"
    Store.open(url).close()
    command = [sys.executable, "-m", "tuner.cli", "ui", "--no-browser", "--db", url]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONUNBUFFERED": "1"}
    ) as it:
        try:
            assert it.stdout is not None
            found = re.search(r"(http://127\.0\.0\.1:\d+/[\w-]{20,}/)\?token=\S{40,}", it.stdout.readline())
            assert found is not None
            browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(CookieJar()))
            assert browser.open(found[0], timeout=60).status == 200
            session = json.load(browser.open(f"{found[1]}api/session", timeout=60))
            assert session["home"] == "standalone"
            with pytest.raises(urllib.error.HTTPError, match="401"):
                urllib.request.urlopen(f"{found[1]}api/session", timeout=60)
        finally:
            it.send_signal(signal.SIGINT)
        assert it.wait(timeout=60) in (0, 130, -signal.SIGINT)


@pytest.mark.parametrize(
    ("host", "address"), [("127.0.0.1", "127.0.0.1"), ("localhost", "127.0.0.1"), ("::1", "::1"), ("[::1]", "::1")]
)
def test_it_listens_on_this_machine(host: str, address: str) -> None:
    assert loopback_address(host) == address


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "10.0.0.1", "example.com", "", "127.0.0.2"])
def test_it_listens_nowhere_else(host: str) -> None:
    with pytest.raises(TunerError, match=r"the panel only listens on .*ssh -L"):
        loopback_address(host)


def test_a_port_in_use_is_said_in_a_line(spark_tuner: Call) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        result = spark_tuner("ui", "--no-browser", "--port", taken.getsockname()[1])
    assert (result.code, result.err.count("\n")) == (1, 1)
    assert "give another --port" in result.err


def test_a_store_that_no_url_names_is_said_before_an_address(
    spark_tuner: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SPARK_TUNER_DB", "mysql://ann:hunter2@db/tuner")
    result = spark_tuner("ui", "--no-browser")
    assert (result.code, result.out) == (1, "")
    assert "cannot be a mysql database" in result.err
    assert "hunter2" not in result.err


def test_what_is_missing_is_named_with_how_to_install_it(spark_tuner: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ui, "find_spec", lambda name: None if name == "uvicorn" else util.find_spec(name))
    result = spark_tuner("ui", "--no-browser")
    assert (result.code, result.err) == (
        1,
        "spark-tuner: the panel needs uvicorn: pip install 'airflow-spark-tuner[ui]'\n",
    )


def test_the_browser_gets_the_token_by_a_file_that_only_its_user_reads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: Queue[str] = Queue()
    monkeypatch.setattr(ui.webbrowser, "open", opened.put)
    ui._open_browser("http://127.0.0.1:1/?token=secret", tmp_path)
    assert opened.get(timeout=60) == (tmp_path / "open.html").as_uri()
    assert "?token=secret" in (tmp_path / "open.html").read_text()
    assert (tmp_path / "open.html").stat().st_mode & 0o077 == 0


@pytest.mark.parametrize(("asked", "said"), [([], True), (["--no-browser"], False)])
def test_who_has_a_browser_that_cannot_read_the_file_is_told_what_to_open(
    spark_tuner: Call, monkeypatch: pytest.MonkeyPatch, asked: list[str], *, said: bool
) -> None:
    """As one that is a snap, whose /tmp is its own."""
    monkeypatch.setattr(ui.webbrowser, "get", lambda: ui.webbrowser.GenericBrowser("/usr/bin/wslview"))
    monkeypatch.setattr(ui.webbrowser, "open", lambda _: True)
    monkeypatch.setattr(ui, "_serve", lambda *_: None)
    address, hint = spark_tuner("ui", *asked).out.splitlines()
    assert re.fullmatch(r"spark-tuner ui: http://127\.0\.0\.1:\d+/[\w-]{20,}/\?token=\S{40,}", address)
    assert ("where the browser finds no file, open this address in it" in hint) is said


def test_a_browser_that_is_waited_for_keeps_nobody_from_being_served(
    spark_tuner: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened, served, waited = Event(), Event(), Queue[bool]()

    def wait(_: str) -> None:
        opened.set()
        waited.put(served.wait(60))

    monkeypatch.setattr(ui.webbrowser, "get", lambda: ui.webbrowser.GenericBrowser("firefox"))
    monkeypatch.setattr(ui.webbrowser, "open", wait)
    monkeypatch.setattr(ui, "_serve", lambda *_: opened.wait(60) and served.set())
    assert spark_tuner("ui").code == 0
    assert waited.get(timeout=60)


def _none() -> webbrowser.BaseBrowser:
    raise webbrowser.Error("could not locate runnable browser")


@pytest.mark.parametrize("found", [lambda: webbrowser.GenericBrowser("/usr/bin/lynx"), _none])
def test_without_a_browser_that_has_a_window_it_says_how_to_look_from_another_machine(
    spark_tuner: Call, monkeypatch: pytest.MonkeyPatch, found: Callable[[], webbrowser.BaseBrowser]
) -> None:
    opened: list[str] = []
    monkeypatch.setattr(ui.webbrowser, "get", found)
    monkeypatch.setattr(ui.webbrowser, "open", opened.append)
    monkeypatch.setattr(ui, "_serve", lambda *_: None)
    said = spark_tuner("ui").out
    port = re.search(r"127\.0\.0\.1:(\d+)", said)
    assert port is not None
    assert f"no browser with a window is here: where one is, ssh -L {port[1]}:127.0.0.1:{port[1]} " in said
    assert opened == []


def test_other_commands_do_not_wait_for_the_server() -> None:
    found = "import tuner.cli.main, sys; print([m for m in ('fastapi', 'uvicorn', 'pydantic') if m in sys.modules])"
    assert subprocess.run([sys.executable, "-c", found], capture_output=True, text=True, check=True).stdout == "[]\n"
