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
from tuner.bench.repeated_runs import forget_what_followed_deaths
from tuner.bench.rotated import rotated
from tuner.bench.turn import Turn
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
    turns = list(_turns(setup, taking_part, records))
    forget_what_followed_deaths(turns, say)
    recorded = (turn.final for turn in turns)
    progress = Progress(list(setup.workload.queries), len(turns), (run for run in recorded if run is not None))
    for turn in turns:
        if turn.final is None:
            say(f"{turn.who}: run {turn.number}")
            progress.finished(run_turn(turn, setup, partial(_tell, progress, tell, turn)))
    return left_out


def _prepare(setup: Setup, contenders: Sequence[Contender], records: Records, say: Say) -> dict[str, str]:
    """Those that cannot, and why: others go on without them."""
    left_out = {}
    for one in (c for c in contenders if isinstance(c, Preparing) and Turn(c, 0, records).final is None):
        say(f"{one.name}: preparing")
        if why := why_not_prepared(one, records, partial(one.prepare, setup, records.work(one.name, 0)), say):
            left_out[one.name] = why
    return left_out


def why_not_prepared(contender: Contender, records: Records, prepare: Callable[[], BenchRun], say: Say) -> str:
    """Prepare it, and put that on record; the reason where it cannot, "" where it did."""
    records.require_like_those()
    try:
        record(records, prepare)
    except Exception as error:
        why = printable(str(error) or type(error).__name__, _LONGEST_REASON)
        say(f"{contender.name}: left out, it could not prepare: {why}")
        return why
    return ""


def _turns(setup: Setup, contenders: Sequence[Contender], records: Records) -> Iterator[Turn]:
    # Rounds in which all run and rounds of those that learn take turns of their own: else the same may always be first in one.
    before: Counter[int] = Counter()
    for number in range(1, setup.rounds + 1):
        those = [one for one in contenders if setup.has_turn(number, learns=one.learns)]
        for contender in rotated(those, before[len(those)]):
            yield Turn(contender, number, records)
        before[len(those)] += 1


def run_turn(turn: Turn, setup: Setup, heard: Callable[[QueryTime], None]) -> BenchRun:
    """Run it with what its contender's earlier runs tell, and put it on record."""
    contender, number, records = turn.contender, turn.number, turn.records
    earlier = [run for run in records.of(contender.name, number - 1) if run.number]
    return record(records, partial(contender.run, setup, number, earlier, records.work(contender.name, number), heard))


def _tell(progress: Progress, tell: Callable[[Step], None], turn: Turn, query: QueryTime) -> None:
    tell(progress.ended(turn.who, turn.number, query))


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
