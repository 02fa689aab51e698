"""The agent calls a table of Spark's second API what the text of its scan tells: before Spark 3.4 most tell nothing."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.spark_archive import SMALL_RUNS
from tuner.plan.node import PlanNode
from tuner.plan.relation import relation_name
from tuner.steering.agent.spark_home import require_spark_in

from .conftest import other_sparks, pip_spark

PROBE = """
package %s;
import java.util.HashSet;
import java.util.Set;
import org.apache.spark.sql.connector.catalog.Table;
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation;
import org.apache.spark.sql.types.StructType;
import scala.Option;
import tuner.steering.agent.Names;
public class Probe implements Table {
  public String name() {
    return "lake.shop.orders";
  }
  public StructType schema() {
    return new StructType();
  }
  public Set capabilities() {
    return new HashSet();
  }
  public static void main(String[] none) {
    System.out.println(new Names().of(DataSourceV2Relation.create(new Probe(), Option.empty(), Option.empty())));
  }
}
"""


@pytest.mark.spark
@pytest.mark.parametrize("home", [pip_spark(), *other_sparks()], ids=lambda home: home.name)
@pytest.mark.parametrize(
    ("package", "described"),
    [
        pytest.param("shop.source", "class shop.source.OrdersScan", id="any"),
        pytest.param("org.apache.iceberg.spark.source", "lake.shop.orders [filters=, groupedBy=]", id="Iceberg"),
    ],
)
def test_a_table_is_called_what_its_scan_tells(
    home: Path, package: str, described: str, tmp_path: Path, jar_for: Callable[[Path], Path]
) -> None:
    spark = require_spark_in(home)
    scan = "BatchScan" if spark.number < (3, 4) else "BatchScan lake.shop.orders"
    node = PlanNode("BatchScan", scan, f"{scan}[id#1L] {described} RuntimeFilters: []", {}, {})
    assert _agent_says(home, jar_for(home), tmp_path, package) == relation_name(node)


@pytest.mark.spark
def test_a_spark_whose_scans_cannot_be_asked_fails_no_query(tmp_path: Path, jar_for: Callable[[Path], Path]) -> None:
    unreadable = tmp_path / "org/apache/spark/sql/execution/datasources/v2/BatchScanExec.class"
    unreadable.parent.mkdir(parents=True)
    unreadable.touch()
    assert _agent_says(pip_spark(), jar_for(pip_spark()), tmp_path, "shop.source") == "lake.shop.orders"


def _agent_says(home: Path, jar: Path, directory: Path, package: str) -> str:
    probe = directory / "Probe.java"
    probe.write_text(PROBE % package, encoding="utf-8")
    command = [
        "java",
        *SMALL_RUNS.split(),
        "-cp",
        f"{directory}:{home}/jars/*:{jar}",
        "org.codehaus.janino.SimpleCompiler",
    ]
    command += [str(probe), f"{package}.Probe"]
    return subprocess.run(command, check=True, capture_output=True, text=True, timeout=120).stdout.strip()
