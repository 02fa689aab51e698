"""One writer at a time, whoever is killed, silent or begins at the same moment."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

pytest.importorskip("pyarrow", reason="pyarrow is not installed: pip install airflow-spark-tuner[pipeline]")

from tuner.errors import HarvestError
from tuner.pipeline.process_identity import ProcessIdentity, this_process
from tuner.pipeline.sole_writer import WRITERS, Pace, sole_writer

from .local_directory import LocalDirectory

# Seconds. Of a machine under load, a thread may stand still for a tenth.
QUICK = Pace(renewal=0.02, silence=1.0, settling=0.2)
ELSEWHERE = ProcessIdentity("other", 7, "another boot", "1")


def sign(directory: LocalDirectory, process: ProcessIdentity, renewed: int = 1) -> Path:
    """What a writer of another process has written last."""
    content = msgspec.json.encode({"process": process, "since": "2026-11-26T01:00:00Z", "renewed": renewed})
    directory.put(f"{WRITERS}/earlier.json", content)
    return directory.root / WRITERS / "earlier.json"


def writers(directory: LocalDirectory) -> list[str]:
    return directory.names(WRITERS)


def test_a_second_one_is_told_who_writes_and_may_when_that_one_is_through(tmp_path: Path) -> None:
    directory = LocalDirectory(tmp_path)
    with sole_writer(directory, QUICK) as writer:
        who = rf"another .* writes there, process {this_process().number} of .+, since 2"
        with pytest.raises(HarvestError, match=who), sole_writer(directory, QUICK):
            pass
        writer.require()
    assert not writers(directory)
    with sole_writer(directory, QUICK):
        assert len(writers(directory)) == 1


def test_one_that_fails_leaves_the_directory_to_the_next(tmp_path: Path) -> None:
    directory = LocalDirectory(tmp_path)
    with pytest.raises(ZeroDivisionError), sole_writer(directory, QUICK):
        raise ZeroDivisionError
    assert not writers(directory)


@pytest.mark.parametrize("changed", ["number", "started"])
def test_one_that_was_killed_on_this_machine_is_known_at_once(tmp_path: Path, changed: str) -> None:
    """Also where its number is another process's by now."""
    directory = LocalDirectory(tmp_path)
    gone = msgspec.structs.replace(this_process(), **{changed: 2**22 + 1 if changed == "number" else "1"})
    sign(directory, gone)
    before = time.monotonic()
    with sole_writer(directory, Pace(silence=60)):
        assert len(writers(directory)) == 1
    assert time.monotonic() - before < 30


@pytest.mark.parametrize("content", [None, b"", b"{"])
def test_one_that_is_silent_is_taken_for_dead(tmp_path: Path, content: bytes | None) -> None:
    """Also one that was killed while it wrote its sign."""
    directory = LocalDirectory(tmp_path)
    left = sign(directory, ELSEWHERE)
    if content is not None:
        left.write_bytes(content)
    before = time.monotonic()
    with sole_writer(directory, QUICK) as writer:
        assert time.monotonic() - before >= QUICK.silence
        assert not left.exists()
        writer.require()


def test_one_that_lives_on_another_machine_is_waited_for_no_longer_than_it_takes_to_see(tmp_path: Path) -> None:
    directory = LocalDirectory(tmp_path)
    sign(directory, ELSEWHERE)
    renewing = threading.Timer(QUICK.silence / 4, sign, (directory, ELSEWHERE, 2))
    renewing.start()
    with pytest.raises(HarvestError, match="process 7 of other, since 2026-11-26"), sole_writer(directory, QUICK):
        pass
    renewing.join()
    assert writers(directory) == ["earlier.json"]


def test_one_that_was_taken_for_dead_writes_nothing_more(tmp_path: Path) -> None:
    directory = LocalDirectory(tmp_path)
    with sole_writer(directory, replace(QUICK, renewal=60)) as silent:
        silent.require()
        (own,) = writers(directory)
        (tmp_path / WRITERS / own).unlink()
        with sole_writer(directory, QUICK):
            # It is back, and says so.
            silent.renew()
            with pytest.raises(HarvestError, match="silent for 1 s or longer, and another one writes there now"):
                silent.require()


def test_one_that_gives_way_does_not_disturb(tmp_path: Path) -> None:
    directory = LocalDirectory(tmp_path)
    with sole_writer(directory, QUICK) as writer:
        shown = sign(directory, ELSEWHERE)
        threading.Timer(QUICK.settling / 4, shown.unlink).start()
        writer.require()


def test_of_many_that_begin_at_once_one_writes(tmp_path: Path) -> None:
    directory = LocalDirectory(tmp_path)
    inside: list[int] = []
    most: list[int] = []

    def write(number: int) -> bool:
        try:
            with sole_writer(directory, QUICK) as writer:
                inside.append(number)
                most.append(len(inside))
                time.sleep(2 * QUICK.renewal)
                writer.require()
                inside.remove(number)
        except HarvestError:
            return False
        return True

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(write, range(8)))
    assert set(most) <= {1}
    assert not inside
    assert not writers(directory)
