"""The calendar rule, and lists of values, as the agent has them."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.plan.day_cases import DAY_CASES
from tests.plan.list_cases import HOSTILE_LISTS, LIST_CASES
from tests.spark_archive import SMALL_RUNS
from tuner.plan.literals import with_sorted_lists

from .conftest import pip_spark

PROBE = """
package probe;
import java.io.File;
import java.util.Arrays;
import java.util.List;
import org.apache.commons.io.FileUtils;
import tuner.steering.agent.Literals;
public class Probe {
  public static void main(String[] files) throws Exception {
    List given = FileUtils.readLines(new File(files[0]), "UTF-8");
    StringBuilder found = new StringBuilder();
    for (int i = 0; i < given.size(); i++) found.append(made((String) given.get(i))).append('\\n');
    FileUtils.writeStringToFile(new File(files[1]), found.toString(), "UTF-8");
  }
  private static String made(String line) {
    %s
  }
}
"""
DAYS = """
    StringBuilder found = new StringBuilder();
    List days = Literals.daysApart(Arrays.asList((Object[]) line.split(";", -1)));
    for (int k = 0; k < days.size(); k++) found.append(k == 0 ? "" : ";").append(days.get(k));
    return found.toString();
"""
LISTS = """
    long started = System.nanoTime();
    String found = Literals.withSortedLists(line);
    return System.nanoTime() - started < 1000000000L ? found : "more than a second";
"""


def made(code: str, lines: list[str], directory: Path, jar: Path) -> list[str]:
    """What the agent's jar makes of each line."""
    (directory / "given").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    (directory / "Probe.java").write_text(PROBE % code, encoding="utf-8")
    command = ["java", *SMALL_RUNS.split(), "-cp", f"{pip_spark()}/jars/*:{jar}", "org.codehaus.janino.SimpleCompiler"]
    arguments = [directory / "Probe.java", "probe.Probe", directory / "given", directory / "found"]
    subprocess.run([*command, *map(str, arguments)], check=True, timeout=120)
    return (directory / "found").read_text(encoding="utf-8").split("\n")[:-1]


@pytest.mark.spark
def test_java_counts_days_as_python_does(tmp_path: Path, jar_for: Callable[[Path], Path]) -> None:
    found = made(DAYS, [";".join(given) for given, _ in DAY_CASES], tmp_path, jar_for(pip_spark()))
    assert [line.split(";") for line in found] == [expected for _, expected in DAY_CASES]


@pytest.mark.spark
def test_java_sorts_lists_as_python_does(tmp_path: Path, jar_for: Callable[[Path], Path]) -> None:
    given = [*(text for text, _ in LIST_CASES), *HOSTILE_LISTS]
    found = made(LISTS, given, tmp_path, jar_for(pip_spark()))
    assert found == [*(expected for _, expected in LIST_CASES), *map(with_sorted_lists, HOSTILE_LISTS)]
