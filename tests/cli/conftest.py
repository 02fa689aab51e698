"""The command line called in this process, its exit code and both streams kept."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from tuner.cli.main import main


@dataclass(frozen=True, slots=True)
class Result:
    code: int
    out: str
    err: str

    @property
    def said(self) -> str:
        """What stdout says, wherever its lines are folded."""
        return " ".join(self.out.split())


@pytest.fixture
def spark_tuner(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> Callable[..., Result]:
    """Calls `spark-tuner` with a store of this test's own."""
    monkeypatch.setenv("SPARK_TUNER_DB", f"sqlite:///{tmp_path}/history.db")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))

    def call(*arguments: object) -> Result:
        monkeypatch.setattr(sys, "argv", ["spark-tuner", *map(str, arguments)])
        try:
            main()
            code: object = 0
        except SystemExit as exit_:
            code = exit_.code
        out, err = capfd.readouterr()
        if isinstance(code, str):
            return Result(1, out, err + code + "\n")
        return Result(int(code or 0), out, err)

    return call
