"""What `--help` says of options."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from .conftest import Result


@pytest.mark.parametrize(
    ("command", "told"),
    [
        (("status",), "A cohort: dag_id.task_id under Airflow. [default: all]"),
        (
            ("db", "upgrade"),
            "[default: SPARK_TUNER_DB, else AIRFLOW__SPARK_TUNER__SQL_ALCHEMY_CONN, else a SQLite file]",
        ),
        (("submit",), "[default: SPARK_TUNER_MOST_SECONDS_BEFORE, else 2, or 2 % of what its runs take; 10 at most]"),
        (("replay",), "such as local[4]; needs --out."),
    ],
)
def test_what_stands_in_brackets_is_shown(
    command: tuple[str, ...], told: str, spark_tuner: Callable[..., Result], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    shown = " ".join(spark_tuner(*command, "--help").out.replace("│", " ").split())
    assert told in shown
