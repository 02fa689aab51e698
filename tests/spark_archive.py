"""An archive of the classes that Spark loads: with it a driver starts in 5 s of CPU, without it in 8 s.

`python -m tests.spark_archive` makes it once for this environment, in 20 s (Java's application class-data sharing,
JEP 350). Java leaves an archive alone that is not of its version and of these jars.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

ARCHIVE = Path(sys.prefix) / "spark.jsa"
# Small data and many plans: what a better compiler and collector would save, they cost many times over.
# With the first alone Java keeps 48 MB for compiled code, which many plans fill.
SMALL_RUNS = "-XX:TieredStopAtLevel=1 -XX:ReservedCodeCacheSize=240m -XX:+UseSerialGC"
LAUNCHER_OPTIONS = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Xshare:auto"
# Each aggregate, sort and hash join allocates a page at once: 32 MB of a heap of 2 GB, which keep the collector busy.
_SMALL_PAGES = "-Dspark.buffer.pageSize=1m"
_SILENT = "-Xshare:auto -Xlog:disable"
_PROGRAM = """
import sys
from pyspark.sql import SparkSession

spark = SparkSession.builder.config("spark.ui.enabled", "false").getOrCreate()
directory = sys.argv[1]
for name, rows in (("facts", 100000), ("dims", 1000)):
    spark.range(rows).selectExpr("id", "id % 100 AS grp", "string(id) AS note").write.parquet(f"{directory}/{name}")
    spark.read.parquet(f"{directory}/{name}").createTempView(name)
query = "SELECT {} d.grp, sum(f.id), max(d.note) FROM facts f JOIN dims d ON f.grp = d.id WHERE d.id > 7 GROUP BY d.grp"
for hint in ("", "/*+ MERGE(d) */", "/*+ SHUFFLE_HASH(d) */"):
    spark.sql(query.format(hint)).collect()
spark.stop()
"""


def driver_options() -> str:
    """Of SPARK_SUBMIT_OPTS on this machine."""
    return f"{java_options()} {_SMALL_PAGES}"


def java_options() -> str:
    """Of executors, and of the daemons of a cluster, on this machine."""
    return f"{SMALL_RUNS} {_SILENT} -XX:SharedArchiveFile={ARCHIVE}" if ARCHIVE.exists() else SMALL_RUNS


def main() -> None:
    made = ARCHIVE.with_suffix(f".{os.getpid()}")
    with tempfile.TemporaryDirectory() as directory:
        program = Path(directory, "program.py")
        program.write_text(_PROGRAM)
        events = ("spark.eventLog.enabled=true", f"spark.eventLog.dir={directory}")
        flags = [flag for item in events for flag in ("--conf", item)]
        options = f"{SMALL_RUNS} {_SILENT} -XX:ArchiveClassesAtExit={made}"
        subprocess.run(
            [Path(sys.executable).with_name("spark-submit"), "--master", "local[2]", *flags, program, f"{directory}/data"],
            env={**os.environ, "SPARK_SUBMIT_OPTS": options, "PYSPARK_PYTHON": sys.executable},
            cwd=directory, capture_output=True, check=True,
        )  # fmt: skip
    made.rename(ARCHIVE)


if __name__ == "__main__":
    main()
