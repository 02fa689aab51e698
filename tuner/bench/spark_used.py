"""The Spark that a bench runs with, and what its spark-defaults.conf adds to every run."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping

from tuner.bench.told_setting import told_setting
from tuner.errors import SparkSubmitError
from tuner.printable import printable
from tuner.spark.properties_file import spark_defaults
from tuner.spark.spark_submit import find_spark_submit
from tuner.steering.agent.spark_home import SparkAtHand, spark_at_hand

SPARK, DEFAULTS = "Spark", "settings of spark-defaults.conf"
NO_DEFAULTS = "none"
_DIGEST = "a digest of spark-defaults.conf"
_UNKNOWN = "unknown"


def spark_used() -> dict[str, str]:
    """Its version, its defaults as they may be told, and a digest of all of them, secrets too: for the owner of a bench alone."""
    spark = _at_hand()
    defaults = spark_defaults(spark.home, os.environ) if spark else {}
    told = printable(", ".join(told_setting(f"{key}={value}") for key, value in sorted(defaults.items())))
    return {SPARK: spark.version if spark else _UNKNOWN, DEFAULTS: told or NO_DEFAULTS, _DIGEST: _digest(defaults)}


def _at_hand() -> SparkAtHand | None:
    try:
        return spark_at_hand(find_spark_submit())
    except SparkSubmitError:
        return None


def _digest(defaults: Mapping[str, str]) -> str:
    return f"sha256:{hashlib.sha256(json.dumps(defaults, sort_keys=True).encode()).hexdigest()[:16]}"
