"""Of two commands in one directory the second is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from tuner.cli.commands.demo import _work_directory
from tuner.cli.process.held_file import held_file
from tuner.errors import TunerError


def test_one_at_a_time(tmp_path: Path) -> None:
    for _ in range(2):
        with (
            held_file(tmp_path / ".lock", "another bench"),
            pytest.raises(TunerError, match="another bench runs there; wait"),
            held_file(tmp_path / ".lock", "another bench"),
        ):
            pass


def test_a_demo_that_runs_keeps_its_files(tmp_path: Path) -> None:
    with _work_directory(tmp_path / "demo") as work:
        (work / "job").mkdir()
        with pytest.raises(TunerError, match="another demo runs there"), _work_directory(tmp_path / "demo"):
            pass
        assert (work / "job").is_dir()
    with _work_directory(tmp_path / "demo") as work:
        assert not (work / "job").exists()
