"""Streams that are closed or of another locale, and what the system refuses: one line, or all that there is to say."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import Result
from tests.history.samples import running
from tuner.history.store import Store

Call = Callable[..., Result]
HERE = {"SPARK_TUNER_CORE_HOUR_PRICE": "", "PYTHONIOENCODING": "", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}


@pytest.fixture
def url(tmp_path: Path) -> str:
    found = f"sqlite:///{tmp_path}/history.db"
    with Store.open(found) as store:
        store.begin(running("k", cohort="größe.nachts"))
    return found


def spark_tuner(*arguments: object, redirections: str = "", **environment: str) -> subprocess.CompletedProcess[bytes]:
    command = ["sh", "-c", f'exec "$@" {redirections}', "sh", sys.executable, "-m", "tuner.cli", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, timeout=60, env={**os.environ, **HERE, **environment})


@pytest.mark.processes
@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_json_is_utf8_and_text_is_told_in_any_locale(url: str, encoding: str) -> None:
    told = spark_tuner("status", "--db", url, "--json", PYTHONIOENCODING=encoding)
    assert json.loads(told.stdout.decode())["cohorts"][0]["cohort"] == "größe.nachts"
    text = spark_tuner("status", "--db", url, PYTHONIOENCODING=encoding)
    assert (text.returncode, text.stderr) == (0, b"")
    assert b"nachts" in text.stdout


@pytest.mark.processes
@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_streams_may_be_closed(url: str, closed: str) -> None:
    assert spark_tuner("status", "--db", url, redirections=closed).returncode == 0


def test_what_the_system_refuses_is_one_line(spark_tuner: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device", "/full/setup.json")

    monkeypatch.setattr("tuner.cli.commands.status.stored_url", full)
    result = spark_tuner("status")
    assert (result.code, result.err) == (1, "spark-tuner: /full/setup.json: No space left on device\n")
