"""What the bench's job writes down of a query and of an error, and what it leaves of both."""

from __future__ import annotations

import datetime
import decimal
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from types import SimpleNamespace

import pytest

pytest.importorskip("pyspark", reason="pyspark is not installed: pip install airflow-spark-tuner[spark]")

from tuner.bench import application
from tuner.bench.application import analyze, digest, run, warm_up, words


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


@pytest.fixture(autouse=True)
def no_command(monkeypatch: pytest.MonkeyPatch) -> None:
    """What Spark's own parser tells is asked of Spark in test_application_on_spark.py."""
    monkeypatch.setattr(application, "command_of", lambda spark, text: None)


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


def test_neither_seconds_nor_the_timeout_have_the_digest_in_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(application, "digest", lambda rows: time.sleep(0.5) or "slow")
    spark = Spark(lambda spark: [(1,)])
    found = run(spark, {"name": "q1", "sql": "SELECT 1", "conf": {}}, 0.25)
    assert (found.get("digest"), spark.cancelled) == ("slow", 0)
    assert found["seconds"] < 0.25


def test_a_querys_settings_leave_the_users_own_as_they_were() -> None:
    spark = Spark(lambda spark: [], given={"a": "own"}, settings={"a": "own"})
    run(spark, {"name": "q1", "sql": "SELECT 1", "conf": {"a": "tried", "b": "tried"}}, 60)
    assert spark.settings == {"a": "own"}


@dataclass
class Table:
    """A table of a catalog, of which a session asks one row."""

    read: list[tuple[str, int]]
    name: str

    @property
    def _jdf(self) -> Table:
        return self

    def javaRDD(self) -> Table:
        return self

    def take(self, rows: int) -> None:
        if self.name == "`broken`":
            raise ValueError("no such file")
        self.read.append((self.name, rows))


@dataclass
class Warmed(Spark):
    """A session that can be warmed up; `read` are its tables that were."""

    read: list[tuple[str, int]] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)

    @property
    def catalog(self) -> Warmed:
        return self

    def range(self, rows: int) -> Warmed:
        return self

    def selectExpr(self, *texts: str) -> Warmed:
        return self

    def createOrReplaceTempView(self, name: str) -> None:
        pass

    def dropTempView(self, name: str) -> None:
        pass

    def table(self, name: str) -> Table:
        return Table(self.read, name)

    def sql(self, text: str) -> Spark:
        self.texts.append(text)
        return self

    def listColumns(self, name: str) -> list[SimpleNamespace]:
        return [SimpleNamespace(isPartition=False), SimpleNamespace(isPartition=name == "`b`")]


def test_every_table_is_looked_at_before_the_first_query(capsys: pytest.CaptureFixture[str]) -> None:
    spark = Warmed(lambda spark: [])
    warm_up(spark, ["customer", "broken", "orders"])
    assert spark.read == [("`customer`", 1), ("`orders`", 1)], "so that no query bears the start of a catalog"
    assert capsys.readouterr().err == "warm-up of broken: no such file\n"


def test_a_line_is_written_for_each_table_once_it_is_analysed() -> None:
    spark = Warmed(lambda spark: [])
    lines = analyze(spark, "/tables", ["a", "b"])
    assert next(lines)["name"] == "analyze a"
    assert not [text for text in spark.texts if "`b`" in text]
    assert [line["name"] for line in lines] == ["analyze b"]
    assert [text for text in spark.texts if "REPAIR" in text] == ["MSCK REPAIR TABLE `b`"]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (("1",), (1,)),
        ((1,), (1.0,)),
        ((True,), (1,)),
        ((None,), ("",)),
        ((None,), ("\x00",)),
        (("a\x1fb", "c"), ("a", "b\x1fc")),
        (("a", "b"), ("a,b",)),
        ((["1", "2"],), (["1, 2"],)),
        ((datetime.date(2026, 1, 1),), ("2026-01-01",)),
        ((decimal.Decimal("1.0"),), (1.0,)),
        ((b"ab",), ("6162",)),
        (({"a": 1},), ({"a": "1"},)),
        (((1, 2),), ([1, 2],)),
    ],
)
def test_values_that_differ_are_other_rows(one: tuple[object, ...], other: tuple[object, ...]) -> None:
    assert digest([one]) != digest([other])


def test_what_differs_in_order_of_rows_or_in_the_last_digits_of_doubles_is_the_same() -> None:
    assert digest([(1, "a"), (2, "b")]) == digest([(2, "b"), (1, "a")])
    third, other = 1 / 3, 1 / 3 + 1e-15
    assert third != other
    for make in (lambda x: x, lambda x: [x], lambda x: (1, x), lambda x: {"k": x}, lambda x: [{"k": (x,)}]):
        assert digest([(make(third),)]) == digest([(make(other),)])
        assert digest([(make(0.0),)]) == digest([(make(-0.0),)])
    assert digest([({"a": 1, "b": 2},)]) == digest([({"b": 2, "a": 1},)])
    assert digest([(float("nan"),)]) == digest([(float("nan"),)])


def test_two_rows_are_not_one() -> None:
    assert digest([("a",), ("b",)]) != digest([("a", "b")])
