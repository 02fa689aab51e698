"""How far back decisions look."""

from __future__ import annotations

# Runs of a cohort that a decision looks at.
HISTORY_RUNS = 60
