"""The shape of the cluster an application had."""

from __future__ import annotations

import pytest

from tuner.eventlog.cluster import cluster_of
from tuner.model.application import Application, Completeness, Executors
from tuner.model.cluster import Cluster


def application(executors: Executors, **conf: str) -> Application:
    conf = {key.replace("_", "."): value for key, value in conf.items()}
    return Application("a", "n", None, "4.3.0", 0, 1, Completeness.COMPLETE, executors, conf, (), ())


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (
            application(Executors(4, 8 << 30, 3), spark_master="yarn", spark_driver_memory="2g"),
            Cluster(12, 3, 4, 8 << 30, 2 << 30, local=False),
        ),
        (
            application(Executors(2, 1 << 30, 1), spark_master="local[2]"),
            Cluster(2, 1, 2, 1 << 30, 1 << 30, local=True),
        ),
        (
            application(Executors(1, 1 << 30, 2), spark_master="local-cluster[2,1,1024]", spark_driver_memory="2g"),
            Cluster(2, 2, 1, 1 << 30, 2 << 30, local=False),
        ),
        (application(Executors(), spark_driver_memory="a lot"), Cluster(0, 0, 0, 0, 0, local=False)),
    ],
)
def test_cores_and_memory(given: Application, expected: Cluster) -> None:
    assert cluster_of(given) == expected
