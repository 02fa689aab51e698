"""Names of cohorts on the command line."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import Result

Call = Callable[..., Result]
BAD = {"blank": "  ", "too long": "x" * 600, "a line break": "a\nb", "no text": "a\udcff", "right to left": "\u202ea"}


@pytest.mark.parametrize("command", [("import", "/nowhere", "--as", ""), ("baseline", "import", "x", "--cohort", "")])
def test_a_name_that_is_given_and_blank_is_not_left_out(spark_tuner: Call, command: tuple[str, ...]) -> None:
    result = spark_tuner(*command)
    assert result.code == 2
    assert "this cannot name a cohort" in " ".join(result.err.replace("│", " ").split())


@pytest.mark.parametrize("why", BAD)
@pytest.mark.parametrize(
    "command",
    [
        ("submit", "--cohort", "{}", "--", "app.py"),
        ("import", "/nowhere", "--as", "{}"),
        ("status", "{}"),
        ("mode", "{}", "auto"),
        ("approve", "{}", "x"),
        ("explain", "--cohort", "{}"),
    ],
    ids=lambda command: str(command[0]),
)
def test_what_is_no_name_is_bad_usage(
    spark_tuner: Call, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, command: tuple[str, ...], why: str
) -> None:
    monkeypatch.setenv("SPARK_HOME", "/nowhere")
    result = spark_tuner(*(part.format(BAD[why]) for part in command))
    assert result.code == 2
    assert "this cannot name a cohort" in " ".join(result.err.replace("│", " ").split())
    assert not (tmp_path / "history.db").exists()
