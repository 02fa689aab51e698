"""The interval of what is foretold of a change, by what came of such changes before."""

from __future__ import annotations

import math
from dataclasses import replace

from tuner.cost.learned.prediction_errors import PredictionErrors
from tuner.model.change import Change, Evidence


def with_foretold_interval(change: Change, errors: PredictionErrors) -> Change:
    """The change with an interval that holds nine of ten; what prices and sizes are unsure of stays as the `worst`.

    What only secures a plan foretells no gain. Advisors of which too few predictions came out keep their own interval.
    """
    foretold = change.prediction
    bounds = errors.bounds(change.advisor)
    if foretold is None or bounds is None or change.secures:
        return change
    low, high = (foretold.after * math.exp(error) for error in (bounds.low, bounds.high))
    found = replace(foretold, low=min(low, foretold.after), high=max(high, foretold.after), worst=foretold.at_worst)
    basis = Evidence("predictions that came out, nine of ten within such an interval", bounds.pairs, "predictions")
    return replace(change, prediction=found, evidence=(*change.evidence, basis))
