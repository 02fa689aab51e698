"""Properties of our own that a run is submitted with: by them its event log tells whose it is."""

from __future__ import annotations

KEY = "spark.tuner.key"
COHORT = "spark.tuner.cohort"
DECISION = "spark.tuner.decision"
CHANGES = "spark.tuner.changes"
