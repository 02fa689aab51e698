"""What an executor asks its cluster for, as Spark's own ResourceProfile adds it up."""

from __future__ import annotations

import pytest

from tuner.spark.container import (
    driver_container_bytes,
    executor_container_bytes,
    largest_driver_heap,
    largest_heap,
    overhead_bytes,
)
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
        ({"spark.executor.memory": "10g", "spark.kubernetes.memoryOverheadFactor": "0.4"}, 11 * GIB),
        ({"spark.executor.memoryOverheadFactor": "1e308"}, GIB + 384 * MIB),
        ({"spark.executor.memoryOverheadFactor": "-1"}, GIB + 384 * MIB),
    ],
)
def test_heap_and_all_that_comes_beside_it(conf: dict[str, str], expected: int) -> None:
    assert executor_container_bytes(conf) == expected


# What BasicDriverFeatureStep writes for a driver in its pod, and what a driver elsewhere has where nobody sets it.
@pytest.mark.parametrize(
    ("conf", "overhead"),
    [
        ({}, 1 * GIB),
        ({"spark.submit.deployMode": "client"}, 1 * GIB),
        ({"spark.kubernetes.memoryOverheadFactor": "0.1"}, 1 * GIB),
        ({"spark.kubernetes.memoryOverheadFactor": "0.1", "spark.submit.deployMode": "cluster"}, 1 * GIB),
        ({"spark.kubernetes.memoryOverheadFactor": "0.4"}, 4 * GIB),
        ({"spark.kubernetes.memoryOverheadFactor": "0.4", "spark.executor.memoryOverheadFactor": "0.2"}, 2 * GIB),
        ({"spark.kubernetes.memoryOverheadFactor": "0.4", "spark.executor.memoryOverhead": "3g"}, 3 * GIB),
        ({"spark.executor.memoryOverheadFactor": "0.2"}, 2 * GIB),
        # Of a job of Python or R, where no log has told yet.
        ({"spark.submit.deployMode": "cluster"}, 4 * GIB),
    ],
)
def test_an_overhead_on_kubernetes_is_what_the_driver_was_told(conf: dict[str, str], overhead: int) -> None:
    asked = {"spark.master": "k8s://https://host", "spark.executor.memory": "10g", **conf}
    assert overhead_bytes(asked) == overhead
    assert executor_container_bytes(asked) == 10 * GIB + overhead


@pytest.mark.parametrize(
    "conf",
    [
        {},
        {"spark.executor.memoryOverhead": "2g"},
        {"spark.executor.memoryOverheadFactor": "0.4", "spark.executor.pyspark.memory": "1g"},
        {"spark.memory.offHeap.size": "1g", "spark.memory.offHeap.enabled": "true"},
        {"spark.master": "spark://host:7077"},
        {"spark.master": "k8s://host", "spark.kubernetes.memoryOverheadFactor": "0.4"},
    ],
)
@pytest.mark.parametrize("limit", [4 * GIB, 10 * GIB, 97 * GIB])
def test_the_largest_heap_fills_its_container(conf: dict[str, str], limit: int) -> None:
    heap = largest_heap(conf, limit) // MIB
    used, more = (executor_container_bytes({**conf, "spark.executor.memory": f"{heap + n}m"}) for n in (0, 2))
    assert used <= limit < more


@pytest.mark.parametrize(
    "conf",
    [
        {},
        {"spark.driver.memoryOverhead": "2g"},
        {"spark.driver.memoryOverheadFactor": "0.4"},
        {"spark.driver.minMemoryOverhead": "1g"},
        {"spark.master": "k8s://host", "spark.kubernetes.memoryOverheadFactor": "0.4"},
    ],
)
@pytest.mark.parametrize("limit", [4 * GIB, 10 * GIB, 97 * GIB])
def test_a_drivers_largest_heap_fills_its_container(conf: dict[str, str], limit: int) -> None:
    heap = largest_driver_heap(conf, limit) // MIB
    used, more = (driver_container_bytes({**conf, "spark.driver.memory": f"{heap + n}m"}) for n in (0, 2))
    assert used <= limit < more
