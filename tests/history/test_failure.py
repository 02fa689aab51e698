"""Why a run failed: by its log, by how its driver ended, or by both."""

from __future__ import annotations

from dataclasses import replace

import msgspec
import pytest

from tuner.history.failure import UNSEEN, Ending, ending_in, failure_in, failure_of, failure_of_exit
from tuner.model.failure import Failure, FailureKind, LoggedFailure
from tuner.model.query import Query, QueryStatus
from tuner.model.run import Outcome
from tuner.words.failures import failure_words
from tuner.words.query_names import NO_NAMES, QueryNames

TIMED_OUT = LoggedFailure(FailureKind.BROADCAST_TIMEOUT, "broadcast timed out after 300 s", "SQL execution 4", 4)
STOPPED = LoggedFailure(FailureKind.STOPPED, "Spark was stopped while it ran", "job 9", 4, 9)
LOGGED = Failure(FailureKind.BROADCAST_TIMEOUT, "broadcast timed out after 300 s", "q4", "SQL execution 4", 4)


def query(number: int, status: QueryStatus, root: int | None = None) -> Query:
    return Query(number, number if root is None else root, f"q{number}", "", 0, None, status)


def test_it_is_said_with_the_query() -> None:
    found = failure_in([TIMED_OUT], [query(4, QueryStatus.FAILED)])
    assert found == LOGGED
    names = QueryNames([replace(query(4, QueryStatus.FAILED), description="daily sales")])
    assert failure_words(found, names) == "broadcast timed out after 300 s in daily sales"
    assert failure_words(failure_in([TIMED_OUT]), names) == "broadcast timed out after 300 s in SQL execution 4"  # type: ignore[arg-type]
    assert failure_in([]) is None


def test_of_a_command_it_is_the_query_that_it_ran() -> None:
    ran = [query(5, QueryStatus.SUCCEEDED, root=4), query(6, QueryStatus.FAILED, root=4)]
    assert failure_in([TIMED_OUT], ran) == replace(LOGGED, query="q6")


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        (-9, FailureKind.SIGKILLED),
        (137, FailureKind.SIGKILLED),
        (-15, FailureKind.KILLED),
        (143, FailureKind.KILLED),
        (130, FailureKind.KILLED),
        (134, FailureKind.DRIVER_LOST),
        (-11, FailureKind.DRIVER_LOST),
        (52, FailureKind.DRIVER_OUT_OF_MEMORY),
        (0, None),
        (1, None),
        (255, None),
        (None, None),
    ],
)
def test_an_exit_code_tells(code: int | None, kind: FailureKind | None) -> None:
    found = failure_of_exit(code)
    assert (found.kind if found else None) == kind


def test_what_airflows_operator_says_of_the_end() -> None:
    said = "Cannot execute: spark-submit 'Error code is: 1.' app.py. Error code is: 137."
    assert ending_in(said) == Ending(137)
    on_kubernetes = "Cannot execute: x. Error code is: 1. Kubernetes spark exit code is: "
    assert ending_in(on_kubernetes + "52") == Ending(52)
    assert ending_in(on_kubernetes + "None") == Ending(1)
    assert ending_in(said + "\nLast spark-submit output:\na\nb") == Ending(137, "a\nb")
    assert ending_in("Error code is: 1. Then more") == ending_in("Job was killed") == UNSEEN


def test_the_last_words_of_spark_submit_tell_what_older_logs_do_not() -> None:
    said = "org.apache.spark.SparkException: Could not execute broadcast in 300 secs. You can increase the timeout"
    found = failure_of(None, Ending(1, said), ended=True)
    assert found == Failure(FailureKind.BROADCAST_TIMEOUT, "broadcast timed out after 300 s")
    assert failure_of(None, Ending(137, "INFO Utils: done"), ended=True).kind is FailureKind.SIGKILLED  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "said",
    [
        "diagnostics: AM Container for appattempt_1_0001_000001 exited with exitCode: -104\nDiagnostics: Container is running "
        "beyond physical memory limits. Current usage: 2.5 GB of 2.4 GB physical memory used",
        "container name: spark-kubernetes-driver\n\t\t container state: terminated\n\t\t exit code: 137\n"
        "\t\t termination reason: OOMKilled",
    ],
)
def test_what_spark_submit_says_last_of_a_container_is_the_drivers(said: str) -> None:
    found = failure_of(None, Ending(1, said), ended=False)
    assert found is not None and found.kind is FailureKind.DRIVER_OVER_LIMIT


def test_what_the_log_says_counts_more_than_the_exit_code() -> None:
    assert failure_of(LOGGED, Ending(137), ended=False) == LOGGED


def test_the_exit_code_says_why_spark_was_stopped() -> None:
    stopped = failure_in([STOPPED], [query(4, QueryStatus.FAILED)])
    found = failure_of(stopped, Ending(143), ended=True)
    assert found is not None
    assert (found.kind, failure_words(found, NO_NAMES)) == (FailureKind.KILLED, "killed by SIGTERM in query q4")
    assert failure_of(stopped, Ending(1), ended=True) == stopped


def test_executors_that_were_lost_for_memory_did_not_end_what_was_killed() -> None:
    lost = [LoggedFailure(FailureKind.EXECUTOR_OUT_OF_MEMORY, "", "executor", lost_executor=str(n)) for n in range(3)]
    for code, kind in ((1, FailureKind.EXECUTOR_OUT_OF_MEMORY), (143, FailureKind.KILLED)):
        ending = Ending(code)
        found = failure_of(failure_in([*lost, STOPPED], ending=ending), ending, ended=True)
        assert found is not None and found.kind is kind


