"""Runs whose end their task did not see, told by their logs: what is read of these, how often, and in how much memory."""

from __future__ import annotations

import subprocess
import sys
import tracemalloc
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from threading import Event
from time import sleep
from typing import Any

import pytest

from tests.conftest import wait_until
from tests.eventlog.samples import (
    BYTES,
    JOIN,
    ROWS,
    application_end,
    application_start,
    driver_updates,
    environment,
    execution_end,
    execution_start,
    job_end,
    job_start,
    log_start,
    with_field,
    write,
)
from tests.nightly import Nightly, Spark
from tuner.errors import StoreError
from tuner.eventlog import locate
from tuner.eventlog.location import local_path
from tuner.history import run_rows
from tuner.history.failure import Ending
from tuner.history.store import Store
from tuner.loop import harvest, kept_queries, read_marks, settle_earlier
from tuner.loop.loop import JobToRun, Turn, complete, prepare
from tuner.loop.time_limits import MostSeconds
from tuner.model.failure import FailureKind
from tuner.model.run import Origin, Outcome, Run, RunState
from tuner.steering.submit_conf import EVENT_LOG_DIR

STOPPED = "Job 0 cancelled because SparkContext was shut down"


@pytest.fixture
def nightly(tmp_path: Path) -> Nightly:
    return Nightly(tmp_path)


def leave(turn: Turn, *work: bytes) -> None:
    """The log of a run that did this and ended."""
    directory = local_path(turn.event_log_dir)
    assert directory is not None
    lines = [log_start(), application_start(), environment(**turn.conf), *work, application_end()]
    write(directory / "local-1", lines)


def executions(count: int, text: str = "") -> list[bytes]:
    """Of one query, all with these words in their plans."""
    scans = [{**scan, "simpleString": scan["simpleString"] + text} for scan in JOIN["children"]]
    info = {**JOIN, "children": scans}
    found = []
    for number in range(count):
        counted = driver_updates(number, (ROWS, 50), (BYTES, 1000))
        found += [execution_start(number, sparkPlanInfo=info), counted, execution_end(number, time=2000 + 10 * number)]
        # What has ended is let go of some events later.
        found += [driver_updates(10**6, (ROWS, 1))] * 10
    return found


OTHER_JOIN = {
    **JOIN,
    "children": [{**scan, "nodeName": scan["nodeName"].replace("db.", "db.other_")} for scan in JOIN["children"]],
}


# --- How they ended ---


def unseen(nightly: Nightly, *work: bytes) -> RunState:
    """How a run ended that was killed, or whose driver was lost: its log, which Spark has closed, tells."""
    leave(nightly.prepare("e/1/1"), *work)
    nightly.prepare("e/2/1")
    state: RunState = nightly.stored("e/1/1").state
    return state


def job(number: int, error: str | None, *, begun_ms: int) -> list[bytes]:
    start = with_field(job_start(None, job_id=number), ("Submission Time",), begun_ms)
    return [start, with_field(job_end(number, error), ("Completion Time",), begun_ms + 100)]


def test_a_run_killed_while_a_job_of_it_waited_has_failed(nightly: Nightly) -> None:
    """As spark.read.parquet waits for executors to find the schema: no SQL execution has begun."""
    assert unseen(nightly, *job(0, STOPPED, begun_ms=2500)) is RunState.FAILED
    failure = nightly.stored("e/1/1").failure
    assert failure is not None and failure.kind is FailureKind.STOPPED


def test_a_batch_that_its_streams_stop_has_cut_failed_nothing(nightly: Nightly) -> None:
    ids = "5f586cae-5abe-4b4c-89b9-9ae520e8572c"
    batch = execution_start(description=f"counts\nid = {ids}\nrunId = {ids}\nbatch = 7")
    cut = [batch, execution_end(error="java.lang.InterruptedException\n\tat java.base/java.util.concurrent.locks")]
    assert unseen(nightly, *cut) is RunState.SUCCEEDED


def test_what_compaction_left_out_of_a_log_that_ends_failed_nothing(nightly: Nightly) -> None:
    turn = nightly.prepare("e/1/1")
    directory = local_path(turn.event_log_dir)
    assert directory is not None
    rolling = directory / "eventlog_v2_local-1"
    rolling.mkdir(parents=True)
    (rolling / "appstatus_local-1").touch()
    lines = [log_start(), application_start(), environment(**turn.conf), *executions(1), application_end()]
    write(rolling / "events_1_local-1.compact", lines)
    nightly.prepare("e/2/1")
    assert nightly.stored("e/1/1").state is RunState.PARTIAL
    report = complete(turn, nightly.url, failed=None)
    assert report.run is not None
    assert (report.run.state, report.failure) == (RunState.PARTIAL, None)


