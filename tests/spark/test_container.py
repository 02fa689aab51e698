"""What an executor asks its cluster for, as Spark's own ResourceProfile adds it up."""

from __future__ import annotations

import pytest

from tuner.spark.container import executor_container_bytes, largest_heap
from tuner.units import GIB, MIB


@pytest.mark.parametrize(
    ("conf", "expected"),
    [
        ({}, 1 * GIB + 384 * MIB),
        ({"spark.executor.memory": "10g"}, 11 * GIB),
        ({"spark.executor.memory": "10g", "spark.executor.memoryOverhead": "2g"}, 12 * GIB),
        ({"spark.executor.memory": "2g", "spark.executor.memoryOverhead": "512"}, 2 * GIB + 512 * MIB),
        ({"spark.executor.memory": "10g", "spark.executor.memoryOverheadFactor": "0.4"}, 14 * GIB),
        ({"spark.executor.minMemoryOverhead": "1g"}, 2 * GIB),
        ({"spark.executor.memory": "10g", "spark.executor.pyspark.memory": "1g"}, 12 * GIB),
        ({"spark.executor.memory": "10g", "spark.memory.offHeap.size": "3g"}, 11 * GIB),
        (
            {"spark.executor.memory": "10g", "spark.memory.offHeap.size": "3g", "spark.memory.offHeap.enabled": "true"},
            14 * GIB,
        ),
        ({"spark.master": "local[4]", "spark.executor.memory": "10g", "spark.driver.memory": "3g"}, 3 * GIB),
        (
            {"spark.master": "local-cluster[2,1,2048]", "spark.executor.memory": "2g", "spark.driver.memory": "3g"},
            2 * GIB,
        ),
        ({"spark.master": "spark://host:7077", "spark.executor.memory": "2g"}, 2 * GIB),
        ({"spark.master": "k8s://https://host", "spark.executor.memory": "10g"}, 14 * GIB),
        ({"spark.executor.memoryOverheadFactor": "1e308"}, GIB + 384 * MIB),
        ({"spark.executor.memoryOverheadFactor": "-1"}, GIB + 384 * MIB),
    ],
)
def test_heap_and_all_that_comes_beside_it(conf: dict[str, str], expected: int) -> None:
    assert executor_container_bytes(conf) == expected


@pytest.mark.parametrize(
    "conf",
    [
        {},
        {"spark.executor.memoryOverhead": "2g"},
        {"spark.executor.memoryOverheadFactor": "0.4", "spark.executor.pyspark.memory": "1g"},
        {"spark.memory.offHeap.size": "1g", "spark.memory.offHeap.enabled": "true"},
        {"spark.master": "spark://host:7077"},
    ],
)
@pytest.mark.parametrize("limit", [4 * GIB, 10 * GIB, 97 * GIB])
def test_the_largest_heap_fills_its_container(conf: dict[str, str], limit: int) -> None:
    heap = largest_heap(conf, limit) // MIB
    used, more = (executor_container_bytes({**conf, "spark.executor.memory": f"{heap + n}m"}) for n in (0, 2))
    assert used <= limit < more
