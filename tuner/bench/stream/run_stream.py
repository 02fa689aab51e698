"""Runs a stream night by night: tables change, then each job runs with each contender."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path

from tuner.bench.bench_run import BenchRun, QueryTime, Setup
from tuner.bench.contenders.contender import Preparing
from tuner.bench.progress import Step
from tuner.bench.records import Records
from tuner.bench.repeated_runs import forget_what_followed_deaths
from tuner.bench.rotated import rotated
from tuner.bench.run_rounds import Say, run_turn, why_not_prepared
from tuner.bench.stream.night_tables import bring_to_night
from tuner.bench.stream.night_texts import night_texts
from tuner.bench.stream.stream_contenders import stream_contenders
from tuner.bench.stream.stream_progress import StreamProgress
from tuner.bench.stream.stream_setup import StreamSetup
from tuner.bench.turn import Turn
from tuner.bench.workloads.joins.night_changes import change_tables

# Where statistics of all jobs' tables are on record.
STATISTICS = "statistics"


def run_stream(
    stream: StreamSetup, names: Collection[str], say: Say, tell: Callable[[Step], None] = lambda step: None
) -> Mapping[str, str]:
    """Run each job of each night once with each contender of these names. What is on record is not run again, but once
    those runs whose application died. Who cannot gather statistics has no turn from then on: the reasons, by contender.

    `say` hears of each night and each run as it starts, `tell` of each query as it ends.
    """
    nights = stream.drawn()
    records = {name: stream.records(name) for name in (STATISTICS, *(job.name for job in stream.jobs))}
    turns = list(_turns(stream, names, records))
    forget_what_followed_deaths(turns, say)
    recorded = [run for turn in turns if (run := turn.final)]
    progress = StreamProgress(stream.per_night, len(turns), recorded)
    left_out: dict[str, str] = {}
    for number, night in enumerate(nights, start=1):
        missing = _left((turn for turn in turns if turn.number == number), left_out)
        if missing:
            say(f"night {number} of {len(nights)}: tables and queries")
            bring_to_night(stream.tables, stream.setup.workload.tables, number, partial(_change, stream))
            texts = night_texts(night, number, stream.tables, stream.seed, stream.setup.directory / "queries")
            if stream.statistics_of(number) == number:
                taking_part = [name for name in names if name not in left_out]
                if without := _gather_statistics(stream, taking_part, number, records[STATISTICS], say):
                    left_out |= without
                    progress.set_left(len(_left(turns, left_out)))
            for turn in _left(missing, left_out):
                _run(stream, turn, texts[turn.job], progress, say, tell)
    return left_out


def _left(turns: Iterable[Turn], left_out: Collection[str]) -> list[Turn]:
    """Those that are yet to run."""
    return [turn for turn in turns if turn.contender.name not in left_out and turn.final is None]


def _turns(stream: StreamSetup, names: Collection[str], records: Mapping[str, Records]) -> Iterator[Turn]:
    """Job by job, so that a slow hour of the machine slows all contenders; another one is first each time."""
    for night in range(1, stream.nights + 1):
        for place, job in enumerate(stream.jobs):
            contenders = stream_contenders(names, stream.setup.directory, job.name, stream.statistics_of(night))
            for contender in rotated(contenders, night - 1 + place):
                yield Turn(contender, night, records[job.name], job.name)


def _change(stream: StreamSetup, directory: Path, night: int) -> None:
    change_tables(directory, stream.scale_factor, stream.seed, night)


def _gather_statistics(
    stream: StreamSetup, names: Collection[str], night: int, records: Records, say: Say
) -> dict[str, str]:
    """Before a night in which they are due. A contender's catalog is the same for all jobs. Those that cannot, and why."""
    left_out = {}
    for contender in stream_contenders(names, stream.setup.directory, STATISTICS, night):
        if isinstance(contender, Preparing) and records.get(contender.name, night) is None:
            say(f"{contender.name}: ANALYZE of all tables")
            work, of_all = records.work(contender.name, night), stream.of_job(STATISTICS, {})
            if why := why_not_prepared(contender, records, partial(_prepared, contender, of_all, night, work), say):
                left_out[contender.name] = why
    return left_out


def _prepared(contender: Preparing, setup: Setup, night: int, work: Path) -> BenchRun:
    return replace(contender.prepare(setup, work), number=night)


def _run(
    stream: StreamSetup,
    turn: Turn,
    texts: Mapping[str, str],
    progress: StreamProgress,
    say: Say,
    tell: Callable[[Step], None],
) -> None:
    say(f"{turn.who}: run {turn.number}")

    def heard(query: QueryTime) -> None:
        tell(progress.ended(turn.who, turn.number, query))

    progress.finished(run_turn(turn, stream.of_job(turn.job, texts), heard))
