"""Logs of Databricks, which often have no application end."""

from __future__ import annotations

import gzip
import io
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import zstandard

from tuner.eventlog.as_ended import QUIET, as_ended
from tuner.eventlog.find import find_logs
from tuner.eventlog.fragment import Fragment
from tuner.eventlog.read import join_pieces, read_application, stream_piece
from tuner.model.application import Application, Completeness
from tuner.model.run import RunState
from tuner.plan.queries import queries
from tuner.replay.logged_run import logged_run

from .samples import (
    application_start,
    event,
    execution_end,
    execution_start,
    job_end,
    job_start,
    log_start,
    whole_log,
    write,
)

REAL = Path(__file__).parents[3] / "shared" / "eventlogs" / "db_subExecution_id.zstd"
OF_DATABRICKS = event("DBCEventLoggingListenerMetadata", Spark_Version="3.5.0", Rollover_Number=0)
START = [OF_DATABRICKS, application_start()]
# The sample's work ends 8 seconds after the epoch.
LATER = datetime.fromtimestamp(8, UTC) + QUIET


def read(tmp_path: Path, lines: Sequence[bytes]) -> Application:
    (source,) = find_logs(write(tmp_path / "eventlog", lines))
    return read_application(source)


def pieces_of(lines: Sequence[bytes], directory: Path) -> Path:
    """A log as Databricks delivers it: rolled over twice."""
    third = len(lines) // 3
    write(directory / "eventlog-2024-02-13--19-00.gz", gzip.compress(b"".join(lines[third : 2 * third])))
    write(directory / "eventlog-2024-02-13--18-00.gz", gzip.compress(b"".join(lines[:third])))
    write(directory / "eventlog", lines[2 * third :])
    return directory


def test_it_ended_with_its_last_work(tmp_path: Path) -> None:
    found = read(tmp_path, [OF_DATABRICKS, *whole_log()[1:-1]])
    assert (found.status, found.end_ms) == (Completeness.PARTIAL, None)
    ended = as_ended(found, LATER)
    assert (ended.status, ended.end_ms, ended.problems) == (Completeness.COMPLETE, 8000, ())
    assert as_ended(found, LATER - timedelta(seconds=1)) == found, "it may go on"


@pytest.mark.parametrize(
    "lines",
    [
        [log_start(), *whole_log()[1:-1]],
        [*START, execution_start(0), execution_end(0), execution_start(1)],
        [*START, job_start(None), job_end(), job_start(None, [1], 1)],
        [*START, execution_start(0), execution_end(0), execution_start(1)[:40]],
        [*START, execution_start(0), execution_end(0), b"not an event\n"],
        [OF_DATABRICKS, execution_start(0), execution_end(0)],
        START,
    ],
    ids=["of Spark", "a query goes on", "a job goes on", "cut", "damaged", "without a start", "without work"],
)
def test_of_others_more_than_the_end_may_be_missing(tmp_path: Path, lines: list[bytes]) -> None:
    found = read(tmp_path, lines)
    assert as_ended(found, LATER) == found and found.status is Completeness.PARTIAL


def test_one_that_ended_ends_where_it_says(tmp_path: Path) -> None:
    found = read(tmp_path, [OF_DATABRICKS, *whole_log()[1:]])
    assert as_ended(found, LATER) == found and found.end_ms == 9000


@pytest.mark.skipif(not REAL.is_file(), reason=f"there is no {REAL}")
def test_a_real_log_as_it_is_delivered(tmp_path: Path) -> None:
    with REAL.open("rb") as packed:
        plain = zstandard.ZstdDecompressor().stream_reader(packed, read_across_frames=True)
        lines = io.BufferedReader(plain).readlines()
    directory = pieces_of(lines, tmp_path / "0213-185822-abc" / "eventlog" / "0213-185822-abc_10_13_1_10" / "888091")
    (source,) = find_logs(tmp_path)
    assert source.path == directory and source.delivered
    found, now = read_application(source), datetime.now(UTC)
    ended = as_ended(found, now)
    assert (ended.status, len(ended.executions), ended.end_ms) == (Completeness.COMPLETE, 12, 1707851043846)
    run = logged_run(ended, queries(found), "log")
    assert run is not None
    assert (run.state, run.outcome.duration_ms) == (RunState.SUCCEEDED, 1707851043846 - 1707850698237)

    def pieces() -> list[Fragment]:
        works = [stream_piece(source, position) for position in range(len(source.files))]
        return [_returned(work) for work in works]

    joined = _returned(join_pieces(source, pieces()))
    assert joined.work_ended_ms == found.work_ended_ms


def _returned(works: object) -> Fragment:
    while True:
        try:
            next(works)  # type: ignore[call-overload]
        except StopIteration as end:
            return end.value  # type: ignore[no-any-return]
