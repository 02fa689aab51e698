"""The model of operator times as `explain --model --json` prints it."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from tuner.cost.learned.operator_times import OperatorTimes


def model_json(model: OperatorTimes) -> dict[str, Any]:
    """The model without its trees."""
    return {
        "trained_on": model.trained_on,
        "queries": model.queries,
        "stages": model.stages,
        "unit_costs_ns": asdict(model.costs),
        "overheads": asdict(model.overheads),
        "residual": {"trees": len(model.residual.trees), "share": model.residual.share},
        "errors": {name: asdict(errors) for name, errors in model.errors.items()},
    }
