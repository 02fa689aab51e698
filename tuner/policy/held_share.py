"""How much of the time that changes gain executors held less for: with dynamic allocation what they hold is measured, too."""

from __future__ import annotations

import math
from collections.abc import Iterable

from tuner.model.run import Run
from tuner.policy.context import ByContext
from tuner.policy.evidence.allocation import allocated, allocation_history, held_by
from tuner.policy.evidence.log_ratio import CERTAIN, LogRatio, pooled_ratio
from tuner.policy.usable import usable

# As long as runs tell little of what executors hold, it follows the clock, off by this share of the effect on that (a standard
# deviation): fewer seconds may be had for more cores.
APART_SHARE = 1.0


class HeldShare:
    """What a cohort's runs, oldest first, tell of the core time that executors hold with changes and without."""

    def __init__(self, runs: Iterable[Run]) -> None:
        self._histories = ByContext(allocation_history)
        self._known: dict[tuple[int, frozenset[str]], LogRatio | None] = {}
        for run in runs:
            held = allocated(run) if usable(run) else None
            # What executors hold in a night that found nothing to read says nothing of other nights.
            if held is not None and not self._histories.of(run).is_of_nothing(held):
                self._histories.of(run).add([held])

    def of(self, run: Run, gained_seconds: float) -> float:
        """Of seconds on the clock that all changes of a run gained; 1 where executors are fixed, or nothing tells."""
        took = (run.outcome.duration_ms or 0) / 1e3 if run.outcome else 0.0
        ratio = self._ratio(run)
        if ratio is None or not gained_seconds or took <= 0 or took + gained_seconds <= 0:
            return 1.0
        clock = -math.log1p(gained_seconds / took)
        both = pooled_ratio([LogRatio(clock, max(CERTAIN, (APART_SHARE * clock) ** 2)), ratio])
        return math.expm1(-both.mean) / math.expm1(-clock)

    def _ratio(self, run: Run) -> LogRatio | None:
        # Changes do with fewer executors what they do with all.
        held = held_by(run) if usable(run) else None
        if held is None or not held.changes:
            return None
        history = self._histories.of(run)
        key = id(history), held.changes
        if key not in self._known:
            self._known[key] = history.effect(held, held.changes)
        return self._known[key]
