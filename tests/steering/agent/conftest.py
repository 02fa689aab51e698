"""Spark installations that tests may compile against, and a Java that does not compile anything."""

from __future__ import annotations

import os
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import pytest

# Homes of other Sparks than pip's, separated as in PATH.
OTHER_SPARKS = "SPARK_TUNER_TEST_SPARK_HOMES"


def pip_spark() -> Path:
    """The home of pip's Spark."""
    spec = find_spec("pyspark")
    assert spec is not None and spec.origin is not None
    return Path(spec.origin).parent


def other_sparks() -> list[Path]:
    """The homes of other Sparks on this machine."""
    return [Path(home) for home in os.environ.get(OTHER_SPARKS, "").split(os.pathsep) if home]


@pytest.fixture
def spark_home(tmp_path: Path) -> Path:
    """A Spark of which only names are there."""
    jars = tmp_path / "spark" / "jars"
    jars.mkdir(parents=True)
    (jars / "spark-core_2.13-4.3.0.jar").touch()
    return jars.parent


@pytest.fixture
def environment(tmp_path: Path) -> Callable[[str], dict[str, str]]:
    """An environment whose java is this shell script, with a data directory of its own."""

    def make(java: str) -> dict[str, str]:
        path = tmp_path / "java" / "bin" / "java"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"#!/bin/sh\n{java}\n")
        path.chmod(0o755)
        return {
            "JAVA_HOME": str(tmp_path / "java"),
            "XDG_DATA_HOME": str(tmp_path / "data"),
            "PATH": os.environ["PATH"],
        }

    return make
