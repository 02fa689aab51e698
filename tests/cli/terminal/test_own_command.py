"""What is printed to call this program again is what its reader's shell finds."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import pytest

from tuner.cli.terminal.own_command import own_command

STORE = ["ui", "--db", "sqlite:////my work/history.db"]
QUOTED = "ui --db 'sqlite:////my work/history.db'"


@pytest.fixture
def program(tmp_path: Path) -> Path:
    found = tmp_path / "my venv" / "bin" / "spark-tuner"
    found.parent.mkdir(parents=True)
    found.touch(0o755)
    return found


def test_by_uv_its_environment_is_on_no_path_of_the_reader(program: Path) -> None:
    environ = {"UV_RUN_RECURSION_DEPTH": "1", "PATH": str(program.parent)}
    assert own_command(STORE, str(program), environ) == f"uv run spark-tuner {QUOTED}"


def test_what_the_path_finds_is_called_by_its_name(program: Path) -> None:
    assert own_command(STORE, str(program), {"PATH": str(program.parent)}) == f"spark-tuner {QUOTED}"


@pytest.mark.parametrize("path", ["", "other"])
def test_what_it_does_not_find_or_finds_another_of_by_its_place(
    program: Path, tmp_path: Path, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = tmp_path / "other" / "spark-tuner"
    other.parent.mkdir()
    other.touch(0o755)
    monkeypatch.chdir(program.parent)
    environ = {"PATH": str(tmp_path / path) if path else ""}
    for called in (str(program), "./spark-tuner"):
        assert own_command(STORE, called, environ) == f"{shlex.quote(str(program))} {QUOTED}"


def test_a_module_is_called_as_one() -> None:
    assert (
        own_command(["ui"], "/venv/lib/tuner/cli/__main__.py", {}) == f"{shlex.quote(sys.executable)} -m tuner.cli ui"
    )
