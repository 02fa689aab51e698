"""How many tasks AQE makes of the partitions of a shuffle (CoalesceShufflePartitions)."""

from __future__ import annotations

import math
from dataclasses import dataclass

from tuner.advice.facts import Facts
from tuner.model.query import ShuffleExchange
from tuner.spark import knobs
from tuner.spark.join_selection.selection_conf import coalesces_partitions


@dataclass(frozen=True, slots=True)
class Coalescing:
    """Bytes, as compressed, that AQE fills a task with; `spread` says that it first gives each core one."""

    enabled: bool
    advisory_bytes: int
    min_bytes: int
    spread: bool
    cores: int

    @staticmethod
    def of(facts: Facts) -> Coalescing:
        """As a run's conf had it; defaults as of the run's Spark."""
        settings = facts.settings
        return Coalescing(
            enabled=coalesces_partitions(settings),
            advisory_bytes=max(1, facts.selection.advisory_partition_bytes),
            min_bytes=max(1, settings[knobs.COALESCE_MIN_PARTITION_SIZE]),
            spread=settings[knobs.COALESCE_PARALLELISM_FIRST],
            cores=max(1, facts.cluster.cores),
        )

    def tasks(self, shuffle: ShuffleExchange, partitions: int) -> int:
        """Tasks that read a shuffle of so many partitions, the same bytes in each."""
        if not self.enabled or shuffle.written_bytes is None:
            return partitions
        most = min(self.advisory_bytes, shuffle.written_bytes // self.cores) if self.spread else self.advisory_bytes
        return min(partitions, max(1, math.ceil(shuffle.written_bytes / max(self.min_bytes, most))))
