"""Properties of our own that a run is submitted with: by them its event log tells whose it is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

KEY = "spark.tuner.key"
# The key once more: where spark.redaction.regex names keys, Spark blots out what a property of such a name holds.
RUN = "spark.tuner.run"
COHORT = "spark.tuner.cohort"
DECISION = "spark.tuner.decision"
CHANGES = "spark.tuner.changes"


def key_in(conf: Mapping[str, Any]) -> str:
    """The key of the run that a log's conf is of; "" where it tells none."""
    return str(conf.get(RUN) or conf.get(KEY, ""))
