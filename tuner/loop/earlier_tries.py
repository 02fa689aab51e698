"""The tries of a run before this one, by their keys."""

from __future__ import annotations

from dataclasses import replace

from tuner.history.store import Store
from tuner.loop.turn import JobToRun
from tuner.model.run import Run, stem_of

# Tries of a run that are looked up by their keys.
MAX_TRIES = 10
# At the end of a run's key, where its try had submitted it before, and where it runs as nobody waited for the decision.
HEALING_END = "-healed"
UNSTEERED_END = "-unsteered"


def earlier_tries(store: Store, job: JobToRun) -> list[Run]:
    """The tries before this one: of many mapped task instances' runs the latest few may not hold them."""
    numbers = range(max(1, job.try_number - MAX_TRIES), job.try_number)
    endings = ("", UNSTEERED_END, HEALING_END, f"{HEALING_END}{UNSTEERED_END}")
    tries = (store.run(f"{stem_of(job.key)}/{number}{ending}") for number in numbers for ending in endings)
    return [run for run in tries if run is not None and run.key != job.key]


def healing(job: JobToRun) -> JobToRun:
    """The same job as it is submitted once more in its try: as in the next one, under a key of its own."""
    return replace(job, key=f"{job.key}{HEALING_END}", try_number=job.try_number + 1)
