"""The shape of the cluster an application had."""

from __future__ import annotations

import pytest

from tuner.eventlog.cluster import cluster_of
from tuner.model.application import Application, Completeness, Executors
from tuner.model.cluster import Cluster


def application(executors: Executors, master: str, driver_memory_bytes: int = 0) -> Application:
    told = ("a", "n", None, "4.3.0", 0, 1, Completeness.COMPLETE, executors, {"spark.master": master})
    return Application(*told, driver_memory_bytes=driver_memory_bytes)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (
            application(Executors(4, 8 << 30, 3), "yarn", 2 << 30),
            Cluster(12, 3, 4, 8 << 30, 2 << 30, local=False),
        ),
        (
            application(Executors(2, 1 << 30, 1), "local[2]", 1 << 30),
            Cluster(2, 1, 2, 1 << 30, 1 << 30, local=True),
        ),
        (
            application(Executors(1, 1 << 30, 2), "local-cluster[2,1,1024]", 2 << 30),
            Cluster(2, 2, 1, 1 << 30, 2 << 30, local=False),
        ),
        (application(Executors(), "yarn"), Cluster(0, 0, 0, 0, 0, local=False)),
    ],
)
def test_cores_and_memory(given: Application, expected: Cluster) -> None:
    assert cluster_of(given) == expected
