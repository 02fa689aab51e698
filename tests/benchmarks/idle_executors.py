"""What the tuner takes from a job that asks for more executors than it keeps busy, on real Spark.

    python -m tests.benchmarks.idle_executors DIRECTORY [--nights 6] [--dynamic] [--objective cost]

Each night an application on four executors of a local cluster, of one core each, waits in tasks: two for ten seconds, then one
for five. It is submitted by `spark-tuner submit --resources tune`. A line for each night: how many executors it had, seconds,
core-hours held, what was said. `--dynamic`: with dynamic allocation in place of a fixed number. At last a night of four times as
many tasks, which is slower with what was taken; and the nights after that.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path

from tuner.history.store import Store

_COHORT = "idle"
_APP = """
import sys
from pyspark.sql import SparkSession

many = int(sys.argv[1])
spark = SparkSession.builder.appName("idle").getOrCreate()
for tasks, ms in ((2 * many, 10_000), (1, 5_000)):
    waited = f"java_method('java.lang.Thread', 'sleep', {ms}L)"
    spark.range(0, tasks, 1, tasks).selectExpr(waited).write.format("noop").mode("overwrite").save()
spark.stop()
"""


def submitted(directory: Path, options: argparse.Namespace, many: int) -> tuple[float, int, list[str]]:
    """Seconds, the exit code, and what the tuner said of executors."""
    conf = {
        "spark.executor.memory": "512m",
        "spark.executor.cores": "1",
        "spark.ui.enabled": "false",
    }
    if options.dynamic:
        conf |= {
            "spark.dynamicAllocation.enabled": "true",
            "spark.dynamicAllocation.shuffleTracking.enabled": "true",
            "spark.dynamicAllocation.initialExecutors": "4",
        }
    tuner = [sys.executable, "-m", "tuner.cli", "submit", "--cohort", _COHORT, "--resources", "tune"]
    tuner += ["--objective", options.objective, "--event-log-base", str(directory / "events")]
    command = [*tuner, "--", "--master", "local-cluster[4,1,512]"]
    command += [part for name, value in conf.items() for part in ("--conf", f"{name}={value}")]
    environment = {
        **os.environ,
        "SPARK_TUNER_DB": f"sqlite:///{directory}/history.db",
        "PYTHONPATH": str(Path(__file__).parents[2]),
        "PYSPARK_PYTHON": sys.executable,
    }
    started = time.monotonic()
    done = subprocess.run(
        [*command, str(directory / "app.py"), str(many)], env=environment, capture_output=True, text=True, check=False
    )
    seconds = time.monotonic() - started
    with (directory / "out.txt").open("a", encoding="utf-8") as out:
        out.write(f"exit {done.returncode}\n{done.stderr}\n")
    lines = [
        line.removeprefix("spark-tuner: ") for line in done.stderr.splitlines() if line.startswith("spark-tuner: ")
    ]
    return seconds, done.returncode, [line for line in lines if line.startswith("spark.") and " executors" in line]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directory", type=Path)
    parser.add_argument("--nights", type=int, default=6)
    parser.add_argument("--dynamic", action="store_true")
    parser.add_argument("--objective", default="cost")
    options = parser.parse_args()
    directory: Path = options.directory.absolute()
    directory.mkdir(parents=True, exist_ok=True)
    (directory / "app.py").write_text(_APP)
    for number, many in enumerate([1] * options.nights + [4, 1, 1]):
        seconds, code, said = submitted(directory, options, many)
        with Store.open(f"sqlite:///{directory}/history.db") as store:
            outcome = store.recent(_COHORT, 1, 1)[-1].outcome
        line: dict[str, object] = {"night": number + 1, "exit": code, "seconds": round(seconds, 1), "said": said}
        if outcome is not None:
            line |= {
                "executors": outcome.cluster.executors,
                "core_hours": round(outcome.allocated_core_hours or 0, 4),
                "tasks_at_once": outcome.resources.tasks_at_once,
            }
        print(json.dumps(line), flush=True)


if __name__ == "__main__":
    main()
