"""The Spark session of a command that reads many logs."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from tuner.cli.options.spark import parse_conf


@contextmanager
def spark_session(master: str, conf: Iterable[str], name: str) -> Iterator[Any]:
    """A session with the settings given (KEY=VALUE), stopped at the end. ImportError without PySpark."""
    from pyspark.sql import SparkSession

    settings = parse_conf(conf)
    # Workers need the tuner, so by default they get the Python that has it here. PySpark reads this variable only.
    os.environ["PYSPARK_PYTHON"] = settings.get("spark.pyspark.python") or os.environ.get(
        "PYSPARK_PYTHON", sys.executable
    )
    builder = SparkSession.builder.master(master).appName(name)
    quiet = {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": str(sys.stderr.isatty()).lower(),
        "spark.log.level": "ERROR",
    }
    for key, value in (quiet | settings).items():
        builder = builder.config(key, value)
    session = builder.getOrCreate()
    try:
        yield session
    finally:
        session.stop()
