"""The default store where each run has a disk of its own: every night is the first, and says why."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.nightly import Nightly
from tuner.history.url import VARIABLE, default_url
from tuner.loop.log_lines import turn_lines
from tuner.loop.loop import prepare

OF_AIRFLOW = "AIRFLOW__SPARK_TUNER__SQL_ALCHEMY_CONN"


@pytest.fixture
def nightly(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Nightly:
    for name in (VARIABLE, OF_AIRFLOW):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "pod"))
    return Nightly(tmp_path)


def told(nightly: Nightly, key: str, url: str = "") -> list[str]:
    turn = prepare(nightly.job(key), url or default_url(os.environ))
    return [line for line in turn_lines(turn) if "is new, and of this machine alone" in line]


def test_each_disk_of_its_own_is_told(nightly: Nightly, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for night in ("1", "2"):
        monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / night))
        (line,) = told(nightly, f"etl/{night}/1")
        assert f"the history store sqlite:///{tmp_path}/{night}/spark-tuner/history.db is new" in line
        assert "name one store for all: [spark_tuner] sql_alchemy_conn, or SPARK_TUNER_DB" in line


def test_a_store_that_lasts_is_told_of_once(nightly: Nightly) -> None:
    assert told(nightly, "etl/1/1")
    assert told(nightly, "etl/2/1") == []
    nightly.cohort = "another"
    assert told(nightly, "another/1/1") == []


def test_a_store_that_somebody_named_is_theirs(
    nightly: Nightly, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert told(nightly, "etl/1/1", f"sqlite:///{tmp_path}/given.db") == []
    for name in (OF_AIRFLOW, VARIABLE):
        monkeypatch.setenv(name, f"sqlite:///{tmp_path}/{name}.db")
        assert told(nightly, "etl/1/1") == []
