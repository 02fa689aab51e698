"""How far a preparation of a run has come."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from tuner.history.store import Store
from tuner.loop.catching_up import CatchingUp
from tuner.loop.event_log_place import EventLogPlace
from tuner.loop.steered import Steered
from tuner.loop.turn import JobToRun, Turn
from tuner.problems import Problems
from tuner.within_time import Consent


@dataclass(slots=True)
class Preparing:
    """How far a preparation has come, for who no longer waits for it. `is_advised` says that prices and advice are at hand."""

    job: JobToRun
    store_url: str
    now: datetime
    began: float
    most_seconds: float
    usual_ms: float = 0.0
    is_advised: bool = False
    store: Store | None = None
    place: EventLogPlace = field(default_factory=lambda: EventLogPlace(why="no event log"))
    problems: Problems = field(default_factory=Problems)
    waited_for: Consent = field(default_factory=Consent)
    catching_up: CatchingUp | None = None

    @property
    def seconds_left(self) -> float:
        return self.began + self.most_seconds - time.monotonic()

    def turn(self, job: JobToRun, steering: Steered, problems: Sequence[str]) -> Turn:
        submitted = tuple(job.submitted_shape(steering.decision.raises).items())
        jar = steering.directives.fetched_jar
        decision = replace(steering.decision, submitted=submitted, runtime=job.runtime, fetched_jar=jar)
        decided = (decision, steering.directives, steering.conf)
        told = (tuple(problems), steering.taught, steering.names)
        goes_on = self.catching_up if self.catching_up and self.catching_up.goes_on else None
        return Turn(job, *decided, self.place.directory, self.now, *told, catching_up=goes_on)
