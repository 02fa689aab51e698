"""How many partitions a shuffle may have: by what Spark keeps of them, and by what they cost."""

from __future__ import annotations

# Of more the driver keeps only the mean size (HighlyCompressedMapStatus): AQE sees no skew.
MOST_WITH_OWN_SIZES = 2_000
# Each is a file segment for each task that writes a shuffle: nobody is given more.
MOST_PARTITIONS = 20_000
