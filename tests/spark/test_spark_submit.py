"""Where Java is, and what is said where it is not, or too old."""

from __future__ import annotations

from pathlib import Path

import pytest

from tuner.errors import RequirementError
from tuner.spark import spark_submit
from tuner.spark.spark_submit import require_java


@pytest.mark.parametrize(("version", "found"), [(None, "none was found"), (11, "/opt/java/bin/java is version 11")])
def test_how_to_get_a_java_that_is_then_found(version: int | None, found: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """macOS has a /usr/bin/java that is none, and finds Homebrew's by JAVA_HOME alone; not each Debian has both versions."""
    monkeypatch.setenv("JAVA_HOME", "/opt/java")
    monkeypatch.setattr(spark_submit, "_java_version", lambda java: version)
    with pytest.raises(RequirementError) as raised:
        require_java()
    told = str(raised.value)
    assert told.startswith(f"Java 17 or newer is needed and {found}; set JAVA_HOME to one, or install it. ")
    assert "openjdk-17-jre-headless, or openjdk-21-jre-headless" in told
    assert "JAVA_HOME=$(brew --prefix openjdk@17)/libexec/openjdk.jdk/Contents/Home" in told


def test_a_java_that_will_do_is_the_one_of_java_home(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JAVA_HOME", "/opt/java")
    monkeypatch.setattr(spark_submit, "_java_version", lambda java: 21)
    assert require_java() == str(Path("/opt/java/bin/java"))
