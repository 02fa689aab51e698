"""What heals a death for want of memory: more of a size, and where there is no more to have, less that shares it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tuner.model.failure import Failure, FailureKind
from tuner.model.query import QueryStatus
from tuner.model.run import Outcome
from tuner.spark.container import driver_overhead_bytes, overhead_bytes
from tuner.spark.join_selection.selection_conf import coalesces_partitions
from tuner.spark.knob import Knob
from tuner.spark.knobs import (
    ADVISORY_PARTITION_SIZE,
    BROADCAST_THRESHOLD,
    COALESCE_INITIAL_PARTITIONS,
    DRIVER_MAX_RESULT_SIZE,
    DRIVER_MEMORY,
    DRIVER_MEMORY_OVERHEAD,
    EXECUTOR_CORES,
    EXECUTOR_MEMORY,
    EXECUTOR_MEMORY_OVERHEAD,
    OFF_HEAP,
    OFF_HEAP_SIZE,
    PYSPARK_MEMORY,
    SHUFFLE_PARTITIONS,
    TASK_CPUS,
)
from tuner.spark.master import gives_heap_alone, is_local, master_of
from tuner.spark.partition_limits import MOST_PARTITIONS
from tuner.spark.settings import Settings
from tuner.units import MIB

# What was too little by half at most is then enough, and what was nearly enough is then no more than twice of that.
STEP = 2
# An overhead that is not set grows with the heap, so the heap comes first.
_SIZES: Sequence[Knob[Any]] = (
    EXECUTOR_MEMORY,
    EXECUTOR_MEMORY_OVERHEAD,
    OFF_HEAP_SIZE,
    PYSPARK_MEMORY,
    DRIVER_MEMORY,
    DRIVER_MEMORY_OVERHEAD,
    DRIVER_MAX_RESULT_SIZE,
)
# All that a run is given more of, or less that shares it, in the order in which it is given.
REMEDIES: Mapping[str, Knob[Any]] = {
    knob.property: knob for knob in (*_SIZES, SHUFFLE_PARTITIONS, EXECUTOR_CORES, BROADCAST_THRESHOLD)
}
SIZED = frozenset(knob.property for knob in _SIZES)
# Of each kind of death, what heals it: where there is no more of the first to have, the next.
_OF_KIND: Mapping[FailureKind, Sequence[Knob[Any]]] = {
    FailureKind.TASK_MEMORY: (EXECUTOR_MEMORY, SHUFFLE_PARTITIONS, EXECUTOR_CORES),
    FailureKind.EXECUTOR_OUT_OF_MEMORY: (EXECUTOR_MEMORY, SHUFFLE_PARTITIONS, EXECUTOR_CORES),
    FailureKind.EXECUTOR_OVER_LIMIT: (EXECUTOR_MEMORY_OVERHEAD, SHUFFLE_PARTITIONS, EXECUTOR_CORES),
    # Each of an executor's workers has an equal part of it (BasePythonRunner.getWorkerMemoryMb).
    FailureKind.PYTHON_OUT_OF_MEMORY: (PYSPARK_MEMORY, EXECUTOR_CORES),
    FailureKind.DRIVER_OUT_OF_MEMORY: (DRIVER_MEMORY,),
    FailureKind.DRIVER_OVER_LIMIT: (DRIVER_MEMORY_OVERHEAD,),
    FailureKind.BROADCAST_OUT_OF_MEMORY: (DRIVER_MEMORY, BROADCAST_THRESHOLD),
    FailureKind.BROADCAST_TOO_LARGE: (BROADCAST_THRESHOLD,),
    FailureKind.RESULT_TOO_LARGE: (DRIVER_MAX_RESULT_SIZE,),
}
HEALED = frozenset(_OF_KIND)


def remedies_of(kind: FailureKind, conf: Mapping[str, str]) -> Sequence[str]:
    """The properties that heal such a death of a run with this conf, the best first.

    Of large partitions a task needs less if there are more of them. Tasks share an executor's memory, so fewer at once have more
    each: half of its cores do for a heap what twice the heap does.
    A relation that neither the driver's heap holds nor Spark can broadcast (8 GB, 512 million rows) is shuffled, where Spark
    itself chose to broadcast it. Where memory is off the heap, that is what tasks could not get (MemoryMode.OFF_HEAP).
    """
    settings, master = Settings(conf), master_of(conf)
    found = [knob.property for knob in _OF_KIND.get(kind, ())]
    if kind is FailureKind.TASK_MEMORY and settings[OFF_HEAP]:
        found[0] = OFF_HEAP_SIZE.property
    if is_local(master):
        of_driver = {
            EXECUTOR_MEMORY.property: DRIVER_MEMORY.property,
            EXECUTOR_MEMORY_OVERHEAD.property: DRIVER_MEMORY.property,
        }
        return [of_driver.get(name, name) for name in found if name != EXECUTOR_CORES.property]
    # There an executor has all the cores that its worker has left, where nobody says how many.
    if gives_heap_alone(master) and EXECUTOR_CORES not in settings:
        found = [name for name in found if name != EXECUTOR_CORES.property]
    return found


def amount(name: str, conf: Mapping[str, str]) -> int:
    """How much a run with this conf has of a remedy, in a unit of which more heals more: bytes; executors' cores count as less
    than none, and broadcasts that are off as one."""
    settings = Settings(conf)
    if name == EXECUTOR_MEMORY_OVERHEAD.property:
        return overhead_bytes(conf)
    if name == DRIVER_MEMORY_OVERHEAD.property:
        return driver_overhead_bytes(conf)
    if name == EXECUTOR_CORES.property:
        return -settings[EXECUTOR_CORES]
    if name == SHUFFLE_PARTITIONS.property:
        return settings[SHUFFLE_PARTITIONS]
    if name == BROADCAST_THRESHOLD.property:
        return int(settings[BROADCAST_THRESHOLD] < 0)
    return settings[REMEDIES[name]] or 0


def more(name: str, too_little: int, failure: Failure, outcome: Outcome) -> int:
    """The next amount of a remedy after one that was too little for a run that died: no larger, where there is no more."""
    if name == EXECUTOR_CORES.property:
        return -max(1, Settings(outcome.conf)[TASK_CPUS], -too_little // STEP)
    if name == SHUFFLE_PARTITIONS.property:
        return _smaller_partitions(failure, outcome)
    return 1 if name == BROADCAST_THRESHOLD.property else STEP * too_little


def _smaller_partitions(failure: Failure, outcome: Outcome) -> int:
    """How many shuffle partitions a run is to have after one that died, so that none holds more than AQE aims at (it joins small
    ones, by what they are as compressed, and never splits a large one outside of a skewed join): twice as many at least. 0 where
    its shuffles' partitions are no larger than that, or their number is not this property's to tell."""
    settings = Settings(outcome.conf)
    if COALESCE_INITIAL_PARTITIONS in settings:
        return 0
    aimed_at = settings[ADVISORY_PARTITION_SIZE]
    died = [q for q in outcome.queries if q.fingerprint == failure.query or q.status is QueryStatus.FAILED]
    number, joins_small = settings[SHUFFLE_PARTITIONS], coalesces_partitions(settings)
    shuffles = (shuffle for query in died for shuffle in query.shuffles_of(number))
    largest = max(((s.written_bytes if joins_small else s.data_bytes) or 0 for s in shuffles), default=0)
    if largest <= aimed_at * number:
        return 0
    return min(MOST_PARTITIONS, max(STEP * number, -(-largest // aimed_at)))


def as_value(name: str, given: int) -> str:
    """An amount as its property is set."""
    if name == EXECUTOR_CORES.property:
        return str(-given)
    if name == SHUFFLE_PARTITIONS.property:
        return str(given)
    if name == BROADCAST_THRESHOLD.property:
        return "-1"
    return f"{-(-given // MIB)}m"
