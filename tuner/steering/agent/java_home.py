"""The Java that spark-submit would start."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path

from tuner.errors import RequirementError


def java_of_spark(environ: Mapping[str, str]) -> str:
    """$JAVA_HOME's java, else the one on PATH, as in bin/spark-class. Raises RequirementError where there is none."""
    if home := environ.get("JAVA_HOME"):
        java = Path(home, "bin", "java")
        if java.is_file():
            return str(java)
        raise RequirementError(f"JAVA_HOME={home}: no bin/java there; set it to a Java installation or unset it")
    if found := shutil.which("java", path=environ.get("PATH")):
        return found
    raise RequirementError("no java on PATH; install the Java that Spark is to run with, or set JAVA_HOME")