def test_a_run_whose_job_never_ended_has_failed(nightly: Nightly) -> None:
    done = [execution_start(), execution_end(time=2400)]
    assert unseen(nightly, *done, job_start(None)) is RunState.FAILED


@pytest.mark.parametrize(
    "later",
    [job(1, None, begun_ms=2700), [execution_start(time=2700), execution_end(time=2800)]],
    ids=["job", "query"],
)
def test_a_program_that_went_on_after_a_failed_job_has_succeeded(nightly: Nightly, later: Sequence[bytes]) -> None:
    assert unseen(nightly, *job(0, "boom", begun_ms=2500), *later) is RunState.SUCCEEDED


def test_what_succeeded_before_does_not_make_up_for_a_failed_job(nightly: Nightly) -> None:
    assert unseen(nightly, *job(0, None, begun_ms=2000), *job(1, "boom", begun_ms=2500)) is RunState.FAILED


def test_a_job_that_failed_below_a_query_that_succeeded_says_nothing(nightly: Nightly) -> None:
    """AQE cancels jobs that a plan no longer needs."""
    assert unseen(nightly, execution_start(), job_start(), job_end(error="cancelled"), execution_end()) is (
        RunState.SUCCEEDED
    )


@pytest.mark.parametrize(
    ("work", "lands_late", "state"),
    [
        ([execution_start(), execution_end(time=2400)], True, RunState.SUCCEEDED),
        ([execution_start(), execution_end(time=2400)], False, RunState.FAILED),
        (job(0, "boom", begun_ms=2500), True, RunState.FAILED),
    ],
    ids=["clean", "clean, and seen where it was not killed", "failed"],
)
def test_of_a_try_that_was_cleared_before_its_log_landed_that_tells(
    nightly: Nightly, work: Sequence[bytes], lands_late: bool, state: RunState
) -> None:
    """Whether its task had failed, the next try does not know."""
    leave(nightly.prepare("e/1/1"), *work)
    prepare(replace(nightly.job("e/1/2"), log_lands_late=lands_late), nightly.url)
    assert nightly.stored("e/1/1").state is state


@pytest.mark.parametrize(("failed", "state"), [(False, RunState.SUCCEEDED), (None, RunState.FAILED)])
def test_what_its_task_saw_counts_before_what_its_log_tells(
    nightly: Nightly, failed: bool | None, state: RunState
) -> None:
    turn = nightly.prepare("e/1/1")
    leave(turn, *job(0, "boom", begun_ms=2500))
    complete(turn, nightly.url, failed=failed)
    assert nightly.stored("e/1/1").state is state


# --- Those whose ends were seen before their logs had landed ---


def late(nightly: Nightly, key: str) -> Turn:
    """A job of a service that delivers logs after their runs."""
    return prepare(replace(nightly.job(key), log_lands_late=True), nightly.url)


def failed_before_its_log(nightly: Nightly, key: str) -> Turn:
    turn = late(nightly, key)
    report = complete(turn, nightly.url, failed=True)
    assert report.problems[-1] == (
        "the event log is not there yet: the cohort's next decision reads what more it tells of the failure"
    )
    assert (nightly.stored(key).state, nightly.stored(key).outcome) == (RunState.FAILED, None)
    return turn


GOT_OVER = execution_start(), execution_end(error="[PARTITION_EXISTS]"), execution_start(1), execution_end(1)


@pytest.mark.parametrize("following", ["e/1/2", "e/2/1"], ids=["cleared", "next night"])
def test_what_was_seen_to_succeed_has_whatever_failed_in_its_log(nightly: Nightly, following: str) -> None:
    turn = late(nightly, "e/1/1")
    assert complete(turn, nightly.url, failed=False).problems[-1] == (
        "the event log is not there yet: the cohort's next decision reads it"
    )
    assert nightly.stored("e/1/1").state is RunState.RUNNING
    leave(turn, *GOT_OVER)
    late(nightly, following)
    told = nightly.stored("e/1/1")
    assert (told.state, told.failure) == (RunState.SUCCEEDED, None)
    assert told.outcome is not None


