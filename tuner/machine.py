"""The machine at hand: figures mean nothing without it."""

from __future__ import annotations

import os
import platform
from pathlib import Path

# Spark gets half of the memory, and no more than this: other half for the system's cache of files.
MOST_MEMORY_GB = 8


def cores() -> int:
    """Cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def memory_gb() -> float:
    """Memory of the machine in GiB."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / (1 << 30)


def driver_memory() -> str:
    """What Spark gets where nothing else is asked for."""
    return f"{max(1, min(MOST_MEMORY_GB, int(memory_gb() / 2)))}g"


def machine() -> str:
    """Processor, cores, memory, and the version of Python."""
    return f"{_processor()}, {cores()} cores, {memory_gb():.0f} GiB, Python {platform.python_version()}"


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    named = next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "")
    return named or platform.processor() or platform.machine()
