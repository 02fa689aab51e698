"""Where spark-submit and Java are, and whether they will do."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from tuner.errors import RequirementError, SparkSubmitError

MIN_JAVA = 17


def find_spark_submit() -> str:
    """The spark-submit of SPARK_HOME, of this Python environment, or on PATH, in this order. Raises SparkSubmitError."""
    if home := os.environ.get("SPARK_HOME"):
        candidate = Path(home, "bin", "spark-submit")
        if candidate.is_file():
            return str(candidate)
        raise SparkSubmitError(
            f"SPARK_HOME={home}: no bin/spark-submit there; set it to a Spark installation or unset it"
        )
    beside = Path(sys.executable).parent / "spark-submit"
    if beside.is_file():
        return str(beside)
    if found := shutil.which("spark-submit"):
        return found
    raise SparkSubmitError(
        "spark-submit not found; set SPARK_HOME, or, where no pyspark-client is, "
        "`pip install 'airflow-spark-tuner[spark]'`"
    )


def environment_for(program: str) -> dict[str, str]:
    """The environment to start this spark-submit in. pip's looks for Spark beside the `python3` it finds on PATH."""
    directory = str(Path(program).parent)
    return {**os.environ, "PATH": os.pathsep.join([directory, os.environ.get("PATH", "")])}


def require_java() -> str:
    """The path of a Java of at least MIN_JAVA. Raises RequirementError with how to get one."""
    home = os.environ.get("JAVA_HOME")
    java = str(Path(home, "bin", "java")) if home else shutil.which("java")
    version = _java_version(java) if java else None
    if java is None or version is None or version < MIN_JAVA:
        found = "none was found" if version is None else f"{java} is version {version}"
        raise RequirementError(
            f"Java {MIN_JAVA} or newer is needed and {found}; set JAVA_HOME to one, or install it. Debian, Ubuntu: apt-get "
            f"install openjdk-{MIN_JAVA}-jre-headless, or openjdk-21-jre-headless. macOS: brew install openjdk@{MIN_JAVA}, then "
            f"export JAVA_HOME=$(brew --prefix openjdk@{MIN_JAVA})/libexec/openjdk.jdk/Contents/Home"
        )
    return java


def _java_version(java: str) -> int | None:
    try:
        out = subprocess.run([java, "-version"], capture_output=True, text=True, timeout=60, check=False).stderr
    except OSError:
        return None
    match = re.search(r'version "(?:1\.)?(\d+)', out)
    return int(match[1]) if match else None
