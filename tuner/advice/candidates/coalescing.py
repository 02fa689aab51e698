"""How many tasks AQE makes of the partitions of a shuffle (CoalesceShufflePartitions)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from tuner.advice.facts import Facts
from tuner.model.query import ShuffleExchange
from tuner.spark import knobs
from tuner.spark.join_selection.selection_conf import coalesces_partitions


@dataclass(frozen=True, slots=True)
class Coalescing:
    """Bytes, as compressed, that AQE fills a task with, and into how many tasks it parts them at least where each has `min_bytes`
    then."""

    enabled: bool
    advisory_bytes: int
    min_bytes: int
    least_tasks: int
    cores: int

    @staticmethod
    def of(facts: Facts) -> Coalescing:
        """As a run's conf had it; defaults as of the run's Spark."""
        settings, cores = facts.settings, max(1, facts.cluster.cores)
        by_cores = (settings[knobs.DEFAULT_PARALLELISM] or cores) if settings[knobs.COALESCE_PARALLELISM_FIRST] else 1
        return Coalescing(
            enabled=coalesces_partitions(settings),
            advisory_bytes=max(1, facts.selection.advisory_partition_bytes),
            min_bytes=settings[knobs.COALESCE_MIN_PARTITION_SIZE],
            least_tasks=max(1, settings[knobs.COALESCE_MIN_PARTITIONS] or by_cores),
            cores=cores,
        )

    def tasks(self, together: Sequence[ShuffleExchange], partitions: int) -> int:
        """Tasks that read these shuffles of so many partitions, the same bytes in each (ShufflePartitionsUtil)."""
        sizes = [shuffle.written_bytes for shuffle in together if shuffle.written_bytes is not None]
        if not self.enabled or len(sizes) < len(together):
            return partitions
        written = sum(sizes)
        filled = max(1, self.min_bytes, min(self.advisory_bytes, math.ceil(written / self.least_tasks)))
        return min(partitions, max(1, math.ceil(written / filled)))
