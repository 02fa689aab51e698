"""Applications with the agent's jar on pip's Spark, for the benchmarks of the agent."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyspark

from tuner.model.agent_message import EXTENSIONS_CLASS
from tuner.steering.agent.jar import agent_jar
from tuner.steering.agent.spark_home import require_spark_in

HOME = Path(pyspark.__file__).parent
APPS = Path(__file__).parents[1] / "steering" / "agent"


def submit(
    app: Path, directory: Path, name: str, options: Mapping[str, Any], conf: Mapping[str, str]
) -> tuple[Any, Path]:
    """What the application reports, and the folder of its log."""
    logs, work = directory / f"{name}-logs", directory / f"{name}-work"
    for folder in (logs, work):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
    files = [directory / f"{name}-options.json", directory / f"{name}-report.json"]
    files[0].write_text(json.dumps({"work": str(work), **options}), encoding="utf-8")
    settings = {
        "spark.master": "local[2]",
        "spark.driver.memory": "6g",
        "spark.ui.enabled": "false",
        "spark.jars": str(agent_jar(require_spark_in(HOME))),
        "spark.sql.extensions": EXTENSIONS_CLASS,
        "spark.eventLog.enabled": "true",
        "spark.eventLog.compress": "false",
        "spark.eventLog.dir": logs.as_uri(),
        "spark.sql.warehouse.dir": work.as_uri(),
        "spark.sql.ansi.doubleQuotedIdentifiers": "true",
        **conf,
    }
    flags = [flag for key, value in settings.items() for flag in ("--conf", f"{key}={value}")]
    program = Path(sys.executable).with_name("spark-submit")
    environment = {
        **os.environ,
        "SPARK_HOME": str(HOME),
        "PYSPARK_PYTHON": sys.executable,
        "SPARK_LOCAL_IP": "127.0.0.1",
    }
    subprocess.run([program, *flags, app, *files], check=True, cwd=work, env=environment)
    return json.loads(files[1].read_text(encoding="utf-8")), logs
