"""What is measured of a query, in the order of how sure it is: work that does not vary, time of processors, the clock."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from tuner.policy.evidence.log_ratio import LogRatio
from tuner.policy.measure import Measured

# Of a query's seconds on the clock so many are planning, scheduling and waiting, which no change of its plan touches:
# over five queries of the demo 1.3 to 3 s (python -m tests.benchmarks.simulation says how that was measured).
LATENCY_SECONDS = 2.0
# It is never all of them.
MOST_LATENCY = 0.8


@dataclass(frozen=True, slots=True)
class Metric:
    """One thing that is measured. Spreads are standard deviations of logs.

    `apart` and `apart_share`: how far a change's effect on it may be from its effect on the clock, once its share of the clock is
    known: at all, and by the share of the effect. `noise`: from run to run; `machine`: of all of a run together, where nothing
    tells; both are learned from there. `least` seconds are start-up and scheduling, which vary by themselves.
    """

    name: str
    of: Callable[[Measured], float]
    noise: float
    machine: float
    least: float
    apart: float = 0.0
    apart_share: float = 0.0

    def on_the_clock(self, ratio: LogRatio, seconds: float) -> LogRatio:
        """What a ratio says of the clock, for a query that takes so many seconds without the change."""
        latency = min(LATENCY_SECONDS, MOST_LATENCY * seconds) / seconds
        computed = (1 - latency) * math.exp(min(50.0, ratio.mean))
        share = computed / (latency + computed)
        found = LogRatio(math.log(latency + computed), ratio.variance * share**2)
        return found.less_sure(self.apart + self.apart_share * abs(found.mean))


# Same plan and input, ten queries of TPC-DS at scale factor 1 with other load beside: work was the same, processor time differed
# by 0.15 s and followed a machine that was 2.4 times as slow by a tenth, the clock by 0.25 besides. Of 21 plans that were
# changed all gained or lost in both; processor time after latency was 0.25 off for effects of about 0.9, work twice that.
WORK = Metric("work", lambda q: q.work_seconds, noise=0.02, machine=0.0, least=0.02, apart=0.35, apart_share=0.5)
CPU = Metric("cpu", lambda q: q.cpu_seconds, noise=0.04, machine=0.05, least=0.15, apart=0.06, apart_share=0.3)
CLOCK = Metric("clock", lambda q: q.seconds, noise=0.06, machine=0.06, least=0.15)
METRICS = (WORK, CPU, CLOCK)
