"""Which database a URL, the environment or neither names."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tuner.errors import StoreError
from tuner.history.engine import open_engine
from tuner.history.url import default_url, parse, require_told, resolve, shown


def test_the_argument_wins_then_the_variable_then_the_file() -> None:
    environ = {"SPARK_TUNER_DB": "sqlite:////from/variable.db", "HOME": "/home/ann"}
    assert resolve("sqlite:////from/argument.db", environ) == "sqlite:////from/argument.db"
    assert resolve(None, environ) == "sqlite:////from/variable.db"
    assert resolve("", {"HOME": "/home/ann", "SPARK_TUNER_DB": ""}) == default_url({"HOME": "/home/ann"})


def test_without_its_own_variable_it_is_airflows() -> None:
    of_airflow = {
        "AIRFLOW__SPARK_TUNER__SQL_ALCHEMY_CONN": " postgresql://ann:${PW}@db/$NAME?x=$none",
        "HOME": "/home/ann",
    }
    environ = {**of_airflow, "PW": "hunter2", "NAME": "tuner"}
    assert resolve(None, environ) == "postgresql://ann:hunter2@db/tuner?x=$none"
    assert resolve(None, {**environ, "SPARK_TUNER_DB": "sqlite:////own.db"}) == "sqlite:////own.db"


@pytest.mark.parametrize("how", ["CMD", "SECRET"])
def test_a_place_that_only_airflow_can_ask_for_is_told_as_such(how: str) -> None:
    name = f"AIRFLOW__SPARK_TUNER__SQL_ALCHEMY_CONN_{how}"
    says = f"{name} tells Airflow alone where the history store is; name it with --db or SPARK_TUNER_DB"
    with pytest.raises(StoreError, match=says) as raised:
        require_told({name: "cat /run/hunter2"})
    assert "hunter2" not in str(raised.value)
    require_told({name: "cat /run/url", "SPARK_TUNER_DB": "sqlite:////own.db"})
    require_told({name: "cat /run/url", "AIRFLOW__SPARK_TUNER__SQL_ALCHEMY_CONN": "postgresql://db/tuner"})
    require_told({})


@pytest.mark.parametrize(
    ("environ", "url"),
    [
        ({"HOME": "/home/ann"}, "sqlite:////home/ann/.local/share/spark-tuner/history.db"),
        ({"HOME": "/home/ann", "XDG_DATA_HOME": "/data"}, "sqlite:////data/spark-tuner/history.db"),
        ({"HOME": "/home/ann", "XDG_DATA_HOME": "relative"}, "sqlite:////home/ann/.local/share/spark-tuner/history.db"),
        ({}, f"sqlite:///{Path.home()}/.local/share/spark-tuner/history.db"),
    ],
)
def test_the_default_file_is_in_the_data_directory(environ: dict[str, str], url: str) -> None:
    assert default_url(environ) == url


@pytest.mark.parametrize("scheme", ["postgres", "postgresql", "postgresql+psycopg", "postgresql+psycopg2"])
def test_every_way_to_write_postgresql_means_psycopg(scheme: str) -> None:
    parsed = parse(f"{scheme}://ann:hunter2@db:5433/tuner?sslmode=require")
    assert parsed.render_as_string(hide_password=False) == (
        "postgresql+psycopg://ann:hunter2@db:5433/tuner?sslmode=require"
    )
    assert shown(parsed) == "postgresql+psycopg://ann:***@db:5433/tuner?sslmode=require"


@pytest.mark.parametrize(
    ("url", "says"),
    [
        ("history.db", "cannot be read; it looks like sqlite:///"),
        ("postgresql://ann:hunter2@db:hunter2/tuner", "cannot be read"),
        ("postgresql://ann:hun@ter2@db/tuner", "more than one '@'"),
        ("mysql://ann:hunter2@db/tuner", "cannot be a mysql database"),
        ("postgresql+asyncpg://ann:hunter2@db/tuner", r"cannot be a postgresql\+asyncpg database"),
    ],
)
def test_an_unusable_url_is_refused_without_its_password(url: str, says: str) -> None:
    with pytest.raises(StoreError, match=says) as raised:
        parse(url)
    assert "ter2" not in str(raised.value)
    assert raised.value.__cause__ is None and raised.value.__suppress_context__ is (
        raised.value.__context__ is not None
    )


def test_a_missing_driver_is_named_with_its_cure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(StoreError, match=r"pip install 'airflow-spark-tuner\[postgres\]'") as raised:
        open_engine(parse("postgresql://ann:hunter2@db/tuner"))
    assert "hunter2" not in str(raised.value)
