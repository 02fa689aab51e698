"""How long stages took, by exactly what they did: what does the same every night tells how fast the machine was."""

from __future__ import annotations

from tuner.model.query_work import QueryWork
from tuner.plan.digest import digest

# What shorter stages take is start-up.
MIN_STAGE_MS = 200


def stage_core_ms(work: QueryWork) -> dict[str, int]:
    """Core milliseconds of a query's stages by a digest of their amounts (three digits), of those with the same together."""
    found: dict[str, int] = {}
    for stage in work.stages:
        if stage.core_ms >= MIN_STAGE_MS and stage.amounts:
            key = digest(" ".join(f"{name}={amount:.2e}" for name, amount in sorted(stage.amounts.items())))
            found[key] = found.get(key, 0) + stage.core_ms
    return found
