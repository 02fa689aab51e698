"""The two sizes that Spark holds sides of joins against before it broadcasts them."""

from __future__ import annotations

from collections.abc import Mapping

from tuner.units import parse_bytes

# The planner's, for its estimates.
STATIC = "spark.sql.autoBroadcastJoinThreshold"
# AQE's, for what a stage measured; the other where it is unset.
ADAPTIVE = "spark.sql.adaptive.autoBroadcastJoinThreshold"


def broadcasts_off(conf: Mapping[str, str]) -> tuple[str, ...]:
    """Those of the two that are set below 0: then nothing is broadcast by them."""
    return tuple(name for name in (STATIC, ADAPTIVE) if (parse_bytes(conf.get(name, "").strip()) or 0) < 0)
