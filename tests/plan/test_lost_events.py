"""Logs that lack events, as Spark leaves them where its listeners fall behind: no count is told that is not of all rows.

A queue of its listener bus holds so many events (spark.scheduler.listenerbus.eventqueue.capacity); what comes while it is full
is dropped, in a row.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import Any

import pytest

from tests.eventlog.samples import fold
from tuner.eventlog.codec import open_plain
from tuner.eventlog.find import find_logs
from tuner.eventlog.location import open_log
from tuner.model.application import Application
from tuner.model.query import QueryStatus
from tuner.plan.plan_picture import picture_of
from tuner.plan.queries import plans_of, queries

GOLDEN = Path(__file__).parents[1] / "golden" / "logs"
LOGS = ("3.0.3/adaptive-single-zstd", "4.3.0/static-single-lzf")
# What tells of plans, files and jobs is one event in thousands.
KEPT = (b".SparkListenerSQL", b"DriverAccumUpdates", b"JobStart", b"Application", b"LogStart")
# These tell of operators what the driver planned for them where no task counted anything.
ADAPTIVE = ("3.0.3/adaptive-single-zstd", "4.3.0/adaptive-single-lz4")
Counts = Mapping[object, tuple[int | None, ...]]


def lines(log: str) -> list[bytes]:
    (source,) = find_logs(GOLDEN / log)
    found: list[bytes] = []
    for file in source.files:
        with open_log(file) as raw:
            found += open_plain(raw, file.name).readlines()
    return found


def counts(application: Application) -> Counts:
    """What is told of queries that ended well."""
    found: dict[object, tuple[int | None, ...]] = {}
    for query in queries(application):
        if query.status is QueryStatus.SUCCEEDED:
            for join in query.joins:
                sides = [number for side in join.sides for number in (side.rows, side.shuffle_bytes)]
                found[query.id, join.signature, join.occurrence] = (*sides, join.output_rows)
            for number, shuffle in enumerate(query.shuffles):
                found[query.id, number] = (shuffle.rows, shuffle.data_bytes, shuffle.written_bytes)
    return found


def bursts(whole: list[bytes], length: int) -> Iterator[list[bytes]]:
    """The log without so many events in a row, from each place in it."""
    for start in range(0, len(whole), length):
        dropped = range(start, start + length)
        yield [line for n, line in enumerate(whole) if n not in dropped or any(kept in line[:100] for kept in KEPT)]


@pytest.mark.parametrize("log", LOGS)
def test_a_count_is_that_of_all_rows_or_unknown(log: str) -> None:
    whole = lines(log)
    truth = counts(fold(whole))
    assert any(None not in numbers for numbers in truth.values())
    unknown = 0
    for rest in chain(bursts(whole, 4), bursts(whole, 40)):
        for key, numbers in counts(fold(rest)).items():
            assert all(number in (None, known) for number, known in zip(numbers, truth[key], strict=True)), key
            unknown += numbers != truth[key]
    assert unknown


def sums(application: Application) -> Mapping[int, tuple[int, int, bool]]:
    """What queries that ended well took in all, and whether the work of their stages is known."""
    return {
        query.id: (query.executor_run_ms, query.executor_cpu_ms, query.work is not None)
        for query in queries(application)
        if query.status is QueryStatus.SUCCEEDED
    }


@pytest.mark.parametrize("log", LOGS)
def test_what_a_query_took_is_that_of_all_its_tasks_or_unknown(log: str) -> None:
    whole = lines(log)
    truth = sums(fold(whole))
    unknown = 0
    for rest in bursts(whole, length=4):
        for query, took in sums(fold(rest)).items():
            assert took in (truth[query], (0, 0, False)), query
            unknown += took != truth[query]
    assert unknown and all(took > 0 and known for took, _, known in truth.values())


@pytest.mark.parametrize("log", ADAPTIVE)
def test_a_job_whose_start_is_lost_is_known_by_its_stages(log: str) -> None:
    whole = lines(log)
    truth = counts(fold(whole)), sums(fold(whole))
    starts = [number for number, line in enumerate(whole) if b"JobStart" in line[:60]]
    assert len(starts) > 10
    for start in starts:
        application = fold([line for number, line in enumerate(whole) if number != start])
        assert (counts(application), sums(application)) == truth, start


@pytest.mark.parametrize("log", ADAPTIVE)
def test_where_a_whole_job_is_lost_no_count_is_false_and_few_sums(log: str) -> None:
    """A shuffle that was read and that nothing wrote may be an earlier execution's; of one that is read twice, the other reader
    may be all."""
    whole = lines(log)
    truth, took = counts(fold(whole)), sums(fold(whole))
    starts = [json.loads(line) for line in whole if b"JobStart" in line[:60]]
    unknown = 0
    for start in starts:
        application = fold([line for line in whole if not _is_of_job(line, start)])
        for key, numbers in counts(application).items():
            assert all(number in (None, known) for number, known in zip(numbers, truth[key], strict=True)), key
        unknown += sum(told == (0, 0, False) != took[query] for query, told in sums(application).items())
    assert unknown >= len(starts) * 3 // 4


@pytest.mark.parametrize("log", ADAPTIVE)
def test_where_the_last_plans_of_a_query_are_lost_no_count_or_sum_is_false(log: str) -> None:
    """Operators of the plan that ran have counted under other numbers."""
    whole = lines(log)
    truth, took = counts(fold(whole)), sums(fold(whole))
    plans: dict[int, list[int]] = {}
    for number, line in enumerate(whole):
        if b"SQLAdaptiveExecutionUpdate" in line[:120]:
            plans.setdefault(json.loads(line)["executionId"], []).append(number)
    unknown = 0
    for query, numbers in plans.items():
        for first in range(len(numbers)):
            application = fold([line for n, line in enumerate(whole) if n not in numbers[first:]])
            for key, told in counts(application).items():
                known = truth.get(key, (None,) * len(told))
                assert all(number in (None, true) for number, true in zip(told, known, strict=True)), (query, key)
                unknown += told != known
            assert all(found in (took[id_], (0, 0, False)) for id_, found in sums(application).items())
            ((found, _, last),) = (plans for ran, _, plans in plans_of(application) if ran.execution_id == query)
            assert all(step.rows is None for step in picture_of(found, last).steps)
    assert len(plans) > 1 and unknown


def _is_of_job(line: bytes, start: dict[str, Any]) -> bool:
    event = json.loads(line)
    stage = event.get("Stage Info", event).get("Stage ID")
    return bool(event.get("Job ID") == start["Job ID"] or stage in start["Stage IDs"])


@pytest.mark.parametrize("log", LOGS)
def test_where_ends_of_tasks_alone_are_lost_every_count_and_sum_is_known(log: str) -> None:
    """Spark's own sums are in the ends of their stages."""
    whole = lines(log)
    truth = counts(fold(whole)), sums(fold(whole))
    for length in (4, 40):
        for rest in bursts(whole, length):
            kept = set(rest)
            application = fold([line for line in whole if line in kept or b"TaskEnd" not in line[:60]])
            assert (counts(application), sums(application)) == truth
