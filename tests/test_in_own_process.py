"""Work in a process of its own comes back, or is ended."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from tuner.errors import TunerError
from tuner.in_own_process import ProcessDiedError, TooLongError, in_own_process

pytestmark = pytest.mark.processes


def doubled(number: int) -> tuple[int, int]:
    return 2 * number, os.getpid()


def refused(why: str) -> None:
    raise TunerError(why)


def sleep(file: Path) -> None:
    file.write_text(str(os.getpid()))
    time.sleep(600)


def test_what_it_returns_comes_back_from_another_process() -> None:
    found, pid = in_own_process(60, doubled, 21)
    assert found == 42
    assert pid != os.getpid()


def test_its_errors_come_back() -> None:
    with pytest.raises(TunerError, match="no such log"):
        in_own_process(60, refused, "no such log")


def test_it_is_ended_when_it_takes_too_long(tmp_path: Path) -> None:
    with pytest.raises(TooLongError, match="longer than 10 s"):
        in_own_process(10, sleep, tmp_path / "pid")
    with pytest.raises(ProcessLookupError):
        os.kill(int((tmp_path / "pid").read_text()), 0)


def test_one_that_dies_is_told() -> None:
    with pytest.raises(ProcessDiedError, match="ended before it was done"):
        in_own_process(60, os._exit, 3)
