"""`spark-tuner agent-jar` with a Java that only writes down a class."""

from __future__ import annotations

import hashlib
import json
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import Result

pytestmark = pytest.mark.processes

Call = Callable[..., Result]

JAVA = """#!/bin/sh
while [ "$1" != tuner.steering.agent.build.Build ]; do shift; done
echo class > "$2/Extensions.class"
"""


@pytest.fixture
def spark(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A Spark of which only names are there."""
    home = tmp_path / "spark"
    for file, text in (("jars/spark-core_2.13-4.0.1.jar", ""), ("bin/spark-submit", ""), ("bin/java", JAVA)):
        path = home / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(0o755)
    monkeypatch.setenv("JAVA_HOME", str(home))
    monkeypatch.delenv("SPARK_HOME", raising=False)
    return home


def test_the_jar_and_what_to_set(spark_tuner: Call, spark: Path, tmp_path: Path) -> None:
    result = spark_tuner("agent-jar", "--spark-home", spark, "-o", tmp_path / "agent.jar")
    digest = hashlib.sha256((tmp_path / "agent.jar").read_bytes()).hexdigest()
    assert result.code == 0
    assert result.out.splitlines() == [
        str(tmp_path / "agent.jar"),
        "for Spark 4.0.1, Scala 2.13",
        f"sha256 {digest}",
        "",
        "deploy it, and set agent_jar (--agent-jar, or [spark_tuner] agent_jar) to its URL; or set for all",
        "  jobs:",
        f"spark.jars={tmp_path}/agent.jar",
        "spark.sql.extensions=tuner.steering.agent.Extensions",
    ]
    assert "Extensions.class" in zipfile.ZipFile(tmp_path / "agent.jar").namelist()


def test_as_json_for_the_spark_at_hand(
    spark_tuner: Call, spark: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SPARK_HOME", str(spark))
    facts = json.loads(spark_tuner("agent-jar", "--output", tmp_path / "agent.jar", "--json").out)
    assert (facts["jar"], facts["spark"], facts["scala"]) == (f"{tmp_path}/agent.jar", "4.0.1", "2.13")
    assert facts["sha256"] == hashlib.sha256((tmp_path / "agent.jar").read_bytes()).hexdigest()
    assert facts["conf"]["spark.sql.extensions"] == "tuner.steering.agent.Extensions"


def test_where_it_cannot(spark_tuner: Call, spark: Path, tmp_path: Path) -> None:
    assert spark_tuner("agent-jar").code == 2
    nowhere = spark_tuner("agent-jar", "--spark-home", tmp_path / "gone", "-o", tmp_path / "agent.jar")
    assert nowhere.code == 1 and "no jars/spark-core_*.jar there" in nowhere.err
    taken = spark_tuner("agent-jar", "--spark-home", spark, "-o", tmp_path)
    assert taken.code == 1 and "make that place writable" in taken.err
    assert len(taken.err.splitlines()) == 1
