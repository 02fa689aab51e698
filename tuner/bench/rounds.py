"""Runs all contenders round by round, so that a machine's slow hour is everybody's."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import TypeVar

from tuner.bench.contenders.contender import Contender
from tuner.bench.model import BenchRun, Setup
from tuner.bench.records import Records

Say = Callable[[str], None]
_Any = TypeVar("_Any")


def run_rounds(setup: Setup, contenders: Sequence[Contender], records: Records, say: Say) -> None:
    """Each contender once a round, another one first each time; what is on record already is not run again."""
    for contender in contenders:
        _once(records, contender.name, 0, lambda c=contender: c.prepare(setup, records.work(c.name, 0)), say)  # type: ignore[misc]
    for number in range(1, setup.rounds + 1):
        for contender in _rotated(contenders, number - 1):
            earlier = [run for run in records.of(contender.name, number - 1) if run.number]
            _once(
                records,
                contender.name,
                number,
                lambda c=contender, e=earlier, n=number: c.run(setup, n, e, records.work(c.name, n)),  # type: ignore[misc]
                say,
            )


def _once(records: Records, name: str, number: int, run: Callable[[], BenchRun | None], say: Say) -> None:
    if records.get(name, number) is not None:
        return
    started = datetime.now(UTC)
    say(f"{name}: run {number}" if number else f"{name}: what it needs before its first run")
    if (found := run()) is not None:
        records.work(name, number).mkdir(parents=True, exist_ok=True)
        records.add(replace(found, started_at=started.isoformat(timespec="seconds")))


def _rotated(contenders: Sequence[_Any], places: int) -> Iterator[_Any]:
    for n in range(len(contenders)):
        yield contenders[(n + places) % len(contenders)]
