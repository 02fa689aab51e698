"""The environment that Spark's scripts start Java in: conf/spark-env.sh may say which Java, and where Hadoop's classes are."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from pathlib import Path

from tuner.steering.agent.spark_home import SparkAtHand

# It may ask Hadoop for its class path, which starts a JVM.
_SECONDS = 30
_LOADED = '. "$SPARK_HOME/bin/load-spark-env.sh" >/dev/null && env -0'


def environment_of_spark(spark: SparkAtHand, environ: Mapping[str, str]) -> Mapping[str, str]:
    """The environment with what spark-env.sh makes of it, by Spark's own script, as in bin/spark-class; as it is where there is
    no such file, or it fails."""
    directory = environ.get("SPARK_CONF_DIR")
    file = (Path(directory) if directory else spark.home / "conf") / "spark-env.sh"
    if not file.is_file():
        return environ
    try:
        done = subprocess.run(
            ["bash", "-c", _LOADED],
            env={**environ, "SPARK_HOME": str(spark.home)},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="surrogateescape",
            timeout=_SECONDS,
            check=True,
        )
    except (OSError, subprocess.SubprocessError):
        return environ
    pairs = (entry.partition("=") for entry in done.stdout.split("\0") if entry)
    return {name: value for name, _, value in pairs} or environ
