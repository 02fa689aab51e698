"""What takes seconds to make is made once in a run of the tests, by whichever worker is the first to need it."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


@contextmanager
def for_all_workers(tmp_path_factory: pytest.TempPathFactory, name: str) -> Iterator[Path]:
    """A directory that all workers share; the others wait until this one leaves it."""
    of_worker = tmp_path_factory.getbasetemp()
    shared = of_worker.parent if "PYTEST_XDIST_WORKER" in os.environ else of_worker
    directory = shared / name
    with (shared / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        directory.mkdir(exist_ok=True)
        yield directory
