"""Whether Spark has a file system for a URL's scheme: without one it does not start with such an event log directory."""

from __future__ import annotations

from tuner.spark.properties import DRIVER_CLASS_PATH, JARS, PACKAGES
from tuner.steering.agent.spark_home import SparkAtHand
from tuner.steering.agent.submission import Submission

# What Spark's own Hadoop client brings (services of hadoop-client-api).
_BUILT_IN = frozenset({"file", "ftp", "har", "hdfs", "swebhdfs", "viewfs", "webhdfs"})
# How the names of the jars begin that bring the others, by scheme.
_CONNECTORS = {
    "abfs": "hadoop-azure",
    "abfss": "hadoop-azure",
    "adl": "hadoop-azure-datalake",
    "cosn": "hadoop-cos",
    "gs": "gcs-connector",
    "obs": "hadoop-huaweicloud",
    "ofs": "ozone-filesystem",
    "oss": "hadoop-aliyun",
    "s3a": "hadoop-aws",
    "wasb": "hadoop-azure",
    "wasbs": "hadoop-azure",
}
# A user's properties that may bring a connector.
_MAY_BRING = (JARS, PACKAGES, DRIVER_CLASS_PATH)


def has_file_system(scheme: str, submission: Submission) -> bool:
    """False where the Spark that will run the driver, the one at hand or a platform's, certainly has none for the scheme."""
    if submission.schemes is not None:
        return scheme in submission.schemes
    if scheme == "s3" and submission.is_in_own_pod:  # EMR's alone, unless someone gives the scheme to another.
        return bool(submission.conf.get(_implementation(scheme)))
    spark = submission.spark
    if scheme in _BUILT_IN or spark is None or submission.in_cluster_mode:
        return True
    if any(submission.conf.get(name) for name in (*_MAY_BRING, _implementation(scheme))):
        return True
    connector = _CONNECTORS.get(scheme)
    if connector and any(spark.jars.glob(f"{connector}*.jar")):
        return True
    return not brings_hadoop(spark)


def _implementation(scheme: str) -> str:
    return f"spark.hadoop.fs.{scheme}.impl"


def brings_hadoop(spark: SparkAtHand) -> bool:
    """Whether Hadoop is among Spark's own jars: without, Spark takes it from SPARK_DIST_CLASSPATH."""
    return any(spark.jars.glob("hadoop-client-api-*.jar"))


def is_object_store(scheme: str) -> bool:
    """Whether directories of the scheme are no more than how the names of objects begin."""
    return scheme in _CONNECTORS or scheme == "s3"
