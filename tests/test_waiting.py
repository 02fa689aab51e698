"""What a job waits for, whatever hangs: only so long, and then it runs as it would have."""

from __future__ import annotations

import os
import socket
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from sqlalchemy import Connection, Engine, event

from tests.conftest import wait_until
from tests.nightly import Nightly, Spark
from tuner.history.failure import Ending
from tuner.history.store import Store
from tuner.loop import harvest, next_decision, recorded
from tuner.loop import prepare as prepare_module
from tuner.loop.loop import JobToRun, Turn, complete, prepare
from tuner.loop.time_limits import MostSeconds
from tuner.model.run import RunState
from tuner.within_time import Consent, begun_aside, within
from tuner.words.decisions import decision_summary

SHORT = MostSeconds(1.0, 1.0)
# What a busy machine may add to a wait of 1 s; far below what SQLite, or what is slow here, waits for.
SLACK = 4.0
TRY_1, TRY_2 = "e/2/1", "e/2/2"


@pytest.fixture
def nightly(tmp_path: Path) -> Nightly:
    """A job whose second run is steered."""
    found = Nightly(tmp_path)
    found.night("e/1/1")
    return found


@contextmanager
def locked(nightly: Nightly) -> Iterator[None]:
    connection = sqlite3.connect(nightly.root / "history.db", isolation_level=None)
    connection.execute("BEGIN EXCLUSIVE")
    try:
        yield
    finally:
        connection.close()


def impatient(nightly: Nightly, key: str = TRY_1) -> JobToRun:
    return replace(nightly.job(key), most_seconds=SHORT)


def soon(wait: Callable[[], Any]) -> Any:
    started = time.monotonic()
    found = wait()
    assert time.monotonic() - started < SLACK
    return found


def state_of(nightly: Nightly, key: str = TRY_1) -> RunState | None:
    run = nightly.stored(key)
    return run.state if run else None


def test_a_locked_store_costs_a_job_no_more_than_its_limit_and_its_steering(nightly: Nightly) -> None:
    with locked(nightly):
        turn = soon(lambda: prepare(impatient(nightly), nightly.url))
    assert (turn.decision.in_force, dict(turn.directives.conf)) == ((), {})
    (problem,) = turn.problems  # where the machine is loaded, it has not even decided by then
    assert problem.endswith(" within 1 s: this run is not steered; most_seconds_before is how long a job waits")
    assert "spark.tuner.key" in turn.conf, "its log can be harvested"
    wait_until(lambda: state_of(nightly) is RunState.RUNNING, 40)
    assert not nightly.stored(TRY_1).decision.in_force, "what is recorded is what was submitted"


@pytest.mark.parametrize("seconds", [1000.0, 20.0])
def test_a_place_for_the_event_log_is_waited_for_as_long_as_the_job_may_wait(
    nightly: Nightly, monkeypatch: pytest.MonkeyPatch, seconds: float
) -> None:
    """A client of a remote file system that starts takes more than the 2 s of a short job."""
    found = prepare_module.event_log_place
    monkeypatch.setattr(prepare_module, "event_log_place", lambda job: (time.sleep(2.5), found(job))[1])
    monkeypatch.setattr(Store, "usual_ms", lambda *_: seconds * 1e3)
    turn = prepare(replace(nightly.job(TRY_1), most_seconds=MostSeconds()), nightly.url)
    if seconds == 1000.0:
        assert (turn.is_late, turn.problems) == (False, ())
        assert turn.event_log_dir and turn.decision.changes
    else:
        assert turn.problems[0].startswith("could not find a place for the event log within 2 s")
        assert not turn.event_log_dir


def test_where_no_thread_can_start_work_is_done_when_it_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tuner.within_time.aside", lambda _: (_ for _ in ()).throw(RuntimeError("no thread")))
    assert begun_aside(lambda: 7)() == 7


