"""What is to be known beside the figures of a bench or a stream: who was left out, and what ran at other times."""

from __future__ import annotations

from collections.abc import Iterator

from tuner.bench.bench_result import BenchResult
from tuner.bench.hours_apart import MOST_HOURS, hours_apart
from tuner.bench.stream.stream_result import StreamResult
from tuner.words.counts import counted


def who_was_left_out(result: BenchResult | StreamResult) -> Iterator[str]:
    """A sentence for each, with its reason."""
    for name, why in result.left_out.items():
        yield f"{name} was left out, for it could not prepare: {why}"


def rounds_apart(result: BenchResult) -> Iterator[str]:
    """Rounds that a bench which was stopped went on with later: what is compared there ran at other times."""
    starts: dict[int, list[str]] = {}
    for run in (run for contender in result.contenders for run in contender.runs):
        starts.setdefault(run.number, []).append(run.started_at)
    for number, those in sorted(starts.items()):
        if (hours := hours_apart(those)) > MOST_HOURS:
            yield f"runs of round {number} began {hours:.1f} h apart: compare them with care"


def nights_apart(result: StreamResult) -> Iterator[str]:
    """Nights that a stream went on with later: contenders that were added, or runs that were repeated."""
    if result.apart:
        nights = counted(len(result.apart), "night")
        yield f"runs of {nights} of jobs began up to {max(result.apart):.1f} h apart: compare them with care"
