"""What the bench's job writes down of a query and of an error, and what it leaves of both."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

import pytest

pytest.importorskip("pyspark", reason="pyspark is not installed: pip install airflow-spark-tuner[spark]")

from tuner.bench import application
from tuner.bench.application import run, words


@dataclass
class Thrown:
    said: str
    cause: Thrown | None = None

    def toString(self) -> str:
        return self.said

    def getCause(self) -> Thrown | None:
        return self.cause


class JavaError(Exception):
    def __init__(self, thrown: Thrown) -> None:
        super().__init__("An error occurred while calling o126.collectToPython.\n: " + thrown.said)
        self.java_exception = thrown


def test_of_an_error_of_java_the_innermost_cause_is_told() -> None:
    cause = Thrown("java.lang.OutOfMemoryError: not enough memory to build and broadcast\n at Here.java")
    error = JavaError(Thrown("org.apache.spark.SparkException: thrown in awaitResult", cause))
    assert words(error) == "java.lang.OutOfMemoryError: not enough memory to build and broadcast"
    cause.cause = cause
    assert words(error) == "java.lang.OutOfMemoryError: not enough memory to build and broadcast"


@pytest.mark.parametrize(("error", "told"), [(ValueError("one\ntwo"), "one"), (ValueError(), "ValueError")])
def test_of_another_its_first_line(error: Exception, told: str) -> None:
    assert words(error) == told


@dataclass
class Spark:
    """A session, its context and its settings, as far as the job asks them."""

    asked: Callable[[Spark], list[tuple[object, ...]]]
    given: dict[str, str] = field(default_factory=dict)
    settings: dict[str, str] = field(default_factory=dict)
    cancelled: int = 0
    master: str = "spark://host"

    @property
    def sparkContext(self) -> Spark:
        return self

    @property
    def conf(self) -> Spark:
        return self

    def set(self, key: str, value: str) -> None:
        self.settings[key] = value

    def unset(self, key: str) -> None:
        self.settings.pop(key, None)

    def getConf(self) -> Spark:
        return self

    def getAll(self) -> list[tuple[str, str]]:
        return list(self.given.items())

    def setJobDescription(self, name: str) -> None:
        pass

    def cancelAllJobs(self) -> None:
        self.cancelled += 1

    def sql(self, text: str) -> Spark:
        return self

    def collect(self) -> list[tuple[object, ...]]:
        return self.asked(self)


def wait_until_cancelled(spark: Spark) -> list[tuple[object, ...]]:
    """Planned for a while yet, then with a job that starts after the first cancelling; it comes to its end all the same."""
    until = time.monotonic() + 30
    while spark.cancelled < 3 and time.monotonic() < until:
        time.sleep(0.01)
    return [(1,)]


def test_a_late_query_is_cancelled_until_it_ends_and_has_failed_however_it_ends(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(application, "CANCEL_AGAIN_SECONDS", 0.01)
    spark = Spark(wait_until_cancelled)
    found = run(spark, {"name": "q1", "sql": "SELECT 1", "conf": {}}, 0.05)
    assert (found["error"], "digest" in found) == ("ran longer than 0.05 s", False)
    cancelled = spark.cancelled
    assert cancelled >= 3
    time.sleep(0.05)
    assert spark.cancelled == cancelled, "the next query's jobs are left alone"


def test_a_query_in_time_is_not_cancelled() -> None:
    spark = Spark(lambda spark: [(1, 0.1 + 0.2)])
    found = run(spark, {"name": "q1", "sql": "SELECT 1", "conf": {}}, 60)
    assert (found["rows"], spark.cancelled, "error" in found) == (1, 0, False)


def test_a_querys_settings_leave_the_users_own_as_they_were() -> None:
    spark = Spark(lambda spark: [], given={"a": "own"}, settings={"a": "own"})
    run(spark, {"name": "q1", "sql": "SELECT 1", "conf": {"a": "tried", "b": "tried"}}, 60)
    assert spark.settings == {"a": "own"}
