"""The calendar rule as the agent has it."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.plan.day_cases import DAY_CASES
from tests.spark_archive import SMALL_RUNS

from .conftest import pip_spark

PROBE = """
package probe;
import java.io.File;
import java.util.Arrays;
import java.util.List;
import org.apache.commons.io.FileUtils;
import tuner.steering.agent.Literals;
public class Days {
  public static void main(String[] files) throws Exception {
    List given = FileUtils.readLines(new File(files[0]), "UTF-8");
    StringBuilder found = new StringBuilder();
    for (int i = 0; i < given.size(); i++) {
      List days = Literals.daysApart(Arrays.asList((Object[]) ((String) given.get(i)).split(";", -1)));
      for (int k = 0; k < days.size(); k++) found.append(k == 0 ? "" : ";").append(days.get(k));
      found.append('\\n');
    }
    FileUtils.writeStringToFile(new File(files[1]), found.toString(), "UTF-8");
  }
}
"""


@pytest.mark.spark
def test_java_counts_days_as_python_does(tmp_path: Path, jar_for: Callable[[Path], Path]) -> None:
    (tmp_path / "given").write_text("\n".join(";".join(given) for given, _ in DAY_CASES) + "\n", encoding="utf-8")
    (tmp_path / "Days.java").write_text(PROBE, encoding="utf-8")
    command = ["java", *SMALL_RUNS.split(), "-cp", f"{pip_spark()}/jars/*:{jar_for(pip_spark())}"]
    command += ["org.codehaus.janino.SimpleCompiler"]
    arguments = [tmp_path / "Days.java", "probe.Days", tmp_path / "given", tmp_path / "found"]
    subprocess.run([*command, *map(str, arguments)], check=True, timeout=120)
    found = (tmp_path / "found").read_text(encoding="utf-8").split("\n")[:-1]
    assert [line.split(";") for line in found] == [expected for _, expected in DAY_CASES]
