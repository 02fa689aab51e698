"""What the demo needs is looked for without loading it: Airflow makes files in the home it finds."""

from __future__ import annotations

import subprocess
import sys
from importlib.metadata import PackageNotFoundError
from pathlib import Path

import pytest

from tuner.demo import airflow as module
from tuner.demo.workload import Workload
from tuner.errors import RequirementError


@pytest.mark.processes
def test_airflow_is_not_loaded() -> None:
    program = (
        "import sys\nfrom tuner.demo.airflow import _require_airflow\nfrom tuner.errors import RequirementError\n"
        "try:\n    _require_airflow()\nexcept RequirementError:\n    pass\n"
        "assert 'airflow' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", program], check=True, timeout=60)


def test_without_its_provider_a_line_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def distribution(name: str) -> None:
        raise PackageNotFoundError(name)

    monkeypatch.setattr(module, "distribution", distribution)
    with pytest.raises(RequirementError, match=r"uv pip install 'airflow-spark-tuner\[demo\]'"):
        module._require_airflow()


def test_what_leads_to_another_spark_is_not_the_demos(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """An edge node sets these for all who log in."""
    leading = (
        "SPARK_HOME",
        "SPARK_CONF_DIR",
        "SPARK_SUBMIT_OPTS",
        "HADOOP_CONF_DIR",
        "YARN_CONF_DIR",
        "PYSPARK_PYTHON",
    )
    for name in (*leading, "JAVA_HOME"):
        monkeypatch.setenv(name, "/opt/theirs")
    job = Workload(tmp_path, tmp_path, tmp_path, tmp_path, ())
    environment = module._environment(tmp_path, job, "sqlite://", 2)
    assert not environment.keys() & set(leading)
    assert environment["JAVA_HOME"] == "/opt/theirs"
