"""Runs all contenders round by round, so that a slow hour of the machine slows all of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial

from tuner.bench.bench_run import BenchRun, QueryTime, Setup
from tuner.bench.contenders.contender import Contender, Preparing
from tuner.bench.progress import Progress, Step
from tuner.bench.records import Records
from tuner.bench.rotated import rotated

Say = Callable[[str], None]


def run_rounds(
    setup: Setup,
    contenders: Sequence[Contender],
    records: Records,
    say: Say,
    tell: Callable[[Step], None] = lambda step: None,
) -> None:
    """Run each contender once in each of its rounds, a different one first each time. Recorded runs are not repeated.

    `say` hears of each run as it starts, `tell` of each query as it ends.
    """
    for first in (c for c in contenders if isinstance(c, Preparing)):
        if records.get(first.name, 0) is None:
            say(f"{first.name}: preparing")
            record(records, partial(first.prepare, setup, records.work(first.name, 0)))
    turns = list(_turns(setup, contenders))
    recorded = (records.get(contender.name, number) for contender, number in turns)
    progress = Progress(list(setup.workload.queries), len(turns), (run for run in recorded if run is not None))
    for contender, number in turns:
        if records.get(contender.name, number) is None:
            say(f"{contender.name}: run {number}")
            progress.finished(
                _run(setup, contender, number, records, partial(_tell, progress, tell, contender.name, number))
            )


def _turns(setup: Setup, contenders: Sequence[Contender]) -> Iterator[tuple[Contender, int]]:
    # Rounds in which all run and rounds of those that learn take turns of their own: else the same may always be first in one.
    before: Counter[int] = Counter()
    for number in range(1, setup.rounds + 1):
        those = [one for one in contenders if setup.has_turn(number, learns=one.learns)]
        for contender in rotated(those, before[len(those)]):
            yield contender, number
        before[len(those)] += 1


def _run(
    setup: Setup, contender: Contender, number: int, records: Records, heard: Callable[[QueryTime], None]
) -> BenchRun:
    earlier = [run for run in records.of(contender.name, number - 1) if run.number]
    work = records.work(contender.name, number)
    return record(records, partial(contender.run, setup, number, earlier, work, heard))


def _tell(progress: Progress, tell: Callable[[Step], None], contender: str, number: int, query: QueryTime) -> None:
    tell(progress.ended(contender, number, query))


def record(records: Records, run: Callable[[], BenchRun]) -> BenchRun:
    """Put a run on record once it has ended. TunerError where those on record are of another version or machine."""
    records.require_like_those()
    started = datetime.now(UTC)
    found = replace(run(), started_at=started.isoformat(timespec="seconds"))
    records.work(found.contender, found.number).mkdir(parents=True, exist_ok=True)
    records.add(found)
    return found
