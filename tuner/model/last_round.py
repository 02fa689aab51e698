"""How a cohort's newest round of runs ended."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from tuner.model.run import RunState

_WORST_FIRST = (RunState.FAILED, RunState.LOST, RunState.PARTIAL, RunState.SUCCEEDED)


@dataclass(frozen=True, slots=True)
class LastRound:
    """The runs of a task in one DAG run, as far as they have ended: a mapped one has many. Elsewhere a run is a round of its own.
    Those of a week or more before the last are of before somebody cleared it. `state` is the worst that one of the others
    ended in, `started_at` when the first of these began, `instances` how many there are, and `badly` the keys of the runs that
    ended in another state than succeeded, the worst first. `newest` is the key of the newest run."""

    state: RunState
    started_at: datetime
    instances: int = 1
    badly: tuple[str, ...] = ()
    newest: str = ""

    @property
    def is_good(self) -> bool:
        return self.state is RunState.SUCCEEDED


def badness(state: RunState) -> int:
    """The less, the worse a run that ended in it."""
    return _WORST_FIRST.index(state)
