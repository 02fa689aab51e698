"""Command lines of spark-submit."""

from __future__ import annotations

from pathlib import Path

import pytest

from tuner.spark.submit_arguments import as_arguments, parse


@pytest.mark.parametrize(
    ("given", "options", "properties"),
    [
        (["app.py"], 0, {}),
        (["--master", "yarn", "app.py", "--jars", "x"], 2, {"spark.master": "yarn"}),
        (["--conf", "a=b=c", "-c", "d=e", "--conf=f=g", "app.py"], 5, {"a": "b=c", "d": "e", "f": "g"}),
        (["--jars=/a.jar,/b.jar", "--supervise", "--name", "n", "app.py"], 4, {"spark.jars": "/a.jar,/b.jar"}),
        (["--conf", "spark.jars=/c.jar", "--jars", "/a.jar", "app.py"], 4, {"spark.jars": "/a.jar"}),
        (["--jars", "/a.jar", "--conf", "spark.jars=/c.jar", "app.py"], 4, {"spark.jars": "/a.jar"}),
        (["--jars", "/a.jar", "--jars", "/b.jar", "app.py"], 4, {"spark.jars": "/b.jar"}),
        (["--class", "--jars", "app.jar", "--deploy-mode", "cluster"], 2, {}),  # a class of that name
        (["--deploy-mode", "cluster", "-v", "app.py"], 3, {"spark.submit.deployMode": "cluster"}),
        (["--nonsense", "--jars", "/a.jar", "app.py"], 0, {}),  # for spark-submit to complain of
        (["--master"], 0, {}),
        ([], 0, {}),
    ],
)
def test_options_end_at_the_application(given: list[str], options: int, properties: dict[str, str]) -> None:
    found = parse(given)
    assert [*found.options, *found.application] == given
    assert len(found.options) == options
    assert found.properties == properties


def test_flags_beat_conf_which_beats_the_file(tmp_path: Path) -> None:
    file = tmp_path / "job.properties"
    file.write_text("spark.jars /f.jar\nspark.files /f.txt\nspark.sql.extensions f.F\n")
    given = ["--properties-file", str(file), "--conf", "spark.files=/c.txt", "--jars", "/a.jar"]
    found = parse([*given, "app.py"])
    assert found.properties_but_file == {"spark.files": "/c.txt", "spark.jars": "/a.jar"}
    assert found.properties == {"spark.jars": "/a.jar", "spark.files": "/c.txt", "spark.sql.extensions": "f.F"}
    assert not found.with_defaults
    assert parse(["--load-spark-defaults", *given, "app.py"]).with_defaults
    assert parse(["app.py", "--properties-file", "x"]).with_defaults


def test_jars_and_files_are_given_by_their_flags() -> None:
    assert as_arguments({"spark.jars": "/a.jar", "spark.sql.extensions": "a.A", "spark.files": "/f"}) == [
        *("--jars", "/a.jar", "--conf", "spark.sql.extensions=a.A", "--files", "/f")
    ]
