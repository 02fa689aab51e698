"""Spark's own history server and the reader say the same of a log, field by field.

Every fact of both sides is compared: one that only one side knows is a difference. Where they are to differ stands
below with the reason; a difference that no longer shows is an error, too.
"""

from __future__ import annotations

import itertools
import re
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from tuner.eventlog.find import LogSource, find_logs
from tuner.eventlog.read import read_application
from tuner.model.application import Application, Completeness, ProblemCode

from .history_facts import Fact, Facts, metric_types, reader_says, spark_says
from .history_server import Attempt, history_server
from .samples import read, whole_log, write

SHARED = Path(__file__).parents[3] / "shared" / "eventlogs"
GOLDEN = Path(__file__).parents[1] / "golden" / "logs"
KINDS = {"application", "conf", "executors", "job", "metric", "node", "query", "stage"}


@dataclass(frozen=True, slots=True)
class Difference:
    """Facts on which both sides differ for a reason. Patterns: of a log's name, of a fact's words with spaces.

    `silent` are differences where Spark says nothing.
    """

    log: str
    fact: str
    reason: str
    silent: bool = False

    def covers(self, log: str, fact: Fact, theirs: object) -> bool:
        if self.silent and theirs is not ...:
            return False
        return bool(re.fullmatch(self.log, log) and re.fullmatch(self.fact, " ".join(map(str, fact))))


# Types of metrics of which Spark shows no total.
NO_TOTAL = {"average": "the least, the median and the most of the tasks: a sum of averages says nothing"}
DIFFERENCES = (
    Difference(
        r"db_subExecution_id\.zstd",
        r"application spark_version",
        "Databricks tells its version in an event of its own, which Spark passes over",
    ),
    Difference(
        r"db_subExecution_id\.zstd",
        r"metric 8 2 cloud storage (request|retry) count 0",
        "of a metric type that only Databricks has: Spark marks the number as [unknown]",
    ),
    Difference(
        r"db_subExecution_id\.zstd",
        r"metric 8 2 used parquet file reader 0",
        "of a metric class that only Databricks has: Spark shows N/A in place of the number",
    ),
    Difference(
        r"db_subExecution_id\.zstd",
        r"metric 8 2 (max partition size chosen|(relative skew in|average) total splits sizes distribution.*) 0",
        "the driver reported -1, never set: Spark shows 0.0 B, the reader nothing",
    ),
    Difference(
        r"3\.[0-3]\.\d+/failures.*",
        r"query \d+ error",
        "an execution's end tells its error since 3.4 (SPARK-40834): the reader gives its failed job's before",
        silent=True,
    ),
    Difference(
        r".*/attempt-\d/.*",
        r"application name",
        "the server gives all attempts at an application the name of one of them",
    ),
    Difference(
        r".*/fetch-static/.*",
        r"metric \d+ \d+ (duration|.* time) 0",
        "SQL metrics count each partition's first success; SQLAppStatusListener takes a stage's last attempt alone",
    ),
    Difference(
        r".*/fetch/.*",
        r"metric .*",
        "under AQE lost map output is made again by a stage of another job: SQLAppStatusListener counts its rows twice",
    ),
    Difference(
        r"3\.[0-3]\.\d+/cache/.*",
        r"metric .*",
        "SQLAppStatusListener drops metrics of tasks that end before a re-plan names them, which it does below a cache",
        silent=True,
    ),
)


# Logs that the history server does not list.
REFUSED = {
    r".*/compacted/.*": "a compaction wrote in another codec than the file's name says (SPARK-43991)",
}


def logs_at_hand() -> dict[str, LogSource]:
    """The logs by where they lie below their folder."""
    found = {}
    for folder in (SHARED, GOLDEN):
        for source in find_logs(folder) if folder.is_dir() else ():
            name = str(Path(str(source.path)).relative_to(folder))
            if not name.endswith(".md"):
                found[name] = source
    return found


LOGS = logs_at_hand()
REFUSED_LOGS = [log for log in LOGS if any(re.fullmatch(pattern, log) for pattern in REFUSED)]
SERVED = [log for log in LOGS if log not in REFUSED_LOGS]


@cache
def application(log: str) -> Application:
    return read_application(LOGS[log])


def path(log: str) -> Path:
    return Path(str(LOGS[log].path))


