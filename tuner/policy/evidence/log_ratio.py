"""How many times as long something takes as without: a normal distribution of the logarithm."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

# What nothing is known of.
UNKNOWN = 1e6
# What needs no measuring.
CERTAIN = 1e-12
# Logs beyond this are no ratio of seconds.
_MOST = 300.0
# Standard deviations between the middle and the ends of a 90 % interval.
Z_90 = 1.645


def interval_90(mean: float, deviation: float) -> tuple[float, float]:
    """Both ends of a 90 % interval of a normal distribution."""
    return mean - Z_90 * deviation, mean + Z_90 * deviation


@dataclass(frozen=True, slots=True)
class LogRatio:
    """`mean` and `variance` of log(with / without): below 0 is a gain."""

    mean: float = 0.0
    variance: float = UNKNOWN

    @property
    def deviation(self) -> float:
        return math.sqrt(self.variance)

    @property
    def low(self) -> float:
        """The ratio that 95 % are above."""
        return math.exp(max(-_MOST, self.mean - Z_90 * self.deviation))

    @property
    def high(self) -> float:
        """The ratio that 95 % are below."""
        return math.exp(min(_MOST, self.mean + Z_90 * self.deviation))

    def below(self, ratio: float) -> float:
        """How probable it is that the ratio is below this one."""
        return 0.5 * math.erfc((self.mean - math.log(ratio)) / math.sqrt(2 * self.variance))

    def above(self, ratio: float) -> float:
        """How probable it is that the ratio is above this one."""
        return 0.5 * math.erfc((math.log(ratio) - self.mean) / math.sqrt(2 * self.variance))

    def less_sure(self, deviation: float) -> LogRatio:
        """The same, were it off by so much more."""
        return LogRatio(self.mean, self.variance + deviation**2)


def pooled_ratio(ratios: Iterable[LogRatio]) -> LogRatio:
    """What independent estimates of one ratio say together: each by its precision."""
    precision, weighted = 0.0, 0.0
    for one in ratios:
        precision += 1 / one.variance
        weighted += one.mean / one.variance
    return LogRatio(weighted / precision, 1 / precision) if precision else LogRatio()
