"""A driver of the loop whose files, the store among them, may not grow."""

from __future__ import annotations

import json
import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.chaos.dying import Cohort
from tuner.loop.loop import complete

_MOST_BYTES = 1 << 12


def run_without_room(cohort: Cohort, key: str, notes: Path) -> None:
    """Notes whether the job was steered, and the problems."""
    with _without_room():
        turn = cohort.prepare(key)
    cohort.spark(turn).run(turn)
    with _without_room():
        report = complete(turn, cohort.url, failed=False)
    notes.write_text(json.dumps([bool(turn.decision.in_force), *report.problems]))


@contextmanager
def _without_room() -> Iterator[None]:
    _, most = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (_MOST_BYTES, most))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
