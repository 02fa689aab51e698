"""Which Spark a spark-submit starts."""

from __future__ import annotations

from pathlib import Path

import pytest

from tuner.errors import RequirementError
from tuner.steering.agent.spark_home import SparkAtHand, require_spark_in, spark_at_hand, spark_in


def install(home: Path, core: str = "spark-core_2.13-4.3.0.jar", submit: str = "spark-submit") -> Path:
    """A Spark of which only names are there. Returns its spark-submit."""
    (home / "jars").mkdir(parents=True)
    (home / "jars" / core).touch()
    return script(home / "bin" / submit)


def script(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch()
    path.chmod(0o755)
    return path


def test_the_home_is_what_its_spark_submit_lies_in(tmp_path: Path) -> None:
    submit = install(tmp_path / "spark")
    assert spark_at_hand(str(submit), {}) == SparkAtHand(tmp_path / "spark", "4.3.0", "2.13")


def test_a_name_is_looked_up_on_the_path(tmp_path: Path) -> None:
    submit = install(tmp_path / "spark", submit="spark3-submit")
    found = spark_at_hand("spark3-submit", {"PATH": str(submit.parent)})
    assert found is not None and found.home == tmp_path / "spark"


def test_spark_home_counts_whatever_is_started(tmp_path: Path) -> None:
    submit = install(tmp_path / "one")
    install(tmp_path / "two", "spark-core_2.12-3.5.9.jar")
    found = spark_at_hand(str(submit), {"SPARK_HOME": str(tmp_path / "two")})
    assert found == SparkAtHand(tmp_path / "two", "3.5.9", "2.12")


def test_a_link_leads_to_the_home(tmp_path: Path) -> None:
    submit = install(tmp_path / "spark")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "spark-submit").symlink_to(submit)
    found = spark_at_hand(str(tmp_path / "bin" / "spark-submit"), {})
    assert found is not None and found.home == tmp_path / "spark"


def test_pips_is_in_the_site_packages_beside_its_scripts(tmp_path: Path) -> None:
    submit = script(tmp_path / "venv" / "bin" / "spark-submit")
    script(submit.with_name("find_spark_home.py"))
    library = tmp_path / "venv" / "lib" / "python3.11" / "site-packages" / "pyspark"
    install(library)
    found = spark_at_hand(str(submit), {})
    assert found is not None and found.home == library


def test_pips_other_distribution_comes_first(tmp_path: Path) -> None:
    submit = script(tmp_path / "venv" / "bin" / "spark-submit")
    script(submit.with_name("find_spark_home.py"))
    library = tmp_path / "venv" / "lib" / "python3.11" / "site-packages" / "pyspark"
    install(library)
    install(library / "spark-distribution", "spark-core_2.13-4.0.5.jar")
    found = spark_at_hand(str(submit), {})
    assert found is not None and found.version == "4.0.5"


def test_a_vendors_version(tmp_path: Path) -> None:
    install(tmp_path, "spark-core_2.12-3.3.2.3.3.7190.0-91.jar")
    found = spark_in(tmp_path)
    assert found is not None
    assert (found.version, found.number, found.scala_version) == ("3.3.2.3.3.7190.0-91", (3, 3), "2.12")


def test_where_there_is_none(tmp_path: Path) -> None:
    assert spark_at_hand("spark-submit", {"PATH": str(tmp_path)}) is None
    assert spark_at_hand(str(script(tmp_path / "bin" / "spark-submit")), {}) is None
    assert spark_at_hand("spark-submit", {"SPARK_HOME": str(tmp_path / "gone")}) is None
    with pytest.raises(RequirementError, match="no jars/spark-core_"):
        require_spark_in(tmp_path)
