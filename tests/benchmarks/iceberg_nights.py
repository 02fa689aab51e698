"""Whether a nightly job on Iceberg tables returns and writes the same rows each night, steered.

    python tests/benchmarks/iceberg_nights.py SPARK_HOME JAR[,JAR…] [--nights 4] [--rows 1000000] [--seed 1]

JARs are Iceberg's runtime for that Spark. The job (iceberg_app.py) joins tables, snapshots and buckets, and changes tables by
MERGE, UPDATE, DELETE and INSERT OVERWRITE; its first night is as without a tuner. Prints the seconds of each statement by night,
and exits with 1 where one fails or gives other rows. Needs Java, and that Spark's Python.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

_APP = Path(__file__).with_name("iceberg_app.py")
_CONF = {
    "spark.master": "local[2]",
    "spark.driver.memory": "2g",
    "spark.ui.enabled": "false",
    "spark.sql.shuffle.partitions": "40",
    "spark.sql.extensions": "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions",
    "spark.sql.catalog.ice": "org.apache.iceberg.spark.SparkCatalog",
    "spark.sql.catalog.ice.type": "hadoop",
}


def night(number: int, home: Path, jars: str, work: Path, more: list[str]) -> dict[str, Any]:
    """What each statement gave and took, by its name; empty where the job failed."""
    report = work / f"night-{number}.json"
    conf = {**_CONF, "spark.jars": jars, "spark.sql.catalog.ice.warehouse": str(work / "warehouse")}
    flags = [flag for item in conf.items() for flag in ("--conf", "=".join(item))]
    command = [sys.executable, "-m", "tuner.cli", "submit", "--cohort", "iceberg", "--db", f"sqlite:///{work}/tuner.db"]
    command += ["--event-log-base", str(work / "events"), "--", *flags, str(_APP), str(report), *more]
    environment = {**os.environ, "SPARK_HOME": str(home), "SPARK_LOCAL_IP": "127.0.0.1"}
    done = subprocess.run(command, env=environment, cwd=work, capture_output=True, text=True, check=False)
    said = [line for line in done.stderr.splitlines() if line.startswith("spark-tuner: ")]
    print(f"night {number}:", *(line.removeprefix("spark-tuner: ")[:200] for line in said), sep="\n  ", flush=True)
    if done.returncode:
        print(done.stderr[-3000:])
    return dict(json.loads(report.read_text())) if not done.returncode else {}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("home", type=Path)
    parser.add_argument("jars")
    parser.add_argument("--nights", type=int, default=4)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="iceberg-nights-") as directory:
        more = [str(given.rows), str(given.seed)]
        nights = [night(n + 1, given.home, given.jars, Path(directory), more) for n in range(given.nights)]
    print(f"{'':<36}{'rows':<10}seconds by night")
    is_same = all(nights)
    for name, (rows, _) in nights[0].items():
        same = all(one.get(name, (None,))[0] == rows for one in nights)
        is_same &= same
        seconds = "".join(f"{one[name][1]:8.1f}" for one in nights if name in one)
        print(f"{name:<36}{'equal' if same else 'DIFFERENT':<10}{seconds}")
    return 0 if is_same else 1


if __name__ == "__main__":
    raise SystemExit(main())
