"""Whether a query is slower than by default: a statistical test over repeated runs."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from statistics import fmean, stdev

# A smaller slowdown is not reported.
MARGIN = 0.05
# The chance of one wrong verdict among all queries together (family-wise error rate).
SIGNIFICANCE = 0.05


def p_slower(default: Sequence[float], contender: Sequence[float]) -> float | None:
    """The p-value of the contender being slower by MARGIN at most; None with fewer than two runs of either.

    Welch's one-sided t-test of the logarithms (Welch, Biometrika 34, 1947): seconds spread in proportion to themselves.
    """
    if len(default) < 2 or len(contender) < 2:
        return None
    # The import takes half a second.
    from scipy.stats import ttest_ind_from_stats

    allowed = [math.log(seconds * (1 + MARGIN)) for seconds in default]
    measured = [math.log(seconds) for seconds in contender]
    (mean, spread), (most, spread_allowed) = ((fmean(logs), stdev(logs)) for logs in (measured, allowed))
    if not spread and not spread_allowed:
        return 0.0 if mean > most else 1.0
    return float(
        ttest_ind_from_stats(
            mean, spread, len(measured), most, spread_allowed, len(allowed), equal_var=False, alternative="greater"
        ).pvalue
    )


def p_slower_in_pairs(pairs: Sequence[tuple[float, float]]) -> float | None:
    """The same of runs by default and by the contender that belong together, such as those of one night with its literals; None
    with fewer than two pairs. Student's one-sided t-test of the logarithms of ratios."""
    if len(pairs) < 2:
        return None
    from scipy.stats import ttest_1samp

    ratios = [math.log(contender / (default * (1 + MARGIN))) for default, contender in pairs]
    if not stdev(ratios):
        return 0.0 if ratios[0] > 0 else 1.0
    return float(ttest_1samp(ratios, 0.0, alternative="greater").pvalue)


def significant(p_values: Mapping[str, float | None]) -> frozenset[str]:
    """The tests that stay significant when all are taken together (Holm, Scandinavian Journal of Statistics 6, 1979)."""
    tested = sorted((p, name) for name, p in p_values.items() if p is not None)
    found = []
    for rank, (p, name) in enumerate(tested):
        if p > SIGNIFICANCE / (len(tested) - rank):
            break
        found.append(name)
    return frozenset(found)
