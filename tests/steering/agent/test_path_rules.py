"""The rules for paths and names of tables as the agent gets them."""

from __future__ import annotations

import json
import os
import random
import subprocess
from pathlib import Path

import pytest

from tuner.plan.relation import normalise_path, path_rules, table_rules
from tuner.steering.agent.jar import agent_jar
from tuner.steering.agent.path_rules import path_rules_json
from tuner.steering.agent.spark_home import require_spark_in

from .conftest import other_sparks, pip_spark


def test_every_rule_in_order_with_what_java_takes_for_unicode_and_for_groups() -> None:
    document = json.loads(path_rules_json())
    at, rules = path_rules()
    assert [len(at), len(rules)] == [len(document["at"]), len(document["rules"])] == [3, 8]
    told = (*document["at"], *document["rules"], *document["tables"])
    for (pattern, replacement), (java, java_replacement) in zip((*at, *rules, *table_rules()), told, strict=True):
        assert java == f"(?U){pattern.pattern}"
        assert java_replacement == replacement.replace("\\1", "$1")


def test_no_rule_says_what_java_reads_otherwise() -> None:
    document = json.loads(path_rules_json())
    for pattern, replacement in (*document["at"], *document["rules"], *document["tables"]):
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
    Method path = Class.forName("tuner.steering.agent.Names").getDeclaredMethod("path", new Class[] {String.class});
    path.setAccessible(true);
    List given = FileUtils.readLines(new File(files[0]), "UTF-8");
    StringBuilder found = new StringBuilder();
    for (int i = 0; i < given.size(); i++) found.append(path.invoke(null, new Object[] {given.get(i)})).append('\\n');
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
    "$1",
    "\\",
    "part",
    "ſ",
    "file:",
]


@pytest.mark.spark
@pytest.mark.parametrize("home", [pip_spark(), *other_sparks()], ids=lambda home: home.name)
def test_java_makes_of_paths_what_python_does(home: Path, tmp_path: Path) -> None:
    words = random.Random(7)
    given = ["".join(words.choices(PARTS, k=words.randint(1, 8))) for _ in range(5000)]
    (tmp_path / "given").write_text("\n".join(given), encoding="utf-8")
    (tmp_path / "Paths.java").write_text(PROBE, encoding="utf-8")
    jar = agent_jar(require_spark_in(home), {**os.environ, "XDG_DATA_HOME": str(tmp_path)})
    command = [
        "java",
        "-cp",
        f"{home}/jars/*:{jar}",
        "org.codehaus.janino.SimpleCompiler",
        str(tmp_path / "Paths.java"),
    ]
    subprocess.run([*command, "probe.Paths", str(tmp_path / "given"), str(tmp_path / "found")], check=True, timeout=120)
    found = (tmp_path / "found").read_text(encoding="utf-8").split("\n")[:-1]
    assert {path: java for path, java in zip(given, found, strict=True) if java != normalise_path(path)} == {}
