"""How large the driver's heap was."""

from __future__ import annotations

from collections.abc import Mapping

from tuner.spark.knobs import DRIVER_MEMORY, MEMORY_FRACTION
from tuner.spark.memory import RESERVED_BYTES
from tuner.spark.settings import Settings

# A JVM counts no more than one of the two survivor spaces of a parallel collector, up to a ninth of its heap; pages round it up.
_LEAST, _MOST = 0.8, 1.1
_MOST_BYTES = (1 << 62) - 1  # of damaged logs; what a store's reader takes


def driver_heap_bytes(conf: Mapping[str, str], storage_bytes: int) -> int:
    """The heap as it is set, where its block manager had the room for storage (0: not told) that follows from that; else the one
    that this follows from (UnifiedMemoryManager).

    A service may set it where no log tells; what a program sets in code comes too late for the JVM that runs it.
    """
    settings = Settings(conf)
    asked, fraction = settings[DRIVER_MEMORY], settings[MEMORY_FRACTION]
    if storage_bytes <= 0 or not 0 < fraction <= 1:
        return asked
    told = min(round(storage_bytes / fraction) + RESERVED_BYTES, _MOST_BYTES)
    return asked if _LEAST * asked <= told <= _MOST * asked else told
