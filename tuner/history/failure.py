"""Why a run failed: from its log, and from how its driver ended."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from tuner.eventlog.failure_rules import recognise
from tuner.eventlog.root_cause import root_cause
from tuner.model.failure import OF_EXECUTOR_MEMORY, UNEXPLAINED, Failure, FailureKind, LoggedFailure
from tuner.model.query import Query, QueryStatus

# Since this version a log tells of every query that failed (SPARK-40834).
TELLS_FAILURES = (3, 4)
_KILLED_BY_SIGNAL = 128
_SIGKILL = 9
# SIGHUP, SIGINT, SIGTERM.
_ASKED_TO_END = {1: "SIGHUP", 2: "SIGINT", 15: "SIGTERM"}
# SIGABRT, SIGBUS, SIGSEGV.
_CRASHED = frozenset({6, 7, 11})
_OUT_OF_MEMORY = 52  # SparkExitCode.OOM
# How the Spark provider's SparkSubmitHook says it; newer ones add the last lines that spark-submit put out.
_EXIT_CODE = re.compile(r"Error code is: (-?\d{1,5})\.(?: Kubernetes spark exit code is: (\d{1,5}|None))?\Z")
_LAST_WORDS = "\nLast spark-submit output:\n"
# What ends a job only where its log tells of one that failed: Spark says it, too, of what it made up for.
_MADE_UP_FOR = OF_EXECUTOR_MEMORY | {
    FailureKind.EXECUTOR_PREEMPTED,
    FailureKind.RESULT_LOST,
    FailureKind.RESULT_TOO_LARGE,
    FailureKind.BROADCAST_TIMEOUT,
    FailureKind.BROADCAST_TOO_LARGE,
    FailureKind.BROADCAST_OUT_OF_MEMORY,
}


@dataclass(frozen=True, slots=True)
class Ending:
    """How a job ended, as far as its submitter saw: spark-submit's exit code (None: not known), and its last words."""

    exit_code: int | None = None
    said: str = ""


UNSEEN = Ending()


def failure_in(
    failed: Sequence[LoggedFailure], queries: Sequence[Query] = (), executors: int = 0, ending: Ending = UNSEEN
) -> Failure | None:
    """What most likely failed an application of so many executors at once, of what failed in it; None where nothing did."""
    told = _told(ending)
    found = root_cause(failed, executors, is_killed=told is not None and told.kind is FailureKind.KILLED)
    if found is None:
        return None
    at, direct = found.execution_id, found.of_direct_memory
    failure = Failure(found.kind, found.words, where=found.where, execution_id=at, of_direct_memory=direct)
    return with_query(failure, queries)


def with_query(failure: Failure, queries: Sequence[Query]) -> Failure:
    """The same with the query that failed, where it is one of these."""
    return replace(failure, query=_fingerprint(failure.execution_id, queries) or failure.query)


def failure_of_exit(code: int | None) -> Failure | None:
    """What the exit code of a driver or of spark-submit tells (a signal as 128 + its number, or negative); None where it
    only says that it failed."""
    if code is None or code == 0:
        return None
    signal = -code if code < 0 else code - _KILLED_BY_SIGNAL
    if signal == _SIGKILL:
        return Failure(FailureKind.SIGKILLED, "killed by SIGKILL, as where memory runs out")
    if signal in _ASKED_TO_END:
        return Failure(FailureKind.KILLED, f"killed by {_ASKED_TO_END[signal]}")
    if signal in _CRASHED:
        return Failure(FailureKind.DRIVER_LOST, f"the driver crashed (signal {signal})")
    if code == _OUT_OF_MEMORY:
        return Failure(FailureKind.DRIVER_OUT_OF_MEMORY, f"the driver ran out of memory (exit code {code})")
    return None


def ending_in(message: str) -> Ending:
    """What an exception of Airflow's operator tells of the end of its job: the driver's exit code where there are two."""
    head, _, said = message.partition(_LAST_WORDS)
    found = _EXIT_CODE.search(head)
    if found is None:
        return Ending()
    driver = found[2] if found[2] not in (None, "None") else None
    return Ending(int(driver or found[1]), said)


def failure_of(
    logged: Failure | None,
    ending: Ending,
    *,
    ended: bool,
    tells_all: bool = False,
    queries: Sequence[Query] = (),
    is_seen: bool = False,
) -> Failure | None:
    """Why a run that failed did so: what its log says, else how its driver ended, else that its log breaks off.

    `ended` says that the log tells the application's end, `tells_all` that it would tell of any query that failed, `is_seen`
    that its submitter saw it fail. None where nothing is known.
    """
    if logged is not None and (logged.kind not in UNEXPLAINED or logged.of_direct_memory):
        return logged
    told = _told(ending, is_in_log=ended and tells_all)
    if logged is None and ended and tells_all and all(q.status is QueryStatus.SUCCEEDED for q in queries):
        return _outside_queries(told, ending, is_seen=is_seen)
    if told is None and not ended:
        told = Failure(FailureKind.DRIVER_LOST, "the driver was lost: its log breaks off")
    if told is None:
        return logged
    if logged is not None:
        return replace(logged, kind=told.kind, words=told.words)
    running = [q.fingerprint for q in queries if q.status is QueryStatus.UNFINISHED]
    return replace(told, query=running[-1]) if running else told


def _told(ending: Ending, *, is_in_log: bool = False) -> Failure | None:
    """What the end tells. `is_in_log`: the log would tell of any query that failed, and of why."""
    kind, words = recognise(ending.said)
    by_code = failure_of_exit(ending.exit_code)
    was_killed = by_code is not None and by_code.kind is FailureKind.KILLED
    if kind in _MADE_UP_FOR and (is_in_log or was_killed):
        return by_code
    if kind is FailureKind.EXECUTOR_OVER_LIMIT:
        # What spark-submit says last of a container, it says of the driver's.
        return Failure(
            FailureKind.DRIVER_OVER_LIMIT, "the driver's container was killed for holding more memory than it has"
        )
    return by_code if kind in UNEXPLAINED else Failure(kind, words)


def _outside_queries(told: Failure | None, ending: Ending, *, is_seen: bool) -> Failure | None:
    """What ended a job whose queries all succeeded: its own code, where nothing else is told of its end."""
    if told is not None and told.kind is not FailureKind.DATA_OR_CODE:
        return told
    code = ending.exit_code
    if code <= 0 if code is not None else not is_seen:
        return told
    return Failure(FailureKind.OWN_EXIT, f"the job ended outside any query{f' (exit code {code})' if code else ''}")


def _fingerprint(execution_id: int | None, queries: Sequence[Query]) -> str | None:
    """Of a command that runs its query as an execution of its own, the query's that failed."""
    if execution_id is None:
        return None
    own = [q for q in queries if q.id == execution_id]
    below = [q for q in queries if q.root_id == execution_id and q.status is QueryStatus.FAILED]
    return next((q.fingerprint for q in (*own, *below)), None)
