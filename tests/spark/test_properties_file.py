"""Properties files of Spark."""

from __future__ import annotations

from pathlib import Path

import pytest

from tuner.spark.properties_file import parse, read, spark_defaults


@pytest.mark.parametrize(
    ("text", "parsed"),
    [
        ("spark.a 1", {"spark.a": "1"}),
        ("spark.a=1\nspark.b : 2\n", {"spark.a": "1", "spark.b": "2"}),
        ("# note\n! note\n\n  spark.a\t1  ", {"spark.a": "1"}),
        ("spark.a -Dx=y -Dz", {"spark.a": "-Dx=y -Dz"}),
        ("spark.a one,\\\n    two", {"spark.a": "one,two"}),
        ("spark.a C:\\\\tmp\\\\x", {"spark.a": "C:\\tmp\\x"}),
        ("spark\\:a\\ b \\u0041", {"spark:a b": "A"}),
        ("spark.a", {"spark.a": ""}),
        ("spark.a 1\nspark.a 2", {"spark.a": "2"}),
    ],
)
def test_properties_files_read_as_java_does(text: str, parsed: dict[str, str]) -> None:
    assert parse(text) == parsed


def test_the_defaults_are_the_homes_or_those_of_the_conf_directory(tmp_path: Path) -> None:
    for name in ("conf", "other"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "spark-defaults.conf").write_text(f"spark.app.name {name}\n")
    assert spark_defaults(tmp_path, {}) == {"spark.app.name": "conf"}
    assert spark_defaults(tmp_path, {"SPARK_CONF_DIR": str(tmp_path / "other")}) == {"spark.app.name": "other"}


def test_a_file_that_is_not_there_sets_nothing(tmp_path: Path) -> None:
    assert read(tmp_path / "gone") == spark_defaults(tmp_path, {}) == {}
