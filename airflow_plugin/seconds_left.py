"""How long the tuner may keep a job waiting, less what its task has waited for it already."""

from __future__ import annotations

from dataclasses import dataclass

from tuner.loop.time_limits import MostSeconds


@dataclass(frozen=True, slots=True)
class SecondsLeft(MostSeconds):
    """`waited_before` is what is gone of the time before the job, `waited_after` of that after it."""

    waited_before: float = 0.0
    waited_after: float = 0.0

    def before_run(self, usual_seconds: float = 0.0) -> float:
        return max(0.0, MostSeconds.before_run(self, usual_seconds) - self.waited_before)

    def after_run(self, run_seconds: float = 0.0) -> float:
        return max(0.0, MostSeconds.after_run(self, run_seconds) - self.waited_after)
