"""What a bloom filter of Spark takes beside the rows that it drops."""

from __future__ import annotations

# Wall seconds to build one: it is a job of its own, which the rows to filter wait for.
BUILD_SECONDS = 0.25
# Nanoseconds of a core to hash a row's keys and look them up.
TEST_NS = 40.0


def bloom_filter_seconds(rows: int, cores: int) -> float:
    """Wall seconds to build one filter and to ask it for so many rows."""
    return BUILD_SECONDS + rows * TEST_NS / 1e9 / cores
