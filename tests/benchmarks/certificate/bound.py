"""What a count of failures among trials bounds the true rate by."""

from __future__ import annotations

import math


def upper_bound(failures: int, trials: int, confidence: float = 0.95) -> float:
    """The largest rate that still gives so few failures with probability 1 - confidence (Clopper and Pearson 1934, one-sided)."""
    if not trials or failures >= trials:
        return 1.0
    low, high = failures / trials, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        if _at_most(failures, trials, middle) > 1 - confidence:
            low = middle
        else:
            high = middle
    return high


def _at_most(failures: int, trials: int, rate: float) -> float:
    """Binomial distribution function."""
    logs = (
        math.lgamma(trials + 1)
        - math.lgamma(k + 1)
        - math.lgamma(trials - k + 1)
        + k * math.log(rate)
        + (trials - k) * math.log1p(-rate)
        for k in range(failures + 1)
    )
    return sum(map(math.exp, logs)) if 0 < rate < 1 else float(rate <= 0)