def test_what_was_seen_to_succeed_is_waited_for_though_it_was_cleared_and_then_lost_never_failed(
    nightly: Nightly, monkeypatch: pytest.MonkeyPatch
) -> None:
    complete(late(nightly, "e/1/1"), nightly.url, failed=False)
    late(nightly, "e/1/2")
    assert nightly.stored("e/1/1").state is RunState.RUNNING
    monkeypatch.setattr(settle_earlier, "LOST_AFTER", timedelta(days=-1))
    late(nightly, "e/1/3")
    assert nightly.stored("e/1/1").state is RunState.LOST


@pytest.mark.parametrize("following", ["e/1/2", "e/2/1"], ids=["cleared", "next night"])
@pytest.mark.parametrize("log_lands_late", [True, False], ids=["lands late", "is there at once"])
def test_so_it_has_though_its_harvest_took_too_long(
    nightly: Nightly, monkeypatch: pytest.MonkeyPatch, following: str, log_lands_late: bool
) -> None:
    turn, done = prepare(replace(nightly.job("e/1/1"), log_lands_late=log_lands_late), nightly.url), Event()
    monkeypatch.setattr("tuner.loop.complete.harvest", lambda *_, **__: done.wait())
    impatient = replace(turn, job=replace(turn.job, most_seconds=MostSeconds(after=2.0)))
    try:
        leave(turn, execution_start())
        assert complete(impatient, nightly.url, failed=False).is_late
        monkeypatch.undo()
        leave(turn, *GOT_OVER)
        prepare(replace(nightly.job(following), log_lands_late=log_lands_late), nightly.url)
        assert nightly.stored("e/1/1").state is RunState.SUCCEEDED
    finally:
        done.set()


@pytest.mark.parametrize("log_lands_late", [True, False], ids=["lands late", "is there at once"])
def test_so_it_has_though_its_outcome_could_not_be_stored(
    nightly: Nightly, monkeypatch: pytest.MonkeyPatch, log_lands_late: bool
) -> None:
    """To be stored, it begins once more."""
    turn = prepare(replace(nightly.job("e/1/1"), log_lands_late=log_lands_late), nightly.url)
    leave(turn, *GOT_OVER)

    def locked(*_: Any, **__: Any) -> bool:
        raise StoreError("database is locked")

    with monkeypatch.context() as patch:
        patch.setattr(Store, "finish", locked)
        complete(turn, nightly.url, failed=False)
        wait_until(lambda: nightly.stored("e/1/1").was_seen_to_succeed, 10)
    prepare(replace(nightly.job("e/1/2"), log_lands_late=log_lands_late), nightly.url)
    assert nightly.stored("e/1/1").state is RunState.SUCCEEDED


