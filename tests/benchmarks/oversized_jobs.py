"""What the tuner takes from a job that asks for too much memory, on real Spark.

    python -m tests.benchmarks.oversized_jobs DIRECTORY [--scale-factor 1] [--heap 4096] [--nights 5] [--queries 3 7 19…]

A job of TPC-DS queries on two executors of a local cluster, each of `--heap` MiB, submitted night after night by
`spark-tuner submit --resources tune`. A line for each night: the heap that its executors had and the most that they held of it,
seconds, GiB-hours held, what was said of it. DIRECTORY/TPC-DS-<scale factor> holds the tables. Needs the `demo` extra and Java.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path

from tuner.demo.tables import TPCDS, make_tables, query_texts
from tuner.history.store import Store
from tuner.model.run import Run
from tuner.spark.knobs import EXECUTOR_MEMORY
from tuner.spark.settings import Settings
from tuner.units import GIB, MIB

QUERIES = (3, 7, 11, 19, 25, 29, 42, 52, 59, 64, 65, 72, 78, 79, 93)

_APP = """
import json, sys
from pathlib import Path
from pyspark.sql import SparkSession
tables, texts = sys.argv[1:]
spark = SparkSession.builder.appName("oversized").getOrCreate()
for table in filter(Path.is_dir, Path(tables).iterdir()):
    spark.read.parquet(str(table)).createOrReplaceTempView(table.name)
for name, text in json.loads(Path(texts).read_text()).items():
    spark.sparkContext.setJobDescription(name)
    spark.sql(text).collect()
spark.stop()
"""


def submitted(options: argparse.Namespace, directory: Path, tables: Path) -> tuple[float, int, list[str]]:
    """Seconds, the exit code, and what the tuner said of sizes."""
    conf = {
        "spark.executor.memory": f"{options.heap}m",
        "spark.driver.memory": "2g",
        "spark.ui.enabled": "false",
        "spark.sql.ansi.doubleQuotedIdentifiers": "true",
    }
    tuner = [
        sys.executable,
        "-m",
        "tuner.cli",
        "submit",
        "--resources",
        "tune",
        "--mode",
        "auto",
        "--cohort",
        "oversized",
    ]
    tuner += ["--event-log-base", str(directory / "events"), "--", "--master", f"local-cluster[2,1,{options.heap}]"]
    tuner += [part for name, value in conf.items() for part in ("--conf", f"{name}={value}")]
    environment = {
        **os.environ,
        "SPARK_TUNER_DB": f"sqlite:///{directory}/history.db",
        "PYTHONPATH": str(Path(__file__).parents[2]),
        "PYSPARK_PYTHON": sys.executable,
    }
    command = [*tuner, str(directory / "app.py"), str(tables), str(directory / "texts.json")]
    started = time.monotonic()
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    seconds = time.monotonic() - started
    with (directory / "out.txt").open("a", encoding="utf-8") as out:
        out.write(f"exit {done.returncode}\n{done.stderr}\n")
    lines = [line.removeprefix("spark-tuner: ") for line in done.stderr.splitlines()]
    return seconds, done.returncode, [line for line in lines if line.startswith(EXECUTOR_MEMORY.property)]


def night(run: Run) -> dict[str, object]:
    outcome = run.outcome
    if outcome is None:
        return {"state": run.state.value}
    use = outcome.resources
    held = use.allocated_byte_ms
    return {
        "state": run.state.value,
        "heap_mib": Settings(outcome.conf)[EXECUTOR_MEMORY] // MIB,
        "peak_mib": use.executors.heap_bytes // MIB if use.executors else None,
        "execution_mib": use.executors.execution_bytes // MIB if use.executors else None,
        "firm_mib": use.firm_bytes // MIB,
        "gc_share": round(use.gc_share, 3),
        "spilled_mib": use.spilled_bytes // MIB,
        "task_seconds": round(use.task_ms / 1e3, 1),
        "gib_hours": round(held / GIB / 3.6e6, 4) if held is not None else None,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directory", type=Path)
    parser.add_argument("--scale-factor", type=float, default=1)
    parser.add_argument("--heap", type=int, default=4096)
    parser.add_argument("--nights", type=int, default=5)
    parser.add_argument("--queries", type=int, nargs="+", default=QUERIES)
    options = parser.parse_args()
    directory: Path = options.directory.absolute()
    tables = directory / f"TPC-DS-{options.scale_factor:g}"
    make_tables(tables, options.scale_factor, TPCDS)
    texts = query_texts(TPCDS)
    (directory / "app.py").write_text(_APP)
    (directory / "texts.json").write_text(json.dumps({f"q{number:02}": texts[number] for number in options.queries}))
    for number in range(options.nights):
        seconds, code, said = submitted(options, directory, tables)
        with Store.open(f"sqlite:///{directory}/history.db") as store:
            run = store.recent("oversized", 1, 1)[-1]
        line = {"night": number + 1, "exit": code, "seconds": round(seconds, 1), **night(run), "said": said}
        print(json.dumps(line), flush=True)


if __name__ == "__main__":
    main()
