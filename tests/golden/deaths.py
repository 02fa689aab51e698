"""Writes the golden logs of deaths for want of memory anew: `python -m tests.golden.deaths`.

Each is of tests/benchmarks/memory_deaths_app.py on a local cluster of the Spark at hand, as Spark wrote it, but for what names
the machine: of the environment the properties alone that the reader lets out are kept.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import zstandard

from tuner.eventlog.properties import allowed
from tuner.spark.spark_submit import environment_for, find_spark_submit

LOGS = Path(__file__).parent / "deaths"
APP = Path(__file__).parents[1] / "benchmarks" / "memory_deaths_app.py"
# MiB that it holds, and sizes that have no place for them.
DEATHS = {
    "heap": (700, {"spark.executor.memory": "512m"}),
    "skew": (700, {"spark.executor.memory": "512m"}),
    "driver": (900, {"spark.driver.memory": "512m"}),
    "results": (64, {"spark.driver.maxResultSize": "16m"}),
    "broadcast": (600, {"spark.driver.memory": "512m"}),
    "hash_map": (700, {"spark.memory.offHeap.enabled": "true", "spark.memory.offHeap.size": "64m"}),
    "python": (700, {"spark.executor.pyspark.memory": "512m"}),
    "killed": (1, {}),
}
_SIZES = {
    "spark.executor.memory": "1g",
    "spark.driver.memory": "1g",
    "spark.driver.maxResultSize": "512m",
    "spark.task.maxFailures": "1",
    "spark.ui.enabled": "false",
    "spark.eventLog.enabled": "true",
    "spark.eventLog.logStageExecutorMetrics": "true",
    "spark.sql.autoBroadcastJoinThreshold": "-1",
    "spark.sql.shuffle.partitions": "4",
}
NEUTRAL = {"SPARK_LOCAL_HOSTNAME": "localhost", "SPARK_LOCAL_IP": "127.0.0.1", "PYSPARK_PYTHON": sys.executable}


def log_of(kind: str) -> str:
    """The event log of a job that dies in this way."""
    mebibytes, sizes = DEATHS[kind]
    program = find_spark_submit()
    with tempfile.TemporaryDirectory() as directory:
        conf = {**_SIZES, "spark.eventLog.dir": Path(directory).as_uri(), "spark.eventLog.compress": "false"} | sizes
        arguments = [part for name, value in conf.items() for part in ("--conf", f"{name}={value}")]
        command = [program, "--master", "local-cluster[1,1,1024]", *arguments, str(APP), kind, str(mebibytes)]
        done = subprocess.run(
            command, env={**os.environ, **environment_for(program), **NEUTRAL}, capture_output=True, check=False
        )
        if not done.returncode:
            raise SystemExit(f"{kind} did not die")
        (log,) = (file for file in Path(directory).rglob("*") if file.name.startswith(("app-", "events_")))
        text = log.read_text()
        for place, name in ((APP.parent, "/jobs"), (Path(program).parent.parent, "/spark"), (directory, "/logs")):
            text = text.replace(str(place), name)
        return "".join(map(neutral, text.splitlines()))


def neutral(line: str) -> str:
    """An event without what tells of the machine."""
    event = json.loads(line)
    if event["Event"] == "SparkListenerEnvironmentUpdate":
        event = {"Event": event["Event"], "Spark Properties": allowed(event["Spark Properties"])}
    if event["Event"] == "SparkListenerJobStart":
        event["Properties"] = {k: v for k, v in event.get("Properties", {}).items() if k == "spark.sql.execution.id"}
    if event["Event"] == "SparkListenerStageSubmitted":
        event.pop("Properties", None)
    event.pop("physicalPlanDescription", None)
    event.pop("details", None)
    return json.dumps(event, separators=(",", ":")) + "\n"


def main() -> None:
    LOGS.mkdir(exist_ok=True)
    for kind in sys.argv[1:] or tuple(DEATHS):
        (LOGS / f"{kind}.zstd").write_bytes(zstandard.ZstdCompressor(19).compress(log_of(kind).encode()))
        print(kind, flush=True)


if __name__ == "__main__":
    main()
