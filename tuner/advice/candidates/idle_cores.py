"""Cores that have nothing to do while a stage runs fewer tasks than there are cores."""

from __future__ import annotations

import math

from tuner.advice.candidates.coalescing import Coalescing
from tuner.advice.candidates.read_together import read_together
from tuner.model.query import Query
from tuner.plan.query_work import Resource


def filled_seconds(query: Query, merging: Coalescing, current: int, wanted: int) -> float:
    """Wall seconds that a query's stages after shuffles would take less with more partitions: as much work, on more cores.

    Stages of fewer tasks than cores, none of them joined by AQE; no more than the seconds in which its cores were idle, for
    stages that run together share these. 0 where a number of the program's own may be what a stage has.
    """
    cores = merging.cores
    shuffles = [s for s in query.shuffles if s.partitions == current]
    whole = [those for those in read_together(query, shuffles) if merging.tasks(those, current) == current]
    if query.work is None or current >= cores or not whole or not all(s.adjustable for s in shuffles):
        return 0.0
    tasks = min(merging.tasks(those, wanted) for those in whole)
    reading = (s for s in query.work.stages if s.tasks == current and s.amounts.get(Resource.SHUFFLE_READ))
    core_seconds = sum(stage.core_ms for stage in reading) / 1e3
    saved = core_seconds * (1 / current - math.ceil(tasks / cores) / tasks)
    idle = query.seconds - sum(stage.core_ms for stage in query.work.stages) / 1e3 / cores
    return max(0.0, min(saved, idle))
