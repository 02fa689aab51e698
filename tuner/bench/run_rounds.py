"""Runs all contenders round by round, so that a slow hour of the machine slows all of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial

from tuner.bench.bench_run import BenchRun, QueryTime, Setup
from tuner.bench.contenders.contender import Contender, Preparing
from tuner.bench.progress import Progress, Step
from tuner.bench.records import Records
from tuner.bench.rotated import rotated
from tuner.printable import printable

Say = Callable[[str], None]
_LONGEST_REASON = 400


def run_rounds(
    setup: Setup,
    contenders: Sequence[Contender],
    records: Records,
    say: Say,
    tell: Callable[[Step], None] = lambda step: None,
) -> Mapping[str, str]:
    """Run each contender once in each of its rounds, a different one first each time. Recorded runs are not repeated, but once
    those whose application died. Who cannot prepare is left out: the reasons, by contender.

    `say` hears of each run as it starts, `tell` of each query as it ends.
    """
    left_out = _prepare(setup, contenders, records, say)
    taking_part = [one for one in contenders if one.name not in left_out]
    for one in taking_part:
        _forget_what_followed_a_death(setup, one, records, say)
    turns = list(_turns(setup, taking_part))
    recorded = (_finished(records, contender, number) for contender, number in turns)
    progress = Progress(list(setup.workload.queries), len(turns), (run for run in recorded if run is not None))
    for contender, number in turns:
        if _finished(records, contender, number) is None:
            say(f"{contender.name}: run {number}")
            progress.finished(
                _run(setup, contender, number, records, partial(_tell, progress, tell, contender.name, number))
            )
    return left_out


def _prepare(setup: Setup, contenders: Sequence[Contender], records: Records, say: Say) -> dict[str, str]:
    """Those that cannot, and why: others go on without them."""
    left_out = {}
    for one in (c for c in contenders if isinstance(c, Preparing) and _finished(records, c, 0) is None):
        records.require_like_those()
        say(f"{one.name}: preparing")
        try:
            record(records, partial(one.prepare, setup, records.work(one.name, 0)))
        except Exception as error:
            left_out[one.name] = printable(str(error) or type(error).__name__, _LONGEST_REASON)
            say(f"{one.name}: left out, it could not prepare: {left_out[one.name]}")
    return left_out


def _finished(records: Records, contender: Contender, number: int) -> BenchRun | None:
    found = records.get(contender.name, number)
    return found if found is None or found.is_final else None


def _forget_what_followed_a_death(setup: Setup, contender: Contender, records: Records, say: Say) -> None:
    """What learned from a run that is repeated is repeated, too."""
    runs = (run for run in records.of(contender.name, setup.rounds) if run.number)
    dead = next((run for run in runs if not run.is_final), None)
    if dead is None:
        return
    records.require_like_those()
    also = ", with those after it" if contender.learns else ""
    say(f"{contender.name}: run {dead.number} ended with code {dead.exit_code} and is repeated{also}")
    if contender.learns:
        records.forget_after(contender.name, dead.number)


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
    if before := records.get(found.contender, found.number):
        found = replace(found, attempts=before.attempts + 1)
    records.work(found.contender, found.number).mkdir(parents=True, exist_ok=True)
    records.add(found)
    return found