def test_a_log_that_breaks_off_tells_what_was_running() -> None:
    running = [query(1, QueryStatus.SUCCEEDED), query(2, QueryStatus.UNFINISHED)]
    found = failure_of(None, Ending(1), ended=False, queries=running)
    assert found == Failure(FailureKind.DRIVER_LOST, "the driver was lost: its log breaks off", "q2")
    assert failure_of(None, Ending(137), ended=False, queries=running).kind is FailureKind.SIGKILLED  # type: ignore[arg-type]
    assert failure_of(None, Ending(1), ended=True, queries=running) is None


@pytest.mark.parametrize("said", ["", "Traceback\nAssertionError: expected 6", "INFO MemoryStore: MemoryStore cleared"])
def test_a_job_whose_queries_all_succeeded_ended_itself(said: str) -> None:
    ran = [query(1, QueryStatus.SUCCEEDED)]
    found = failure_of(None, Ending(3, said), ended=True, tells_all=True, queries=ran)
    assert found == Failure(FailureKind.OWN_EXIT, "the job ended outside any query (exit code 3)")


def test_so_it_did_where_nobody_saw_its_exit_code() -> None:
    ran = [query(1, QueryStatus.SUCCEEDED)]
    found = failure_of(None, UNSEEN, ended=True, tells_all=True, queries=ran, is_seen=True)
    assert found == Failure(FailureKind.OWN_EXIT, "the job ended outside any query")


def test_so_it_is_said_only_where_nothing_else_can_be() -> None:
    def told(ending: Ending, status: QueryStatus = QueryStatus.SUCCEEDED, **kwargs: bool) -> FailureKind | None:
        told = {"ended": True, "tells_all": True} | kwargs
        found = failure_of(None, ending, queries=[query(1, status)], **told)  # type: ignore[arg-type]
        return found.kind if found else None

    assert told(Ending(1)) is FailureKind.OWN_EXIT
    assert told(Ending(1), tells_all=False) is None
    assert told(Ending(1), ended=False) is FailureKind.DRIVER_LOST
    assert told(Ending(1), QueryStatus.UNFINISHED) is None
    assert told(UNSEEN, is_seen=True) is FailureKind.OWN_EXIT
    assert told(UNSEEN) is None, "nobody saw it fail: its task may have been killed"
    assert told(UNSEEN, is_seen=True, tells_all=False) is None
    assert told(UNSEEN, QueryStatus.UNFINISHED, is_seen=True) is None
    assert told(Ending(52)) is FailureKind.DRIVER_OUT_OF_MEMORY
    assert told(Ending(-15)) is FailureKind.KILLED
    assert told(Ending(1, "java.net.UnknownHostException: nohost")) is FailureKind.UNREACHABLE


# What Spark says on its way of tasks and executors that it made up for: spark-submit's last words hold that, too.
ON_ITS_WAY = [
    "WARN TaskSetManager: Lost task 0.0 in stage 1.0 (TID 1) (h executor 1): java.lang.OutOfMemoryError: Java heap space",
    "ERROR TaskSchedulerImpl: Lost executor 1 on h: Container killed by YARN for exceeding memory limits. 5 GB of 5 GB used",
    "WARN TaskSetManager: Lost task 0.0 in stage 1.0 (TID 1) (h executor 1): SparkOutOfMemoryError: Unable to acquire 9 bytes",
    "ERROR TaskSchedulerImpl: Lost executor 1 on h: Container c on host: h was preempted.",
]


@pytest.mark.parametrize("said", ON_ITS_WAY)
def test_what_spark_made_up_for_did_not_end_a_job_whose_log_tells_all(said: str) -> None:
    said += "\n\tat a.B\nTraceback (most recent call last):\nValueError: only 3 rows"
    ran = [query(1, QueryStatus.SUCCEEDED)]
    found = failure_of(None, Ending(1, said), ended=True, tells_all=True, queries=ran)
    assert found == Failure(FailureKind.OWN_EXIT, "the job ended outside any query (exit code 1)")
    unknown = Failure(FailureKind.UNKNOWN, "failed", "q1")
    assert failure_of(unknown, Ending(1, said), ended=True, tells_all=True, queries=ran) == unknown
    killed = failure_of(unknown, Ending(143, said), ended=False, queries=ran)
    assert killed is not None and killed.kind is FailureKind.KILLED
    # An earlier Spark's log, or one that breaks off, tells less.
    for less in ({"tells_all": False, "ended": True}, {"tells_all": True, "ended": False}):
        told = failure_of(None, Ending(1, said), queries=ran, **less)
        assert told is not None and told.kind not in (FailureKind.OWN_EXIT, FailureKind.UNKNOWN)


@pytest.mark.parametrize(("tells_all", "ended"), [(False, True), (True, False)], ids=["earlier Spark", "breaks off"])
def test_direct_memory_that_the_job_limits_is_no_heap_whatever_spark_submit_says_last(
    tells_all: bool, ended: bool
) -> None:
    full = LoggedFailure(FailureKind.UNKNOWN, "its direct memory was full", "job 9", 4, 9, of_direct_memory=True)
    said = ON_ITS_WAY[0].replace("Java heap space", "Direct buffer memory")
    ran = [query(4, QueryStatus.FAILED)]
    found = failure_of(failure_in([full], ran), Ending(1, said), ended=ended, tells_all=tells_all, queries=ran)
    assert found is not None
    assert (found.kind, found.words, found.query) == (full.kind, full.words, "q4")


def test_an_outcome_of_a_version_that_kept_no_failure_is_read() -> None:
    document = b'{"app_id":"a","spark_version":"4.0.1","duration_ms":1,"cluster":{},"queries":[]}'
    assert msgspec.json.decode(document, type=Outcome).failure is None