def test_a_decision_that_comes_too_late_is_never_recorded(nightly: Nightly, monkeypatch: pytest.MonkeyPatch) -> None:
    decided, advise = Event(), next_decision._advise
    monkeypatch.setattr(next_decision, "_advise", lambda facts: (decided.wait(30), advise(facts))[1])
    begun = list[recorded._Begun]()
    begin = recorded._begin
    monkeypatch.setattr(recorded, "_begin", lambda *given: begun.append(begin(*given)) or begun[-1])
    turn = soon(lambda: prepare(impatient(nightly), nightly.url))
    assert turn.problems[-1].startswith("could not advise within 1 s")
    decided.set()
    wait_until(lambda: begun == [recorded._Begun.NOT_RECORDED], 40)
    wait_until(lambda: state_of(nightly) is RunState.RUNNING, 40)
    assert nightly.stored(TRY_1).decision == turn.decision


def test_while_a_record_hangs_in_its_commit_the_run_has_a_key_of_its_own(nightly: Nightly) -> None:
    hangs, goes_on = Event(), Event()

    def commit(connection: Connection) -> None:
        if connection.get_execution_options().get("spark_tuner_writes") and not hangs.is_set():
            hangs.set()
            goes_on.wait(30)

    job = replace(nightly.job(TRY_1), most_seconds=MostSeconds(2.0))
    event.listen(Engine, "commit", commit)
    try:
        found = prepare(job, nightly.url)
        assert hangs.is_set()
        assert not found.decision.in_force
        assert found.job.key == f"{TRY_1}-unsteered"
        goes_on.set()
        wait_until(lambda: state_of(nightly) is RunState.LOST, 40)
    finally:
        goes_on.set()
        event.remove(Engine, "commit", commit)


def test_what_is_not_stored_in_time_is_harvested_at_the_next_decision(nightly: Nightly) -> None:
    turn = prepare(nightly.job(TRY_1), nightly.url)
    assert turn.decision.in_force
    turn = replace(turn, job=replace(turn.job, most_seconds=SHORT))
    Spark(4.0, broadcast=True).run(turn)
    with locked(nightly):
        report = soon(lambda: complete(turn, nightly.url, failed=False))
        assert report.run is None
        assert report.problems[-1].endswith(
            "within 1 s: left for the cohort's next decision; most_seconds_after is how long a job waits"
        )
    assert nightly.prepare("e/3/1").problems == ()
    assert state_of(nightly) is RunState.SUCCEEDED
    assert nightly.stored(TRY_1).decision.in_force == turn.decision.in_force


def test_the_end_of_a_failed_job_is_told_however_long_its_harvest_takes(
    nightly: Nightly, monkeypatch: pytest.MonkeyPatch
) -> None:
    turn = prepare(nightly.job(TRY_1), nightly.url)
    monkeypatch.setattr("tuner.loop.complete.log_of_run", lambda *_: time.sleep(30))
    turn = replace(turn, job=replace(turn.job, most_seconds=SHORT))
    report = soon(lambda: complete(turn, nightly.url, failed=True, ending=Ending(-9)))
    assert report.failure is not None
    assert report.problems[-1].startswith("could not harvest the event log within 1 s")


def test_a_large_log_of_an_earlier_run_is_harvested_while_the_job_runs(
    nightly: Nightly, monkeypatch: pytest.MonkeyPatch
) -> None:
    Spark(4.0, broadcast=True).run(prepare(nightly.job(TRY_1), nightly.url))
    read, read_log = Event(), harvest.read_log
    monkeypatch.setattr(harvest, "read_log", lambda *given: (read.wait(30), read_log(*given))[1])
    job = replace(nightly.job("e/3/1"), most_seconds=MostSeconds(6.0, 2.0))
    turn = prepare(job, nightly.url)
    assert turn.problems[0].startswith("could not harvest run e/2/1 within ")
    assert len(turn.problems) == 1, "the decision was in time"
    read.set()
    wait_until(lambda: state_of(nightly) is RunState.SUCCEEDED, 40)


