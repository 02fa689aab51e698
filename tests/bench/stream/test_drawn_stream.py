"""What a stream asks: the same for the same seed, shares that hold, nothing twice that never comes back."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from itertools import chain

import pytest

from tuner.bench.stream.drawn_stream import EVERY, Execution, Night, drawn_stream, stream_job
from tuner.bench.workloads.joins.part_queries import PartQuery, drawn_parts
from tuner.errors import TunerError

SEED = 3
PARTS = drawn_parts(SEED)
JOBS = [stream_job(percent) for percent in (0, 25, 50, 75, 100)]
PER_NIGHT = 8


def stream(nights: int = 25, seed: int = SEED, parts: Sequence[PartQuery] = PARTS) -> tuple[Night, ...]:
    return drawn_stream(parts, JOBS, PER_NIGHT, nights, seed)


def all_of(nights: Collection[Night]) -> list[Execution]:
    return [one for night in nights for executions in night.values() for one in executions]


def test_a_seed_decides_it_and_more_nights_go_on_where_fewer_end() -> None:
    assert stream() == stream()
    assert stream(25)[:4] == stream(4)
    assert stream() != stream(seed=SEED + 1, parts=drawn_parts(SEED + 1))


def test_shares_of_repetition_hold_each_night() -> None:
    for night in stream():
        assert list(night) == ["repeats-0", "repeats-25", "repeats-50", "repeats-75", "repeats-100"]
        assert [len(executions) for executions in night.values()] == [PER_NIGHT] * 5
        assert [sum(one.every > 0 for one in executions) for executions in night.values()] == [0, 2, 4, 6, 8]


def test_what_never_comes_back_has_joins_and_filters_that_were_never_there() -> None:
    executions = all_of(stream())
    once = [one.query.shape for one in executions if not one.every]
    repeated = {one.query.shape for one in executions if one.every}
    assert len(once) == len(set(once)) == 500
    assert not repeated & set(once)


def test_repeated_queries_come_back_as_often_as_they_say() -> None:
    nights: dict[tuple[str, str], list[int]] = {}
    every: dict[tuple[str, str], int] = {}
    for number, night in enumerate(stream(28), start=1):
        for one in chain(*night.values()):
            if one.every:
                nights.setdefault((one.job, one.name), []).append(number)
                every[one.job, one.name] = one.every
    assert set(every.values()) == set(EVERY)
    for query, came in nights.items():
        assert came == list(range(came[0], 29, every[query])), query
        assert came[0] <= every[query]


def test_literals_are_drawn_anew_but_for_queries_that_keep_theirs() -> None:
    purposes: dict[tuple[str, str], list[str]] = {}
    keeps: dict[tuple[str, str], bool] = {}
    for one in all_of(stream()):
        purposes.setdefault((one.job, one.name), []).append(one.purpose)
        keeps[one.job, one.name] = one.keeps
    for query, of in purposes.items():
        assert len(set(of)) == (1 if keeps[query] else len(of)), query
    repeated = [query for query, of in purposes.items() if len(of) > 1]
    assert 0.1 < sum(keeps[query] for query in repeated) / len(repeated) < 0.5


def test_jobs_have_some_queries_in_common_and_no_job_has_one_twice() -> None:
    shapes = {job.name: set[frozenset[tuple[str, ...]]]() for job in JOBS}
    names = {job.name: set[str]() for job in JOBS}
    for one in all_of(stream(14)):
        if one.every:
            shapes[one.job].add(one.query.shape)
            names[one.job].add(one.name)
    assert {job: len(of) for job, of in shapes.items()} == {job: len(of) for job, of in names.items()}
    common = [shape for shape, jobs in Counter(chain(*shapes.values())).items() if jobs > 1]
    assert len(common) >= 3


def test_a_stream_that_would_ask_a_query_twice_says_how_long_it_may_be() -> None:
    with pytest.raises(TunerError, match="2040 executions can be drawn.*give --executions 2040 or fewer"):
        drawn_stream(drawn_parts(1), JOBS, PER_NIGHT, 60, 1)
