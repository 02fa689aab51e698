"""Work on many items by several processes: the same results, in the same order, whatever becomes of the processes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tuner import side_by_side as subject
from tuner.side_by_side import side_by_side

pytestmark = pytest.mark.processes

ITEMS = list(range(12))
HERE = "SPARK_TUNER_TEST_PARENT"


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is made here first."""
    monkeypatch.setattr(subject, "ALONE_SECONDS", -1.0)
    monkeypatch.setenv(HERE, str(os.getpid()))


def squared(number: int) -> tuple[int, int]:
    return number * number, os.getpid()


def killed_at_five(number: int) -> int:
    if number == 5 and os.environ[HERE] != str(os.getpid()):
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def refused_at_five(number: int) -> int:
    if number == 5:
        raise ValueError("five")
    return number


def test_other_processes_make_them_and_the_order_stays() -> None:
    made = list(side_by_side(squared, ITEMS, 2))
    assert [value for value, _ in made] == [number * number for number in ITEMS]
    assert os.getpid() not in {process for _, process in made}


def test_one_item_or_one_process_needs_no_other() -> None:
    assert list(side_by_side(squared, [3], 8)) == [(9, os.getpid())]
    assert {process for _, process in side_by_side(squared, ITEMS, 1)} == {os.getpid()}
    assert list(side_by_side(squared, [], 8)) == []


def test_what_takes_no_time_is_made_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(subject, "ALONE_SECONDS", 60.0)
    assert {process for _, process in side_by_side(squared, ITEMS, 2)} == {os.getpid()}


def test_what_a_killed_process_had_is_made_here() -> None:
    assert list(side_by_side(killed_at_five, ITEMS, 2)) == ITEMS


def test_an_error_comes_in_its_turn() -> None:
    made = side_by_side(refused_at_five, ITEMS, 2)
    assert [next(made) for _ in range(5)] == ITEMS[:5]
    with pytest.raises(ValueError, match="five"):
        next(made)


def test_what_cannot_be_sent_is_made_here() -> None:
    assert list(side_by_side(lambda number: number + 1, ITEMS, 2)) == [number + 1 for number in ITEMS]


def test_a_machine_without_semaphores_works_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object, **__: object) -> None:
        raise OSError("no semaphores here")

    monkeypatch.setattr("concurrent.futures.process.ProcessPoolExecutor", refused)
    assert {process for _, process in side_by_side(squared, ITEMS, 2)} == {os.getpid()}


def test_no_more_wait_than_the_processes_are_ahead() -> None:
    asked = []

    class Items(list[int]):
        def __iter__(self) -> Iterator[int]:
            for item in list.__iter__(self):
                asked.append(item)
                yield item

        def __getitem__(self, index: object) -> Items:  # type: ignore[override]
            return Items(list.__getitem__(self, index))  # type: ignore[call-overload]

    made = side_by_side(squared, Items(range(100)), 2)
    next(made)
    assert len(asked) < 10
    made.close()  # type: ignore[attr-defined]


def test_processes_end_with_the_one_that_asked_for_them(tmp_path: Path) -> None:
    """As where a scheduler kills the command: nothing of it stays behind."""
    script = tmp_path / "sleepers.py"
    script.write_text(
        "import os, pathlib, sys, time\n"
        "from tuner import side_by_side\n"
        "def sleep(number):\n"
        "    pathlib.Path(sys.argv[1], f'{os.getpid()}.pid').touch()\n"
        "    time.sleep(60)\n"
        "if __name__ == '__main__':\n"
        "    side_by_side.ALONE_SECONDS = -1\n"
        "    list(side_by_side.side_by_side(sleep, [1, 2, 3], 2))\n"
    )
    parent = subprocess.Popen([sys.executable, script, tmp_path])
    deadline = time.monotonic() + 60
    while len(pids := sorted(tmp_path.glob("*.pid"))) < 2 and time.monotonic() < deadline:
        time.sleep(0.05)
    parent.kill()
    parent.wait()
    while any(is_alive(int(pid.stem)) for pid in pids) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert len(pids) == 2
    assert not any(is_alive(int(pid.stem)) for pid in pids)


def is_alive(pid: int) -> bool:
    try:
        return "\nState:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False
