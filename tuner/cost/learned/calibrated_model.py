"""The prices that a cohort's own runs bear out, for advice on its next one."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace

from tuner.cost.learned.has_learner import has_learner
from tuner.cost.learned.named_model import VARIABLE as VARIABLE
from tuner.cost.learned.named_model import named_model
from tuner.cost.learned.operator_times import OperatorTimes, load_model, shipped_model
from tuner.cost.learned.query_samples import Sample
from tuner.cost.learned.unit_cost_fit import fit_unit_costs


def configured_model(environ: Mapping[str, str] | None = None) -> OperatorTimes:
    """The model that SPARK_TUNER_MODEL names, else the shipped one. TunerError where the file is none."""
    named = named_model(os.environ if environ is None else environ)
    return load_model(named) if named else shipped_model()


def calibrated_model(found: Sequence[Sample], model: OperatorTimes) -> OperatorTimes:
    """The model with its prices as these samples change them; as they are without the `learn` extra."""
    return replace(model, costs=fit_unit_costs(found, model.costs)) if has_learner() else model
