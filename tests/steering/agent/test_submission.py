"""What a submission tells of the Spark that runs it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tuner.steering.agent.spark_home import SparkAtHand
from tuner.steering.agent.submission import Submission

SPARK = SparkAtHand(Path("/opt/spark"), "3.5.1-amzn-0", "2.12")
CLUSTER = {"spark.submit.deployMode": "cluster"}
ON_YARN = {"spark.master": "yarn", **CLUSTER}


@pytest.mark.parametrize(
    ("submission", "runtime"),
    [
        (Submission(SPARK, ON_YARN), "Spark 3.5"),
        (Submission(SPARK, {**ON_YARN, "spark.yarn.archive": "hdfs:///spark.zip"}), ""),
        (Submission(SPARK, {**ON_YARN, "spark.yarn.jars": "local:/opt/spark3/jars/*"}), ""),
        (Submission(SPARK, {"spark.master": "k8s://api:443", **CLUSTER}), ""),
        (Submission(SPARK, {"spark.master": "yarn"}), ""),
        (Submission(None, ON_YARN), ""),
        (Submission(None, {}, platform="EMR on EKS", told_runtime="emr-7.5.0"), "emr-7.5.0"),
    ],
    ids=["yarn", "archive", "jars", "kubernetes", "client mode tells the version", "no Spark at hand", "a service"],
)
def test_what_runs_it_is_told_where_its_version_is_not(submission: Submission, runtime: str) -> None:
    assert submission.runtime == runtime
    assert not (submission.runtime and submission.spark_version)
