"""The shape of the cluster an application had."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Cluster:
    """Cores of all executors that were there at once at most, and heap in bytes (0 where the log does not say)."""

    cores: int = 0
    executors: int = 0
    cores_per_executor: int = 0
    executor_memory_bytes: int = 0
    driver_memory_bytes: int = 0
    local: bool = False
