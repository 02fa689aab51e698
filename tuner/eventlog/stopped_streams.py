"""Batches of streams that were stopped while they ran, as jobs stop streams that never end (StreamingQuery.stop)."""

from __future__ import annotations

import re
from collections.abc import Iterable

# What Spark describes the queries of a batch by (StreamExecution.getBatchDescriptionString): behind the stream's name.
_BATCH = re.compile(r"\brunId = ([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\s+batch = ")
# What its thread, which waits for the batch, is left with; also in what a function of foreachBatch passes on.
_INTERRUPTED = "java.lang.InterruptedException"


def is_of_stopped_stream(description: str, errors: Iterable[str]) -> bool:
    """Whether an execution of this description is of a batch that, by its errors and its jobs', its stream's stop has ended.

    The stop cancels the group of its jobs, which is its run's id (`DAGScheduler.handleJobGroupCancelled`; since Spark 4.0 with
    words of its own), and interrupts its thread. Other groups are cancelled for other reasons: before 3.5 a broadcast that took
    too long, by an id of the same form.
    """
    batch = _BATCH.search(description)
    if batch is None:
        return False
    stops = (_INTERRUPTED, f"cancelled part of cancelled job group {batch[1]}", f"runId = {batch[1]}] was stopped")
    return any(stop in error for error in errors for stop in stops)
