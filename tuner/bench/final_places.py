"""Which of a contender's runs tell what it came to in the end."""

from __future__ import annotations

from collections.abc import Sequence

from tuner.bench.bench_result import BenchResult, ContenderResult


def final_places(result: BenchResult, contender: ContenderResult) -> Sequence[int]:
    """The places of the repeats among its runs; without any, of the last run."""
    places = range(len(contender.runs))
    return [place for place in places if contender.runs[place].number > result.learning_runs] or places[-1:]
