"""Where the changes of runs stand: of a job whose first three runs find, try and prove what they change."""

from __future__ import annotations

from collections.abc import Iterable

from tuner.model.decision import Standing
from tuner.model.run import Run

TRIED_THEN_PROVEN = [set(), {Standing.TRIAL}, {Standing.PROMOTED}]


def standings(runs: Iterable[Run]) -> list[set[Standing]]:
    """Those of each run."""
    return [{decided.standing for decided in run.decision.changes} for run in runs]
