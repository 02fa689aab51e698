"""What the bench's job writes down of an error."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

pytest.importorskip("pyspark", reason="pyspark is not installed: pip install airflow-spark-tuner[spark]")

from tuner.bench.application import words


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
