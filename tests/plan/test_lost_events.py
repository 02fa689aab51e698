"""Logs that lack events, as Spark leaves them where its listeners fall behind: no count is told that is not of all rows.

A queue of its listener bus holds so many events (spark.scheduler.listenerbus.eventqueue.capacity); what comes while it is full
is dropped, in a row.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from tests.eventlog.samples import fold
from tuner.eventlog.codec import open_plain
from tuner.eventlog.find import find_logs
from tuner.eventlog.location import open_log
from tuner.model.application import Application
from tuner.model.query import QueryStatus
from tuner.plan.queries import queries

GOLDEN = Path(__file__).parents[1] / "golden" / "logs"
LOGS = ("3.0.3/adaptive-single-zstd", "4.3.0/static-single-lzf")
# What tells of plans, files and jobs is one event in thousands.
KEPT = (b".SparkListenerSQL", b"DriverAccumUpdates", b"JobStart", b"Application", b"LogStart")
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


def bursts(whole: list[bytes]) -> Iterator[list[bytes]]:
    """The log without so many events in a row, from each place in it."""
    for length in (4, 40):
        for start in range(0, len(whole), length):
            dropped = range(start, start + length)
            yield [line for n, line in enumerate(whole) if n not in dropped or any(kept in line[:100] for kept in KEPT)]


@pytest.mark.parametrize("log", LOGS)
def test_a_count_is_that_of_all_rows_or_unknown(log: str) -> None:
    whole = lines(log)
    truth = counts(fold(whole))
    assert any(None not in numbers for numbers in truth.values())
    unknown = 0
    for rest in bursts(whole):
        for key, numbers in counts(fold(rest)).items():
            assert all(number in (None, known) for number, known in zip(numbers, truth[key], strict=True)), key
            unknown += numbers != truth[key]
    assert unknown