def rounds() -> list[dict[Attempt, str]]:
    """The logs in as few groups as keep apart those that tell of the same attempt at the same application."""
    groups: list[dict[Attempt, str]] = []
    for log in SERVED:
        attempt = application(log).app_id, application(log).attempt
        group = next((group for group in groups if attempt not in group), None)
        if group is None:
            groups.append(group := {})
        group[attempt] = log
    return groups


@pytest.fixture(scope="module")
def spark(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Facts]:
    """What the history server says of each log."""
    said: dict[str, Facts] = {}
    with history_server(tmp_path_factory.mktemp("history")) as server, ThreadPoolExecutor(2) as pool:
        for group in rounds():
            listing = server.show({attempt: path(log) for attempt, log in group.items()}, map(path, REFUSED_LOGS))
            ids, listed = zip(*((attempt[0], listing[attempt]) for attempt in group), strict=True)
            facts = pool.map(spark_says, itertools.repeat(server.ask), ids, listed)
            said |= dict(zip(group.values(), facts, strict=True))
            assert server.listing().keys() == group.keys()  # nothing of what it is to refuse
    return said


def differing(ours: Facts, theirs: Facts) -> dict[Fact, tuple[object, object]]:
    """The facts that are not equal, with what either side says: `...` where it says nothing."""
    facts = [*ours, *(fact for fact in theirs if fact not in ours)]
    both = {fact: (ours.get(fact, ...), theirs.get(fact, ...)) for fact in facts}
    return {fact: (mine, other) for fact, (mine, other) in both.items() if mine != other}


def found(log: str, theirs: Facts) -> dict[Fact, tuple[object, object]]:
    """On what the reader differs from Spark."""
    types = metric_types(application(log))
    both = differing(reader_says(application(log)), theirs)
    return {fact: values for fact, values in both.items() if types.get(fact) not in NO_TOTAL}


def unexplained(log: str, theirs: Facts) -> dict[Fact, tuple[object, object]]:
    return {
        fact: values
        for fact, values in found(log, theirs).items()
        if not any(difference.covers(log, fact, values[1]) for difference in DIFFERENCES)
    }


@pytest.mark.spark
@pytest.mark.nightly
@pytest.mark.parametrize("log", SERVED)
def test_the_reader_says_what_the_history_server_says(log: str, spark: dict[str, Facts]) -> None:
    assert unexplained(log, spark[log]) == {}


@pytest.mark.parametrize("log", REFUSED_LOGS)
def test_the_reader_reads_what_the_server_refuses(log: str) -> None:
    found = application(log)
    assert found.executions
    compacted = [problem for problem in found.problems if problem.code is ProblemCode.COMPACTED]
    assert found.status is (Completeness.PARTIAL if compacted else Completeness.COMPLETE)


@pytest.mark.spark
@pytest.mark.nightly
@pytest.mark.skipif(not LOGS, reason=f"neither {SHARED} nor {GOLDEN} is there")
def test_every_known_difference_shows(spark: dict[str, Facts]) -> None:
    shown = [(log, fact, both[1]) for log, theirs in spark.items() for fact, both in found(log, theirs).items()]
    for difference in DIFFERENCES:
        if any(re.fullmatch(difference.log, log) for log in LOGS):
            assert any(difference.covers(*difference_shown) for difference_shown in shown), difference


@pytest.mark.spark
@pytest.mark.nightly
@pytest.mark.skipif(not LOGS, reason=f"neither {SHARED} nor {GOLDEN} is there")
def test_every_kind_of_fact_is_told_and_a_wrong_one_of_each_is_found(spark: dict[str, Facts]) -> None:
    log = max(spark, key=lambda name: len({fact[0] for fact in spark[name]}))
    theirs = spark[log]
    for kind in KINDS:
        fact = next(fact for fact in theirs if fact[0] == kind)
        assert unexplained(log, theirs | {fact: "wrong"}).keys() == {fact}
        assert unexplained(log, {other: theirs[other] for other in theirs if other != fact}).keys() == {fact}


def test_any_wrong_missing_or_invented_fact_is_a_difference(tmp_path: Path) -> None:
    facts = reader_says(read(write(tmp_path / "local-1", whole_log())))
    assert {fact[0] for fact in facts} == KINDS
    assert differing(facts, facts) == {}
    for fact, value in facts.items():
        others = {other: facts[other] for other in facts if other != fact}
        assert differing(facts | {fact: [value]}, facts) == {fact: ([value], value)}
        assert differing(others, facts) == {fact: (..., value)}
        assert differing(facts, others) == {fact: (value, ...)}
