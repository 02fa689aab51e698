"""By how much sizes go down that no run needs, and what tells that a step was too much."""

from __future__ import annotations

# So many runs tell what a job needs, before anything is taken.
LEAST_RUNS = 3
# A step leaves at least half, and takes at least a sixth.
MOST_TAKEN, LEAST_TAKEN = 1 / 2, 1 / 6
# A run that read as much, but for this share, needs as much, and as long.
AS_MUCH = 0.95
# A step that makes a job longer by this share is taken back.
MOST_SLOWER = 0.05
# So many failures in a row that nothing explains are those of a smaller size, though it was enough before.
MOST_UNEXPLAINED = 2
