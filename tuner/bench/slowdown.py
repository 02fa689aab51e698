"""Is a query slower than by default? By a test over repeated measurements, not by one sample."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from statistics import fmean, stdev

# Slower by less is not worth a word.
MARGIN = 0.05
# How often the test may be wrong about any of the queries together.
SIGNIFICANCE = 0.05


def p_slower(default: Sequence[float], contender: Sequence[float], margin: float = MARGIN) -> float | None:
    """The probability of such seconds if the contender's were at most `margin` longer; None where there are too few to tell.

    Welch's one-sided t-test of the logarithms (Welch, Biometrika 34, 1947): seconds spread in proportion to themselves.
    """
    if len(default) < 2 or len(contender) < 2:
        return None
    # Half a second of imports that only a bench's results need.
    from scipy.stats import ttest_ind_from_stats

    allowed = [math.log(seconds * (1 + margin)) for seconds in default]
    measured = [math.log(seconds) for seconds in contender]
    (mean, spread), (most, spread_allowed) = ((fmean(logs), stdev(logs)) for logs in (measured, allowed))
    if not spread and not spread_allowed:
        return 0.0 if mean > most else 1.0
    return float(
        ttest_ind_from_stats(
            mean, spread, len(measured), most, spread_allowed, len(allowed), equal_var=False, alternative="greater"
        ).pvalue
    )


def significant(p_values: Mapping[str, float | None], level: float = SIGNIFICANCE) -> frozenset[str]:
    """Those of many tests that hold together (Holm, Scandinavian Journal of Statistics 6, 1979)."""
    tested = sorted((p, name) for name, p in p_values.items() if p is not None)
    found = []
    for rank, (p, name) in enumerate(tested):
        if p > level / (len(tested) - rank):
            break
        found.append(name)
    return frozenset(found)