def test_a_store_that_is_down_costs_no_harvest_and_is_told_once(
    nightly: Nightly, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a short job, for which nobody waits longer than that store takes to refuse twice."""
    turn = nightly.prepare("e/1/1")
    leave(turn, *GOT_OVER)

    def refuse(*_: Any) -> Store:
        sleep(3)
        raise StoreError("connection refused")

    monkeypatch.setattr(Store, "open", refuse)
    impatient = replace(turn, job=replace(turn.job, most_seconds=MostSeconds(after=5.0)))
    report = complete(impatient, nightly.url, failed=False)
    assert report.run is not None and report.run.state is RunState.SUCCEEDED
    assert report.problems == ("could not store the outcome: connection refused",)


def test_a_retry_of_what_was_seen_to_succeed_has_what_is_proven(nightly: Nightly) -> None:
    """It was cleared before its log had landed."""
    for night in range(6):
        nightly.night(f"e/{night}/1")
    turn = late(nightly, "e/6/1")
    assert turn.decision.in_force
    complete(turn, nightly.url, failed=False)
    retry = late(nightly, "e/6/2").decision
    assert (retry.unsteered, bool(retry.in_force)) == (None, True)


def test_so_it_has_though_another_run_read_its_log_and_its_own_could_not(
    nightly: Nightly, monkeypatch: pytest.MonkeyPatch
) -> None:
    turn = nightly.prepare("e/1/1")
    leave(turn, *GOT_OVER)
    nightly.prepare("f/1/1")
    read = nightly.stored("e/1/1")
    assert (read.state, read.failure is None) == (RunState.FAILED, False)

    def unreadable(*_: Any, **__: Any) -> None:
        raise OSError

    monkeypatch.setattr("tuner.loop.complete.harvest", unreadable)
    complete(turn, nightly.url, failed=False)
    told = nightly.stored("e/1/1")
    assert (told.state, told.failure) == (RunState.SUCCEEDED, None)
    # A query that it got over failed all the same.
    assert told.outcome == read.outcome and read.outcome is not None


def test_who_begins_anew_was_not_seen_to_succeed(nightly: Nightly) -> None:
    """A DAG run that was deleted and is there again."""
    complete(late(nightly, "e/1/1"), nightly.url, failed=False)
    leave(late(nightly, "e/1/1"), *GOT_OVER)
    late(nightly, "e/2/1")
    assert nightly.stored("e/1/1").state is RunState.FAILED


def land(turn: Turn, *work: bytes, name: str = "local-1") -> None:
    """A part of a log."""
    directory = local_path(turn.event_log_dir)
    assert directory is not None
    write(directory / name, [log_start(), application_start(), environment(**turn.conf), *work])


@pytest.mark.parametrize(
    ("spark", "kind"),
    [(Spark(error="[DIVIDE_BY_ZERO] Division by zero"), FailureKind.DATA_OR_CODE), (Spark(), FailureKind.OWN_EXIT)],
    ids=["in a query", "outside"],
)
@pytest.mark.parametrize("following", ["e/1/2", "e/2/1"], ids=["retry", "next night"])
def test_its_log_tells_why_once_it_is_there(nightly: Nightly, spark: Spark, kind: FailureKind, following: str) -> None:
    turn = failed_before_its_log(nightly, "e/1/1")
    seen = nightly.stored("e/1/1")
    spark.run(turn)
    late(nightly, following)
    told = nightly.stored("e/1/1")
    assert (told.state, told.failure.kind) == (RunState.FAILED, kind)
    assert (told.ended_at, told.decision) == (seen.ended_at, seen.decision)


def test_of_a_log_that_is_there_in_part_a_retry_takes_what_tells_why(nightly: Nightly) -> None:
    failure = execution_start(), execution_end(error="[DIVIDE_BY_ZERO]")
    land(failed_before_its_log(nightly, "e/1/1"), execution_start())
    land(failed_before_its_log(nightly, "e/1/2"), *failure)
    late(nightly, "e/1/3")
    assert [nightly.stored(key).outcome is not None for key in ("e/1/1", "e/1/2")] == [False, True]


@pytest.mark.parametrize("name", ["local-1", "local-1.inprogress"])
def test_a_log_that_never_ends_tells_the_next_night(nightly: Nightly, name: str) -> None:
    """Its driver died: nothing more will come."""
    land(failed_before_its_log(nightly, "e/1/1"), execution_start(), name=name)
    late(nightly, "e/2/1")
    failure = nightly.stored("e/1/1").failure
    assert failure is not None and failure.kind is FailureKind.DRIVER_LOST


def test_what_was_there_of_its_log_is_told_at_once_and_the_whole_in_its_place(nightly: Nightly) -> None:
    turn = late(nightly, "e/1/1")
    land(turn, execution_start())
    complete(turn, nightly.url, failed=True)
    assert nightly.stored("e/1/1").failure.kind is FailureKind.DRIVER_LOST
    Spark(error="[DIVIDE_BY_ZERO] Division by zero").run(turn)
    late(nightly, "e/2/1")
    told = nightly.stored("e/1/1")
    assert told.outcome.duration_ms and told.failure.kind is FailureKind.DATA_OR_CODE


def test_it_is_looked_for_no_more_once_a_run_began_after_it_was_due(
    nightly: Nightly, monkeypatch: pytest.MonkeyPatch
) -> None:
    failed_before_its_log(nightly, "e/1/1")
    seen = nightly.stored("e/1/1")
    monkeypatch.setattr(run_rows, "DELIVERY", timedelta(0))
    late(nightly, "e/2/1")
    monkeypatch.setattr(settle_earlier, "LogsOfRuns", lambda runs, *_: pytest.fail(f"looked for {runs}"))
    with Store.open(nightly.url) as store:
        assert [run.key for run in store.failed_of_late(nightly.cohort)] == []
    assert nightly.stored("e/1/1") == seen


def test_a_part_that_tells_more_takes_the_place_of_one_that_told_less(nightly: Nightly) -> None:
    turn = late(nightly, "e/1/1")
    land(turn, execution_start())
    complete(turn, nightly.url, failed=True)
    land(turn, execution_start(), execution_end(error="[DIVIDE_BY_ZERO]"))
    late(nightly, "e/1/2")
    assert nightly.stored("e/1/1").failure.kind is FailureKind.DATA_OR_CODE


def test_what_its_driver_told_of_a_log_that_breaks_off_stays(nightly: Nightly) -> None:
    turn = nightly.prepare("e/1/1")
    land(turn, execution_start(), name="local-1.inprogress")
    complete(turn, nightly.url, failed=True, ending=Ending(137))
    nightly.prepare("e/2/1")
    assert nightly.stored("e/1/1").failure.kind is FailureKind.SIGKILLED


def test_among_those_of_others_it_is_not_looked_for_but_where_it_may_land_late(
    nightly: Nightly, monkeypatch: pytest.MonkeyPatch
) -> None:
    nightly.user_conf = {EVENT_LOG_DIR: nightly.root.as_uri(), "spark.eventLog.enabled": "true"}
    complete(nightly.prepare("e/1/1"), nightly.url, failed=True)
    sought = list[str]()
    monkeypatch.setattr(locate, "starting_conf", lambda source: sought.append(str(source)))
    Spark().write({EVENT_LOG_DIR: nightly.root.as_uri()}, "of-another")
    assert (nightly.prepare("e/2/1").problems, sought) == ((), [])
    with Store.open(nightly.url) as store:
        assert [run.key for run in store.failed_of_late(nightly.cohort)] == ["e/1/1"]


# --- Which of their logs are read ---


def instances(nightly: Nightly, run: str, count: int) -> list[Turn]:
    """Of a mapped task whose job has its log in a directory of its author's."""
    nightly.user_conf = {EVENT_LOG_DIR: (nightly.root / "logs").as_uri()}
    (nightly.root / "logs").mkdir(exist_ok=True)
    keys = [(f"e/{run}/load/{index}/1", Origin("e", run, "load", index)) for index in range(count)]
    return [prepare(replace(nightly.job(key), origin=origin), nightly.url) for key, origin in keys]


def run(turn: Turn, *, ended: bool) -> None:
    name = turn.job.key.replace("/", "-")
    Spark(ended=ended).write({**turn.job.user_conf, **turn.conf}, name)


def test_a_log_that_is_being_written_among_others_is_not_read(
    nightly: Nightly, monkeypatch: pytest.MonkeyPatch
) -> None:
    for turn in instances(nightly, "1", 2):
        run(turn, ended=False)
    monkeypatch.setattr(harvest, "read_log", lambda *_: pytest.fail("read a log that is being written"))
    assert nightly.prepare("e/2/load/0/1").problems == ()


def test_instances_of_a_mapped_task_are_left_to_themselves(nightly: Nightly, monkeypatch: pytest.MonkeyPatch) -> None:
    (first,) = instances(nightly, "1", 1)
    run(first, ended=True)
    with monkeypatch.context() as patch:
        patch.setattr(locate, "starting_conf", lambda _: pytest.fail("looked for the log of another instance"))
        instances(nightly, "1", 3)
    assert nightly.stored("e/1/load/0/1").state is RunState.RUNNING
    instances(nightly, "2", 1)
    assert nightly.stored("e/1/load/0/1").state is RunState.SUCCEEDED


def test_a_directory_of_many_logs_is_looked_through_once_for_all_runs(
    nightly: Nightly, monkeypatch: pytest.MonkeyPatch
) -> None:
    for turn in instances(nightly, "1", 4):
        run(turn, ended=True)
    looks, genuine = list[Any](), locate.starting_conf
    monkeypatch.setattr(locate, "starting_conf", lambda source: (looks.append(source), genuine(source))[1])
    nightly.prepare("e/2/load/0/1")
    assert len(looks) == 4
    with Store.open(nightly.url) as store:
        assert [r.state for r in store.runs("etl.load")[:4]] == [RunState.SUCCEEDED] * 4
        assert {r.outcome.app_id for r in store.runs("etl.load") if r.outcome} == {f"e-1-load-{n}-1" for n in range(4)}


def test_an_instance_that_was_not_heard_of_for_long_is_given_up_by_another(
    nightly: Nightly, monkeypatch: pytest.MonkeyPatch
) -> None:
    instances(nightly, "1", 1)
    monkeypatch.setattr(settle_earlier, "LOST_AFTER", timedelta(days=-1))
    instances(nightly, "1", 2)
    assert nightly.stored("e/1/load/0/1").state is RunState.LOST


# --- How often ---


def test_a_log_whose_readers_die_is_read_some_times_and_then_given_up(
    nightly: Nightly, monkeypatch: pytest.MonkeyPatch
) -> None:
    turn = nightly.prepare("e/1/1")
    Spark().run(turn)
    dying = [read_marks.marked(turn.job, "e/1/1") for _ in range(read_marks.MOST_DEATHS)]
    for one in dying:
        one.__enter__()
    monkeypatch.setattr(harvest, "read_log", lambda *_: pytest.fail("read once more"))
    # They may be reading it still.
    assert nightly.prepare("e/2/1").problems == ()
    assert nightly.stored("e/1/1").state is RunState.RUNNING
    assert read_marks.has_killed_its_readers(turn.job, "e/1/1")
    monkeypatch.setattr(settle_earlier, "LOST_AFTER", timedelta(days=-1))
    (said,) = (one for one in nightly.prepare("e/3/1").problems if "e/1/1" in one)
    assert said == "gave up the log of run e/1/1: 3 that read its log were ended while they did"
    assert nightly.stored("e/1/1").state is RunState.LOST
    assert not read_marks.has_killed_its_readers(turn.job, "e/1/1")


@pytest.mark.processes
def test_a_process_that_ends_by_itself_leaves_no_mark_of_its_own(nightly: Nightly) -> None:
    reads = """
import os
import sys
from pathlib import Path
from threading import Event
from tests.nightly import Nightly
from tuner.loop.read_marks import marked
from tuner.within_time import aside
nightly = Nightly(Path(sys.argv[1]))
began = Event()

def read():
    with marked(nightly.job("e/1/1"), "e/0/1"):
        began.set()
        Event().wait()

aside(read)
began.wait()
assert list((nightly.root / "events").rglob(".spark-tuner-reads*"))
if sys.argv[2] == "killed":
    os.kill(os.getpid(), 9)
"""
    for end, left in (("by itself", 0), ("killed", 1), ("by itself", 1)):
        subprocess.run(
            [sys.executable, "-c", reads, str(nightly.root), end], check=False, cwd=Path(__file__).parents[2]
        )
        assert len(list((nightly.root / "events").rglob(".spark-tuner-reads*"))) == left


def test_a_reader_that_lives_leaves_no_mark(nightly: Nightly) -> None:
    turn = nightly.prepare("e/1/1")
    Spark().run(turn)
    dying = read_marks.marked(turn.job, "e/1/1")
    dying.__enter__()
    nightly.prepare("e/2/1")
    assert nightly.stored("e/1/1").state is RunState.SUCCEEDED
    assert not [path for path in (nightly.root / "events").iterdir() if path.is_file()]


# --- In how much memory ---


@pytest.mark.nightly
def test_memory_does_not_grow_with_the_executions_of_a_log(nightly: Nightly) -> None:
    text = "x" * 60_000
    turn = nightly.prepare("e/1/1")
    leave(turn, *executions(400, text))
    tracemalloc.start()
    complete(turn, nightly.url, failed=False)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    outcome: Outcome = nightly.stored("e/1/1").outcome
    assert len(outcome.queries) == 400
    assert peak < 400 * len(text)


def test_of_a_query_that_runs_many_times_some_executions_are_kept_in_full(
    nightly: Nightly, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kept_queries, "MOST_IN_FULL", 8)
    turn = nightly.prepare("e/1/1")
    leave(turn, *executions(50))
    complete(turn, nightly.url, failed=False)
    kept = nightly.stored("e/1/1").outcome.queries
    assert [query.id for query in kept] == list(range(50))
    assert [query.duration_ms for query in kept] == [10 * number for number in range(50)]
    assert 4 <= sum(bool(query.joins) for query in kept) <= 8
    assert kept[-1].joins, "the newest are"


def test_a_query_that_runs_seldom_stays_in_full_beside_one_that_runs_often(
    nightly: Nightly, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kept_queries, "MOST_IN_FULL", 8)
    turn = nightly.prepare("e/1/1")
    seldom = execution_start(1000, sparkPlanInfo=OTHER_JOIN), execution_end(1000)
    leave(turn, *seldom, *executions(50))
    complete(turn, nightly.url, failed=False)
    *often, seldom_kept = nightly.stored("e/1/1").outcome.queries
    assert seldom_kept.joins
    assert 4 <= sum(bool(query.joins) for query in often) <= 7


@pytest.mark.parametrize(("first_ms", "in_full"), [(10, [False, True]), (6000, [True, False])])
def test_a_query_that_comes_when_all_places_are_taken_is_kept_in_full_where_it_took_longer(
    nightly: Nightly, monkeypatch: pytest.MonkeyPatch, first_ms: int, in_full: list[bool]
) -> None:
    monkeypatch.setattr(kept_queries, "MOST_IN_FULL", 1)
    turn = nightly.prepare("e/1/1")
    other = execution_start(sparkPlanInfo=OTHER_JOIN), execution_end(time=2000 + first_ms)
    leave(turn, *other, execution_start(1, sparkPlanInfo=JOIN), execution_end(1))
    complete(turn, nightly.url, failed=False)
    first, second = nightly.stored("e/1/1").outcome.queries
    assert first.fingerprint != second.fingerprint
    assert [bool(query.joins) for query in (first, second)] == in_full
    assert [query.duration_ms for query in (first, second)] == [first_ms, 6000]


def test_marks_lie_where_event_logs_go_on_whatever_file_system(nightly: Nightly) -> None:
    job = replace(nightly.job("e/1/1"), event_log_base="memory://marks/of/logs")
    dying = [read_marks.marked(job, "e/0/1") for _ in range(read_marks.MOST_DEATHS)]
    for one in dying:
        assert not read_marks.has_killed_its_readers(job, "e/0/1")
        one.__enter__()
    assert read_marks.has_killed_its_readers(job, "e/0/1")
    assert not read_marks.has_killed_its_readers(job, "e/0/2")
    with read_marks.marked(job, "e/0/1"):
        pass
    assert not read_marks.has_killed_its_readers(job, "e/0/1")


def test_where_no_mark_can_be_made_a_log_is_read_all_the_same(nightly: Nightly) -> None:
    (nightly.root / "file").write_text("")
    for base in ("", str(nightly.root / "file"), "nosuch://marks"):
        job = replace(nightly.job("e/1/1"), event_log_base=base)
        with read_marks.marked(job, "e/0/1"):
            assert not read_marks.has_killed_its_readers(job, "e/0/1")


# --- Where a decision does not wait for all of it ---


def test_the_newest_is_harvested_first_and_nothing_more_once_it_is_left(
    nightly: Nightly, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a log that takes too long each night those after it know nothing."""
    for turn in [nightly.prepare(f"e/{night}/1") for night in "123"]:
        Spark().run(turn)
    settled, settle, goes_on = list[str](), settle_earlier._settle, Event()

    def slow(store: Store, job: JobToRun, run: Run, *given: Any) -> None:
        settled.append(run.key)
        assert goes_on.wait(30)
        settle(store, job, run, *given)

    monkeypatch.setattr(settle_earlier, "_settle", slow)
    catching_up = prepare(replace(nightly.job("e/4/1"), most_seconds=MostSeconds(4.0)), nightly.url).catching_up
    assert catching_up is not None
    assert not catching_up.wait(0.0)
    catching_up.leave()
    goes_on.set()
    wait_until(lambda: not catching_up.goes_on, 40)
    assert settled == ["e/3/1"]
    prepare(nightly.job("e/5/1"), nightly.url)
    assert settled == ["e/3/1", "e/4/1", "e/2/1", "e/1/1"]
    with Store.open(nightly.url) as store:
        assert [r.state for r in store.runs("etl.load")[:3]] == [RunState.SUCCEEDED] * 3


def test_who_leaves_a_log_takes_away_no_warning_of_others(nightly: Nightly) -> None:
    job = nightly.job("e/1/1")
    dying = [read_marks.marked(job, "e/0/1") for _ in range(read_marks.MOST_DEATHS - 1)]
    for one in dying:
        one.__enter__()
    # They were other processes.
    read_marks._own.clear()
    with read_marks.marked(job, "e/0/1"):
        assert read_marks.has_killed_its_readers(job, "e/0/1")
        read_marks.take_own_marks_away()
        assert not read_marks.has_killed_its_readers(job, "e/0/1")
        (mark,) = (nightly.root / "events").rglob(".spark-tuner-reads*")
        assert len(mark.read_bytes()) == read_marks.MOST_DEATHS - 1
    assert not mark.exists(), "it was read to its end"
