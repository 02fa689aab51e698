"""Whether it is sure in which mode a cohort's next run will be."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from tuner.model.verdict import ModeChange


def mode_is_known(changes: Sequence[ModeChange], newest_started_at: datetime) -> bool:
    """Not where the newest run had a person's mode, and since then a person gave the cohort back to its job's own. `changes` are
    oldest first."""
    if not changes or changes[-1].mode is not None:
        return True
    had = [change.mode for change in changes if change.at <= newest_started_at]
    return not had or had[-1] is None
