"""Which clusters are priced alike."""

from __future__ import annotations

import math

from tuner.spark.version import parse_version
from tuner.units import GIB


def cluster_kind(spark_version: str | None, executor_cores: int | None, executor_memory_bytes: int | None) -> str:
    """A name for what makes the price of a row another, of what logs tell; fit for a file: `spark-4.0_4-cores_16-GiB`.

    - Spark's minor version: its operators and its code generation change with it, and with them what a row takes.
    - Cores of an executor: what its tasks share, its heap's collector and its memory bus.
    - Heap of an executor, to the nearest power of two: a platform's few sizes of machines.

    How many executors there are is not in it: dynamic allocation has another number every night, and prices are of
    core time, which the number hardly moves. Nor is what stores the inputs: plans name it of bare files, and hide
    it behind the names of tables. What a log does not tell is `unknown`.
    """
    major, minor, _ = parse_version(spark_version or "") or (0, 0, 0)
    version = f"{major}.{minor}" if 0 < major < 1000 > minor else "unknown"
    cores = str(executor_cores) if executor_cores and executor_cores > 0 else "unknown"
    memory = executor_memory_bytes or 0
    gib = f"{2.0 ** round(math.log2(memory / GIB)):.10g}" if memory > 0 else "unknown"
    return f"spark-{version}_{cores}-cores_{gib}-GiB"
