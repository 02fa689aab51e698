"""The simulation against a real Spark: thousands of joins as its planner plans them, tens as AQE ends with them.

`tests/benchmarks/join_selection_agreement.py` compares more, with any Spark version and with the TPC-DS queries.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from tuner.spark.join_selection.logical_join import Rule

from .agreement import Compared, compare_odd_keys, compare_planning
from .executed import compare_executed
from .executed_cases import executed_cases
from .spark_planner import SparkPlanner, spark_planner

pytestmark = [pytest.mark.spark, pytest.mark.nightly]

STATEMENTS, CONFS = 210, 8


@pytest.fixture(scope="module")
def planner() -> Iterator[SparkPlanner]:
    pyspark = pytest.importorskip("pyspark", reason="pyspark is not installed: pip install airflow-spark-tuner[spark]")
    home = os.environ.get("JAVA_HOME")
    java = f"{home}/bin/java" if home else shutil.which("java")
    if not java:
        pytest.skip("no Java")
    with spark_planner(Path(pyspark.__file__).parent, java) as planner:
        yield planner


def test_as_planned(planner: SparkPlanner) -> None:
    compared = list(compare_planning(planner, STATEMENTS, CONFS))
    assert len(compared) >= 2000
    assert_agreement(compared)
    # The sample is worth something only if every rule comes up.
    rules = set(Rule) - {Rule.BROADCAST_STAGE, Rule.SMALL_PARTITIONS, Rule.UNKNOWN_TYPE}
    assert {one.choice.rule for one in compared} == rules


def test_on_keys_that_cannot_be_sorted_or_hashed(planner: SparkPlanner) -> None:
    compared = list(compare_odd_keys(planner))
    assert len(compared) >= 100
    assert_agreement(compared)


def test_as_executed(planner: SparkPlanner) -> None:
    compared = [compare_executed(planner, case) for case in executed_cases()]
    assert_agreement(compared)
    expected = {Rule.BROADCAST_SIZE, Rule.SMALL_PARTITIONS, Rule.SORTABLE_KEYS, Rule.BROADCAST_STAGE}
    assert expected <= {one.choice.rule for one in compared}


def assert_agreement(compared: Iterable[Compared]) -> None:
    disagreements = [one for one in compared if not one.agrees]
    assert not disagreements, f"{len(disagreements)} disagree, the first of them:\n{disagreements[0]}"
