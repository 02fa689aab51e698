"""By how much sizes go down that no run needs, and what tells that a step was too much."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

# So many runs tell what a job needs, before anything is taken.
LEAST_RUNS = 3
# A step leaves at least half, and takes at least a sixth.
MOST_TAKEN, LEAST_TAKEN = 1 / 2, 1 / 6
# In so long there was a month's end, which may need much more than other days: 31 days, and some for one that is late.
A_MONTH = timedelta(days=35)
# A job that has more runs than this in less than that may run so often that what a month's end showed is forgotten by the next
# one (HISTORY_RUNS).
MOST_IN_PART = 20
# A run that read as much, but for this share, needs as much, and as long.
AS_MUCH = 0.95
# A step that makes a job longer by this share is taken back.
MOST_SLOWER = 0.05
# So many failures in a row that nothing explains are those of a smaller size, though it was enough before.
MOST_UNEXPLAINED = 2


def least_share(started: Sequence[datetime]) -> float:
    """The least share of its author's size that a step may leave a job whose runs in it started then, oldest first.

    What a month's end needs, no quiet night tells. Before one was seen, steps go down to half: what needs no more than that does
    not die, and takes no more than twice as long. A job that runs so often that none may ever be among its runs takes no further
    step (1.0): what took it back to its author's size may be forgotten.
    """
    if started and started[-1] - started[0] >= A_MONTH:
        return 0.0
    return MOST_TAKEN if len(started) <= MOST_IN_PART else 1.0
