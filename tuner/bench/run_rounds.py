"""Runs all contenders round by round, so that a slow hour of the machine slows all of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from typing import TypeVar

from tuner.bench.bench_run import BenchRun, Setup
from tuner.bench.contenders.contender import Contender, Preparing
from tuner.bench.records import Records

Say = Callable[[str], None]
_Any = TypeVar("_Any")


def run_rounds(setup: Setup, contenders: Sequence[Contender], records: Records, say: Say) -> None:
    """Run each contender once in each of its rounds, a different one first each time. Recorded runs are not repeated."""
    for first in (c for c in contenders if isinstance(c, Preparing)):
        _once(records, first.name, 0, partial(first.prepare, setup, records.work(first.name, 0)), say)
    for number in range(1, setup.rounds + 1):
        for contender in _rotated(contenders, number - 1):
            if not setup.has_turn(number, learns=contender.learns):
                continue
            earlier = [run for run in records.of(contender.name, number - 1) if run.number]
            work = records.work(contender.name, number)
            _once(records, contender.name, number, partial(contender.run, setup, number, earlier, work), say)


def _once(records: Records, name: str, number: int, run: Callable[[], BenchRun], say: Say) -> None:
    if records.get(name, number) is not None:
        return
    started = datetime.now(UTC)
    say(f"{name}: run {number}" if number else f"{name}: preparing")
    found = run()
    records.work(name, number).mkdir(parents=True, exist_ok=True)
    records.add(replace(found, started_at=started.isoformat(timespec="seconds")))


def _rotated(contenders: Sequence[_Any], places: int) -> Iterator[_Any]:
    for n in range(len(contenders)):
        yield contenders[(n + places) % len(contenders)]
