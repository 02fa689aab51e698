"""The executors that a run's job asks for, whatever it was given in their place."""

from __future__ import annotations

from tuner.model.run import Run
from tuner.model.size_change import as_asked
from tuner.spark.knobs import (
    CORES_MAX,
    DYNAMIC_ALLOCATION,
    DYNAMIC_ALLOCATION_INITIAL,
    DYNAMIC_ALLOCATION_MAX,
    DYNAMIC_ALLOCATION_MIN,
    EXECUTOR_CORES,
    EXECUTOR_INSTANCES,
    EXECUTOR_MEMORY,
    OFF_HEAP,
    OFF_HEAP_SIZE,
    PYSPARK_MEMORY,
)
from tuner.spark.settings import Settings
from tuner.units import MIB

# An overhead that is set in place of one that follows from the heap was not set before: it tells authors' sizes apart no better.
_MEMORY = (EXECUTOR_MEMORY, OFF_HEAP_SIZE, PYSPARK_MEMORY)
_NUMBERS = (
    EXECUTOR_CORES,
    EXECUTOR_INSTANCES,
    CORES_MAX,
    OFF_HEAP,
    DYNAMIC_ALLOCATION,
    DYNAMIC_ALLOCATION_MIN,
    DYNAMIC_ALLOCATION_INITIAL,
    DYNAMIC_ALLOCATION_MAX,
)

AskedExecutors = tuple[int, ...]


def asked_executors(run: Run) -> AskedExecutors:
    """Their memory in MiB and their numbers, to be compared with another run's; () where no log tells."""
    if run.outcome is None or not run.outcome.conf:
        return ()
    settings = Settings(as_asked(run.outcome.conf, run.decision.sizes))
    memory = (-(-(settings[knob] or 0) // MIB) for knob in _MEMORY)
    return (*memory, *(int(settings[knob] or 0) for knob in _NUMBERS))
