"""How far the clock is believed in what it tells of the changes to a query, beside what is surer or where values move it."""

from __future__ import annotations

import math

from tuner.policy.evidence.known_query import KnownQuery
from tuner.policy.evidence.log_ratio import LogRatio
from tuner.policy.evidence.metric import CLOCK

# One run alone may be slow for its night: with so many degrees of freedom it is held against what is surer.
ONE_RUN_FREEDOM = 2.0


def borne_out(clock: LogRatio, surer: LogRatio, known: KnownQuery, changes: frozenset[str]) -> LogRatio:
    """The clock, less sure where it is far from what processors and work tell: where one run with the changes, or one
    without them, is all that it rests on, or tasks waited."""
    clock = clock.less_sure(known.waits(changes, gain=clock.mean < surer.mean))
    return _by_one_run(clock, surer) if known.rests_on_one_run(changes) else clock


def over_values(clock: LogRatio, known: KnownQuery, changes: frozenset[str]) -> LogRatio:
    """The clock alone, for three measures of one night's values say the same three times; and less sure by what the values of the
    runs with the changes may be apart from those of the others, besides chance."""
    return clock.less_sure(math.sqrt(known.spreads[CLOCK.name].variance / max(1, known.runs_with(changes))))


def _by_one_run(clock: LogRatio, surer: LogRatio) -> LogRatio:
    """The clock of one run, which counts the less the further it is from what processors and work tell."""
    off = (clock.mean - surer.mean) ** 2 / (clock.variance + surer.variance)
    if off <= 1:
        return clock
    return LogRatio(clock.mean, clock.variance * (ONE_RUN_FREEDOM + off) / (ONE_RUN_FREEDOM + 1))
