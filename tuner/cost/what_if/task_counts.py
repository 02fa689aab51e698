"""How many tasks a stage has."""

from __future__ import annotations

import math
from collections.abc import Sequence

from tuner.cost.what_if.execution_conf import ExecutionConf

# Bytes that a shuffle writes for each byte of rows ("shuffle bytes written" to "data size"): all of TPC-DS at SF1 on
# Spark 4.3, lz4; single shuffles 0.28 to 0.51 (2nd and 8th decile).
WRITTEN_SHARE = 0.34
_ROUNDING = 1e-9
_MOST_BYTES = 1 << 62


def scan_tasks(file_bytes: float, conf: ExecutionConf, cores: int, files: int = 1) -> int:
    """Tasks that read files which can be split (FilePartition.maxSplitBytes and getFilePartitions).

    Each file counts `openCostInBytes` more than it has, and the cores are to be busy.
    """
    file_bytes = min(file_bytes, _MOST_BYTES)
    together = file_bytes + files * conf.open_cost_bytes
    split = min(conf.max_split_bytes, max(conf.open_cost_bytes, together / max(1, conf.min_splits or cores)))
    return max(1, math.ceil(file_bytes / split))


def shuffle_tasks(
    data_bytes: Sequence[float], partitions: int, advisory_bytes: int, conf: ExecutionConf, cores: int
) -> int:
    """Tasks that read shuffles of so many bytes of rows together, evenly spread over the partitions.

    Coalesced by AQE: neighbours up to a target, the last with the one before where it is too small alone
    (CoalesceShufflePartitions, ShufflePartitionsUtil.coalescePartitions).
    """
    if not (conf.adaptive and conf.coalesces):
        return max(1, partitions)
    written = min(sum(data_bytes), _MOST_BYTES) * WRITTEN_SHARE
    at_least = conf.min_partitions or (cores if conf.parallelism_first else 1)
    target = max(min(math.ceil(written / max(1, at_least)), advisory_bytes), conf.min_partition_bytes, 1)
    each = written / max(1, partitions)
    together = max(1, math.floor(target / each + _ROUNDING)) if each else max(1, partitions)
    full, left_over = divmod(partitions, together)
    return max(1, full + (left_over * each >= max(conf.min_partition_bytes, 1)))
