"""Where an application runs, and who waits for it there."""

from __future__ import annotations

import pytest

from tuner.spark.master import waits_for_completion
from tuner.spark.properties import DEPLOY_MODE, MASTER


@pytest.mark.parametrize(
    ("master", "own", "waits"),
    [
        ("yarn", {}, True),
        ("yarn", {"spark.yarn.submit.waitAppCompletion": "false"}, False),
        ("k8s://https://api", {}, True),
        ("k8s://https://api", {"spark.kubernetes.submission.waitAppCompletion": " False "}, False),
        ("k8s://https://api", {"spark.yarn.submit.waitAppCompletion": "false"}, True),
        ("spark://here:7077", {}, False),
        ("spark://here:7077", {"spark.standalone.submit.waitAppCompletion": "true"}, True),
    ],
)
def test_in_cluster_mode_spark_submit_waits_where_its_conf_says_so(
    master: str, own: dict[str, str], *, waits: bool
) -> None:
    conf = {MASTER: master, DEPLOY_MODE: "cluster", **own}
    assert waits_for_completion(conf) is waits
    assert waits_for_completion({**conf, DEPLOY_MODE: "client"}), "the driver is a part of it"
