"""The rules for paths and names of tables as the agent gets them."""

from __future__ import annotations

import json
import random
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.spark_archive import SMALL_RUNS
from tuner.plan.node import PlanNode
from tuner.plan.relation import jdbc_rules, normalise_path, path_rules, relation_name, table_rules
from tuner.steering.agent.path_rules import path_rules_json

from .conftest import other_sparks, pip_spark


def test_every_rule_in_order_with_what_java_takes_for_unicode_and_for_groups() -> None:
    document = json.loads(path_rules_json())
    at, rules = path_rules()
    assert [len(at), len(rules)] == [len(document["at"]), len(document["rules"])] == [3, 11]
    told = (*document["at"], *document["rules"], *document["tables"], *document["jdbc"])
    given = (*at, *rules, *table_rules(), *jdbc_rules())
    for (pattern, replacement), (java, java_replacement) in zip(given, told, strict=True):
        assert java == ("(?sU)" if pattern.flags & re.DOTALL else "(?U)") + pattern.pattern
        assert java_replacement == replacement.replace("\\1", "$1")


def test_no_rule_says_what_java_reads_otherwise() -> None:
    document = json.loads(path_rules_json())
    for pattern, replacement in (pair for pairs in document.values() for pair in pairs):
        assert not any(construct in pattern for construct in (r"\Z", "(?P", "(?x)", "(?a", "(?L"))
        assert "\\" not in replacement and replacement.count("$") == replacement.count("$1")


PROBE = """
package probe;
import java.io.File;
import java.lang.reflect.Method;
import java.util.List;
import org.apache.commons.io.FileUtils;
public class Paths {
  public static void main(String[] files) throws Exception {
    Method name = Class.forName("tuner.steering.agent.Names").getDeclaredMethod(files[2], new Class[] {String.class});
    name.setAccessible(true);
    List given = FileUtils.readLines(new File(files[0]), "UTF-8");
    StringBuilder found = new StringBuilder();
    for (int i = 0; i < given.size(); i++) found.append(name.invoke(null, new Object[] {given.get(i)})).append('\\n');
    FileUtils.writeStringToFile(new File(files[1]), found.toString(), "UTF-8");
  }
}
"""
PARTS = [
    "/",
    "/lake",
    "2026-01-31",
    "20260131",
    "2026/1/31",
    "T07",
    "dt=",
    "=",
    "/*",
    "@",
    ":",
    "://",
    "s3a://",
    "b:8020",
]
PARTS += [
    "https://",
    "http://",
    "jdbc:oracle:thin:",
    "user",
    "secret",
    "?sig=abc",
    ";a=b",
    "&x",
    "é",
    "٢٠٢٦",
    "_",
    "-",
    ".",
]
PARTS += [
    "3f2504e0-4f89-11d3-9a0c-0305e82c3301",
    "3f2504e04f8911d39a0c0305e82c3301",
    "1706659200",
    "manual__2025-11-24T09:41:12.345678+00:00",
    "_aB3dE5gH",
    "asset_triggered__",
    "%3A12",
    "$1",
    "\\",
    "part",
    "/2026-01/",
    "_202601",
    "T101530.123",
    "101530123456",
    "ſ",
    "file:",
    "application_1706659200123_0012",
    "app-20240131101530-0007",
    "_0012",
]


QUERIES = [
    *(
        " ",
        "select ",
        "from ",
        "join ",
        "orders",
        "sales.orders_20240131",
        '"Orders"',
        "id",
        "sum(x)",
        "(",
        ")",
        ",",
        "=",
    ),
    *(
        "'",
        "\\'",
        "''",
        "'2024-01-05'",
        '"',
        "\\",
        "$$",
        "$q$",
        "n'x'",
        "q'",
        "--",
        "/*",
        "*/",
        "5",
        "1.5e3",
        "`a`",
        "[",
        "}",
    ),
    *("spark_gen_subq_3", "SPARK_GEN_ALIAS", ".", "é", "SELECT * FROM ITEMS WHERE k = 'secret'", ") X", "::date"),
]


TABLES = [
    *(
        "orders",
        "_",
        "-",
        ".",
        "20260131",
        "2026_01_31",
        "2026_01",
        "202601",
        "T070005",
        "_101530_123456",
        "_101530123",
        "t07",
        "Z",
        "1706659200",
        "123",
        "12345678",
        "v2",
    ),
    *("manual__", "scheduled__", "2025_11_24T09_41_12", "_00_00", "_Ab3dE5gH", "3F2504E04F8911D39A0C0305E82C3301"),
    *("3f2504e0_4f89_11d3_9a0c_0305e82c3301", "3f2504e0-4f89-11d3-9a0c-0305e82c3301", "sf1000", "٢٠٢٦", "é", "/"),
    *("application_1706659200123_0012", "app_20240131101530_0007", "_0012"),
]


def java_says(home: Path, jar: Path, directory: Path, method: str, given: list[str]) -> list[str]:
    """What a method of the agent's Names makes of each of these, which are lines."""
    (directory / "given").write_text("\n".join(given), encoding="utf-8")
    (directory / "Paths.java").write_text(PROBE, encoding="utf-8")
    command = [
        "java",
        *SMALL_RUNS.split(),
        "-cp",
        f"{home}/jars/*:{jar}",
        "org.codehaus.janino.SimpleCompiler",
        str(directory / "Paths.java"),
    ]
    files = (str(directory / "given"), str(directory / "found"), method)
    subprocess.run([*command, "probe.Paths", *files], check=True, timeout=120)
    return (directory / "found").read_text(encoding="utf-8").split("\n")[:-1]


@pytest.mark.spark
@pytest.mark.parametrize("home", [pip_spark(), *other_sparks()], ids=lambda home: home.name)
def test_java_makes_of_paths_what_python_does(home: Path, tmp_path: Path, jar_for: Callable[[Path], Path]) -> None:
    words = random.Random(7)
    given = ["".join(words.choices(PARTS, k=words.randint(1, 8))) for _ in range(5000)]
    found = java_says(home, jar_for(home), tmp_path, "path", given)
    assert {path: java for path, java in zip(given, found, strict=True) if java != normalise_path(path)} == {}


@pytest.mark.spark
@pytest.mark.parametrize("home", [pip_spark(), *other_sparks()], ids=lambda home: home.name)
def test_java_calls_tables_and_queries_of_databases_as_python_does(
    home: Path, tmp_path: Path, jar_for: Callable[[Path], Path]
) -> None:
    words = random.Random(7)
    drawn = ["".join(words.choices(QUERIES, k=words.randint(1, 9))) for _ in range(5000)]
    long = f"(select a from orders where note = '{'x y' * 20_000}' and k > 5) SPARK_GEN_SUBQ_0"
    given = [f"Scan JDBCRelation({query}) [numPartitions=4] " for query in (*drawn, long)]
    given += [f"BatchScan lake.stage.{''.join(words.choices(TABLES, k=words.randint(1, 7)))}" for _ in range(5000)]
    found = java_says(home, jar_for(home), tmp_path, "named", given)
    assert "jdbc:select_a_from_orders_where_note_and_k" in found
    names = [relation_name(PlanNode("Scan", name, f"{name}[a#1]", {}, {})) for name in given]
    assert {query: (java, name) for query, java, name in zip(given, found, names, strict=True) if java != name} == {}
