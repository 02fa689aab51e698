"""What measured work takes at fixed prices: the same rows and bytes cost the same every night."""

from __future__ import annotations

from dataclasses import asdict

from tuner.cost.stage_times import stage_core_ms
from tuner.cost.unit_costs import DEFAULT_COSTS
from tuner.model.query_work import QueryWork, WorkInBrief
from tuner.spark.memory import PAGE_BYTES

_PRICES: dict[str, float] = asdict(DEFAULT_COSTS)
_NANOSECONDS = 1e9


def in_brief(work: QueryWork) -> WorkInBrief:
    """What is kept of a query's work where its times alone are read."""
    broadcast_ms = sum(b.build_ms + b.broadcast_ms for b in work.broadcasts)
    return WorkInBrief(priced_seconds(work), broadcast_ms, stage_core_ms(work))


def priced_seconds(work: QueryWork) -> float:
    """Core seconds of a query's stages, and of the driver's work for its broadcasts, at `DEFAULT_COSTS`."""
    nanoseconds = sum(
        amount * _PRICES.get(resource, 0.0) for stage in work.stages for resource, amount in stage.amounts.items()
    )
    for broadcast in work.broadcasts:
        nanoseconds += broadcast.rows * _PRICES["broadcast_build"]
        # Of the smallest relation that is hashed Spark counts a page.
        nanoseconds += max(0, broadcast.bytes - PAGE_BYTES) * (_PRICES["collect"] + _PRICES["broadcast"])
    return nanoseconds / _NANOSECONDS
