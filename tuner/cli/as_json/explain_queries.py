"""What each query's seconds are made of, by the model, as `explain --json` prints it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from tuner.cli.reading.measured_queries import Measured
from tuner.cost.learned.calibrated_model import calibrated_model
from tuner.cost.learned.operator_times import OperatorTimes, overhead_terms, wall_terms
from tuner.cost.learned.unit_cost_fit import work_terms


def explained(found: Sequence[Measured], model: OperatorTimes, wanted: int | None = None) -> list[dict[str, Any]]:
    """One object a query, costliest first: what was measured, what the model says, and its terms in core seconds.

    Prices are the model's as all these queries calibrate them.
    """
    model = calibrated_model([one.sample for one in found], model)
    chosen = [one for one in found if wanted is None or one.query.id == wanted]
    return sorted((_explained(one, model) for one in chosen), key=lambda q: -q["measured_seconds"])


def _explained(one: Measured, model: OperatorTimes) -> dict[str, Any]:
    sample = one.sample
    terms: Counter[str] = Counter()
    for stage in sample.work.stages:
        terms.update({name: ns / 1e9 for name, ns in work_terms(stage.amounts, model.costs).items()})
    core_ms = 1e3 * sum(terms.values())
    clock = wall_terms(sample.work, sample.cores, core_ms) * overhead_terms(model.overheads)
    return {
        "run": one.run,
        "query": one.query.id,
        "fingerprint": one.query.fingerprint,
        "name": one.name,
        "description": one.query.description,
        "measured_seconds": sample.wall_ms / 1e3,
        "predicted_seconds": float(clock.sum()) / 1e3,
        "measured_core_seconds": sample.core_ms / 1e3,
        "predicted_core_seconds": core_ms / 1e3,
        "terms_core_seconds": dict(sorted(terms.items(), key=lambda term: -term[1])),
        "overhead_seconds": float(clock[:-1].sum()) / 1e3,
    }