@pytest.mark.parametrize(("after", "state"), [(30.0, RunState.SUCCEEDED), (3.0, RunState.RUNNING)])
def test_where_its_own_log_lands_late_a_job_waits_for_what_its_decision_did_not_wait_for(
    nightly: Nightly, monkeypatch: pytest.MonkeyPatch, after: float, state: RunState
) -> None:
    Spark(4.0, broadcast=True).run(prepare(nightly.job(TRY_1), nightly.url))
    has_run, goes_on, read_log = Event(), Event(), harvest.read_log

    def slow(*given: Any) -> Any:
        assert has_run.wait(30)
        goes_on.wait(1.0 if state is RunState.SUCCEEDED else 30.0)
        return read_log(*given)

    monkeypatch.setattr(harvest, "read_log", slow)
    late = replace(nightly.job("e/3/1"), most_seconds=MostSeconds(4.0, after), log_lands_late=True)
    turn = prepare(late, nightly.url)
    has_run.set()
    report = soon(lambda: complete(turn, nightly.url, failed=False))
    assert state_of(nightly) is state
    told = {
        RunState.SUCCEEDED: "the event log is not there yet: the cohort's next decision reads it",
        RunState.RUNNING: "could not harvest earlier runs within 3 s: left for the cohort's next decision; "
        "most_seconds_after is how long a job waits",
    }
    assert report.problems[-1] == told[state]
    goes_on.set()


def test_the_retry_of_a_steered_run_is_clean_though_nothing_is_known_of_it(
    nightly: Nightly, monkeypatch: pytest.MonkeyPatch
) -> None:
    turn = prepare(nightly.job(TRY_1), nightly.url)
    Spark(4.0, broadcast=True, error="boom").run(turn)
    with locked(nightly):
        complete(replace(turn, job=replace(turn.job, most_seconds=SHORT)), nightly.url, failed=True)
        assert not prepare(impatient(nightly, TRY_2), nightly.url).decision.in_force
    monkeypatch.setattr(harvest, "read_log", lambda *_: time.sleep(30))
    found = prepare(replace(nightly.job("e/2/3"), most_seconds=MostSeconds(6.0)), nightly.url)
    assert (
        decision_summary(found.decision)
        == "try 3: an earlier try with changes failed, so this one runs without changes"
    )


def test_a_server_that_accepts_and_never_answers(nightly: Nightly) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        url = f"postgresql://u@127.0.0.1:{server.getsockname()[1]}/x"
        turn: Turn = soon(lambda: prepare(impatient(nightly), url))
        assert turn.problems[0].startswith("could not open the history store within 1 s")
        Spark().run(turn)
        report = soon(lambda: complete(turn, url, failed=False))
    assert report.problems[-1].startswith("could not store the outcome within 1 s")


@pytest.mark.processes
def test_neither_the_job_nor_the_end_of_the_process_waits_for_a_store(nightly: Nightly) -> None:
    program = nightly.root / "spark" / "bin" / "spark-submit"
    program.parent.mkdir(parents=True)
    program.write_text("#!/bin/sh\nexit 7\n")
    program.chmod(0o755)
    command = [sys.executable, "-m", "tuner.cli", "submit", "--cohort", "n", "--db", nightly.url]
    command += ["--most-seconds-before", "0.3", "--", "app.py"]
    environ = {
        **os.environ,
        "SPARK_HOME": str(program.parents[1]),
        "XDG_DATA_HOME": str(nightly.root),
        "SPARK_TUNER_MOST_SECONDS_AFTER": "0.3",
    }
    with locked(nightly):
        done = subprocess.run(command, env=environ, capture_output=True, text=True, timeout=25, check=False)
    assert done.returncode == 7
    assert done.stderr.count(" within 0.3 s: ") == 2


def test_what_fails_in_time_fails_as_it_would_have() -> None:
    with pytest.raises(ZeroDivisionError):
        within(5, lambda: 1 / 0, lambda: 0.0)


def test_of_consent_what_comes_first_holds() -> None:
    taken, withdrawn = Consent(), Consent()
    assert (taken.take(), taken.withdraw(), taken.take()) == (True, False, True)
    assert (withdrawn.withdraw(), withdrawn.take()) == (True, False)
