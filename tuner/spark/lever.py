"""What a change moves in a run."""

from __future__ import annotations

from enum import Enum, auto


class Lever(Enum):
    """Knobs and hints of one lever have the same effects, and can make the same failures."""

    BROADCASTS = auto()  # tables in the memory of the driver and of executors
    JOIN_HASH_MAPS = auto()  # one side's rows of a partition, in the memory of a task
    AGGREGATE_HASH_MAPS = auto()  # the groups of a partition, in the memory of a task
    PARTITIONS = auto()  # rows of a task
    SKEW_SPLITS = auto()
    JOIN_ORDERS = auto()
    RUNTIME_FILTERS = auto()
    PARTIAL_AGGREGATION = auto()
    SHUFFLE_FILES = auto()
    ROWS_MET = auto()  # rows that a query's expressions are evaluated for
