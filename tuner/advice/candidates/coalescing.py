"""How many tasks AQE makes of the partitions of a shuffle (CoalesceShufflePartitions)."""

from __future__ import annotations

import math
from dataclasses import dataclass

from tuner.advice.facts import Facts
from tuner.model.query import ShuffleExchange

ADVISORY = "spark.sql.adaptive.advisoryPartitionSizeInBytes"
DEFAULT_ADVISORY = 64 << 20
MIN_SIZE = "spark.sql.adaptive.coalescePartitions.minPartitionSize"
DEFAULT_MIN_SIZE = 1 << 20
AQE_BY_DEFAULT = (3, 2)  # SPARK-33679


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
        recent = facts.version == (0, 0) or facts.version >= AQE_BY_DEFAULT
        return Coalescing(
            enabled=facts.flag("spark.sql.adaptive.enabled", recent)
            and facts.flag("spark.sql.adaptive.coalescePartitions.enabled", True),
            advisory_bytes=max(1, facts.bytes_of(ADVISORY, DEFAULT_ADVISORY)),
            min_bytes=max(1, facts.bytes_of(MIN_SIZE, DEFAULT_MIN_SIZE)),
            spread=facts.flag("spark.sql.adaptive.coalescePartitions.parallelismFirst", True),
            cores=max(1, facts.cluster.cores),
        )

    def tasks(self, shuffle: ShuffleExchange, partitions: int) -> int:
        """Tasks that read a shuffle of so many partitions, the same bytes in each."""
        if not self.enabled or shuffle.written_bytes is None:
            return partitions
        most = min(self.advisory_bytes, shuffle.written_bytes // self.cores) if self.spread else self.advisory_bytes
        return min(partitions, max(1, math.ceil(shuffle.written_bytes / max(self.min_bytes, most))))
