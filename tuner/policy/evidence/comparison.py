"""Seconds of queries with changes, beside what they would have taken without."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

from tuner.policy.evidence.log_ratio import CERTAIN, Z_90, LogRatio
from tuner.policy.evidence.unsure_sum import UnsureSum
from tuner.policy.measure import Key

# What promotes a change: how probable it must be that it gains.
SURE_GAIN = 0.95
# What takes a change out: how probable it must be that it loses more than this share.
SURE_LOSS, LOSS = 0.90, 0.03
# A change that after so many runs neither gains nor loses for sure has shown that it does little.
MAX_TRIALS = 4
# Differences shorter than these are start-up, compilation and scheduling.
MIN_SECONDS = 0.5
MIN_GAIN_SECONDS = 0.1
# A query may lose this share where others gain.
TOLERATED_SLOWDOWN = 0.10
# Of queries that a property was not meant for, none may look moved by chance more often than this, however many there are.
BY_CHANCE = 0.05


@dataclass(frozen=True, slots=True)
class Comparison:
    """A query, or several, with changes and without, by all runs so far.

    `measured` are seconds of the latest run, `expected` those it would have taken without, on the machine of that run, off by
    `unsure` (a variance of the log). `ratio` is what all runs tell of how many times as long it takes as without. `speed` is how
    long the machine took against usual in that run. `shared` is the share of what is unsure of `expected` that it shares with the
    other queries, `ratio_shared` that of `ratio`: the machines of all runs that taught it were those of the other queries, too.
    `literals` is the class of its values, "" for several; `runs` is in how many runs it had them; `turn`
    counts its executions with these in the run. `clock` is what the clock alone tells of `ratio`, where all that it is held
    against is one run without, of which the next would tell whether it was slow.
    """

    fingerprint: str
    measured: float
    ratio: LogRatio
    expected: float
    speed: float = 1.0
    shared: float = 0.0
    ratio_shared: float = 0.0
    unsure: float = 0.0
    literals: str = ""
    runs: int = 1
    turn: int = 0
    clock: LogRatio | None = None

    @classmethod
    def as_it_is(cls, fingerprint: str, seconds: float) -> Self:
        """Of a query that nothing reached: it took what it takes without."""
        return cls(fingerprint, seconds, LogRatio(0.0, CERTAIN), seconds)

    @property
    def execution(self) -> Key:
        """Which of its run it is."""
        return self.fingerprint, self.literals, self.turn

    @property
    def on_the_clock(self) -> Self:
        """By the clock alone, where one run without is all that it is held against."""
        return self if self.clock is None else replace(self, ratio=self.clock)

    @property
    def low(self) -> float:
        """What it would have taken at least (5 % are below)."""
        return self.expected * math.exp(-Z_90 * math.sqrt(self.unsure))

    @property
    def high(self) -> float:
        """What it would have taken at most (5 % are above)."""
        return self.expected * math.exp(min(50.0, Z_90 * math.sqrt(self.unsure)))

    @property
    def without(self) -> tuple[float, float]:
        """What it would have taken at least and at most, by that night, or by what all runs tell of the changes: a slow machine
        may have slowed one query more than those that told how slow it was."""
        by_all = self.measured / self.ratio.high, self.measured / self.ratio.low
        return min(self.low, by_all[0]), max(self.high, by_all[1])

    @property
    def usual(self) -> float:
        """Seconds without the changes, on the machine as it usually is."""
        return self.expected / self.speed

    @property
    def gain(self) -> float:
        """Seconds in that run."""
        return self.expected - self.measured

    @property
    def gain_between(self) -> tuple[float, float]:
        """Least and most seconds in that run, as far as it can be told."""
        low, high = self.without
        return low - self.measured, high - self.measured

    @property
    def usual_gain(self) -> float:
        """Seconds as all runs have it."""
        return self.expected * -math.expm1(min(50.0, self.ratio.mean))

    @property
    def gain_probability(self) -> float:
        return self.ratio.below(1.0)

    @property
    def loss_probability(self) -> float:
        """Of a loss that counts."""
        return self.ratio.above(1 + LOSS)

    @property
    def slower(self) -> bool:
        return -self.usual_gain > MIN_SECONDS and self.loss_probability > SURE_LOSS

    @property
    def faster(self) -> bool:
        return self.usual_gain > MIN_GAIN_SECONDS and self.gain_probability > SURE_GAIN


def pooled(comparisons: Sequence[Comparison]) -> Comparison:
    """Several queries as one: what differs by chance evens out, what moves all of them does not."""
    if len(comparisons) == 1:
        return comparisons[0]
    expected, measured = sum(c.expected for c in comparisons), sum(c.measured for c in comparisons)
    if not expected or not measured:
        return Comparison("", measured, LogRatio(), expected)
    total, of_ratio, of_expected = 0.0, UnsureSum(), UnsureSum()
    for c in comparisons:
        with_them = c.expected * math.exp(min(50.0, c.ratio.mean))
        total += with_them
        of_ratio.add(with_them**2 * c.ratio.variance, c.ratio_shared)
        of_expected.add(c.expected**2 * c.unsure, c.shared)
    return Comparison(
        "",
        measured,
        LogRatio(math.log(total / expected), max(CERTAIN, of_ratio.variance / total**2)),
        expected,
        expected / sum(c.usual for c in comparisons),
        of_expected.shared,
        of_ratio.shared,
        of_expected.variance / expected**2,
    )


def losers(comparisons: Sequence[Comparison], among: int = 0) -> list[Comparison]:
    """The queries that lost more than what is tolerated; of many (`among` so many, where not all are given), one seems to by
    chance, so more is asked."""
    sure = 1 - (1 - SURE_LOSS) / max(1, len(comparisons), among)
    return [c for c in comparisons if -c.usual_gain > MIN_SECONDS and c.ratio.above(1 + TOLERATED_SLOWDOWN) > sure]


def gainers(comparisons: Sequence[Comparison], among: int = 0) -> list[Comparison]:
    """The queries that gained beyond what any of so many (`among`, where not all are given) does by chance (Bonferroni)."""
    sure = 1 - BY_CHANCE / max(1, len(comparisons), among)
    return [c for c in comparisons if c.usual_gain > MIN_SECONDS and c.gain_probability > sure]
