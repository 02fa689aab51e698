"""The level of a query's log seconds, how they follow the input, and what each change adds: estimated run by run.

Recursive Bayesian least squares, a Kalman filter whose state hardly moves (West and Harrison 1997, chapter 4). A stray value
counts as little as a Student-t distribution would have it; one that comes twice is no stray. Nor is one that took far less than
the one run that it is held against: that one was slow, unless a third is as slow again.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping

from tuner.policy.evidence.log_ratio import CERTAIN, UNKNOWN, LogRatio

# How long a query takes is not known before it ran.
LEVEL_SPREAD = 3.0
# Log seconds follow the log of the input by this share: start-up does not, sorting does more. Learned where inputs vary.
GROWTH, GROWTH_SPREAD = 0.65, 0.45
# What moves from run to run without being seen: data, its skew, the effects of changes with it.
LEVEL_DRIFT, EFFECT_DRIFT = 0.02, 0.02
# Student-t with so many degrees of freedom: values this many standard deviations off are strays, unless the last one was, too.
FREEDOM = 4.0
STRAY = 3.0
# One run tells most of what is known no better than by so many. Queries hardly stray to the fast side: of 290 that ran three
# times by default (seven benches, 2 cores), one run was apart from the other two by 35 % or more 58 times, 45 times a slow one;
# by 65 % or more 19 times, each time a slow one (of processor time 31 of 43, and 11 of 11).
ONE_RUN = 2.0
# A third run is like the first if it is off from the second by as much, give or take half. Of those three runs each, two were
# slow by chance more seldom (45 of 870 are slow ones) than one was fast (13).
ALIKE = 0.5, 1.5

_LEVEL, _GROWTH = 0, 1
# The parts of the state that a value is made of: their places, each with its factor.
_Parts = list[tuple[int, float]]


class LogFilter:
    """Normal posterior of [level, growth, effect of each change] of one quantity of one query.

    `shifted` is by how much it is off for the second time in the latest run; 0 where it is not. In plain Python:
    the state has a handful of numbers, for which arrays cost five times as much.
    """

    __slots__ = ("_alike", "_covariance", "_index", "_left", "_mean", "_slow", "_strays", "runs", "shifted")

    def __init__(self) -> None:
        self.runs = 0
        self.shifted = 0.0
        self._index: dict[str, int] = {}
        self._mean = [0.0, GROWTH]
        self._covariance = [[LEVEL_SPREAD**2, 0.0], [0.0, GROWTH_SPREAD**2]]
        # By change, and for the level, how far the last run with it was off, where that was a stray.
        self._strays: dict[str, float] = {}
        # By how much (log) the last run is off for all that was learned of it, where it was a stray.
        self._left = 0.0
        # Runs by the changes that were in force together.
        self._alike: Counter[frozenset[str]] = Counter()
        # By these, how much slower (log) the first run was than the second, where it is taken for a slow one: a third one tells.
        self._slow: dict[frozenset[str], float] = {}

    @property
    def changes(self) -> frozenset[str]:
        """All that were ever in force."""
        return frozenset(self._index)

    def runs_with(self, changes: frozenset[str]) -> int:
        """How many had just these in force."""
        return self._alike[changes]

    def foretold(self, size: float, changes: Mapping[str, float]) -> tuple[float, float]:
        """Mean and variance of the log, before it is seen: for an input whose log is off by `size`, with these changes in
        force, each with how far it may be off (a standard deviation) if it was never seen."""
        parts = self._parts(size, changes)
        unseen = sum(spread**2 for id_, spread in changes.items() if id_ not in self._index)
        return self._value(parts), self._along(parts, parts) + unseen

    def observe(
        self, log: float, size: float, changes: Mapping[str, float], variance: float, *, may_be_slow: bool = False
    ) -> tuple[float, float]:
        """Learn from one run, of which `variance` is that of a single one: returns by how much it was off, and the variance
        that was expected of that besides. `may_be_slow`: what strays is rather slow than fast."""
        for id_, spread in changes.items():
            self._include(id_, spread)
        covariance = self._covariance
        if self.runs:
            covariance[_LEVEL][_LEVEL] += LEVEL_DRIFT**2
            for i in range(_GROWTH + 1, len(covariance)):
                covariance[i][i] += EFFECT_DRIFT**2
        else:
            self._mean[_LEVEL] = log - size * GROWTH
        parts, alike = self._parts(size, changes), frozenset(changes)
        error = log - self._value(parts)
        known = foretold = self._along(parts, parts)
        off = error / math.sqrt(known + variance)
        is_stray, self.shifted = abs(off) > STRAY, 0.0
        again = [id_ for id_ in ("", *changes) if self._strays.get(id_, 0.0) * off > 0] if is_stray else []
        is_fast = off < -STRAY and not again and self._alike[alike] == 1 and ONE_RUN * known > variance
        if may_be_slow and self._one_before_was_off(alike, error, is_fast=is_fast):
            self._loosen(parts, error)
            known = self._along(parts, parts)
        elif again:
            # Twice: not a stray, but another level, or another effect.
            error = self.shifted = self._let_move(error, again, changes, known, variance)
            known = self._along(parts, parts)
        elif is_stray:
            variance *= (FREEDOM + off**2) / (FREEDOM + 1)
        self._strays.update(dict.fromkeys(("", *changes), off if is_stray else 0.0))
        along = [self._row(row, parts) for row in covariance]
        total = known + variance
        for i, own in enumerate(along):
            gain = own / total
            self._mean[i] += gain * error
            row = covariance[i]
            for j, other in enumerate(along):
                row[j] -= gain * other
        self.runs += 1
        self._alike[alike] += 1
        self._left = log - self._value(parts) if is_stray else 0.0
        return error, foretold

    def doubt(self, changes: Iterable[str], deviation: float) -> None:
        """Makes what is known of these changes' effects less sure by so much."""
        for id_ in changes:
            if (i := self._index.get(id_)) is not None:
                self._covariance[i][i] += deviation**2

    def effect(self, changes: Iterable[str], instead_of: Iterable[str] = ()) -> LogRatio:
        """Of these changes together, over that of others which would be in force instead."""
        mine = [self._index.get(id_, -1) for id_ in changes]
        if -1 in mine:
            return LogRatio()
        others = [self._index[id_] for id_ in instead_of if id_ in self._index]
        parts = [*((i, 1.0) for i in mine), *((i, -1.0) for i in others)]
        return LogRatio(self._value(parts), min(UNKNOWN, max(CERTAIN, self._along(parts, parts))))

    def mean_effect(self, id_: str) -> float:
        """Of one change; 0 where it was never in force."""
        return self._mean[self._index[id_]] if id_ in self._index else 0.0

    def without(
        self, size: float, others: Iterable[str], changes: Iterable[str], effect: LogRatio, unsure: float = 0.0
    ) -> LogRatio:
        """The log with others but none of these changes, were their effect this one: what is learned of that elsewhere moves
        the level, too. By `unsure` (a standard deviation) the level is less sure than it seems."""
        level, effects = self._parts(size, others), [(self._index[id_], 1.0) for id_ in changes if id_ in self._index]
        own, shared = self._along(effects, effects) + unsure**2, self._along(level, effects) - unsure**2
        mean, variance = self._value(level), self._along(level, level) + unsure**2
        if own <= CERTAIN:
            return LogRatio(mean, max(CERTAIN, variance))
        follows = shared / own
        learned = max(0.0, own - effect.variance)
        return LogRatio(
            mean + follows * (effect.mean - self._value(effects)), max(CERTAIN, variance - follows**2 * learned)
        )

    def _include(self, id_: str, spread: float) -> None:
        if id_ in self._index:
            return
        self._index[id_] = len(self._mean)
        self._mean.append(0.0)
        for row in self._covariance:
            row.append(0.0)
        self._covariance.append([0.0] * (len(self._mean) - 1) + [spread**2])

    def _one_before_was_off(self, alike: frozenset[str], error: float, *, is_fast: bool) -> bool:
        """Whether it is the one before it with the same changes that was off: a slow one, where this is the second and far faster
        (`is_fast`); or that second one, where the third is like the first."""
        if is_fast:
            self._slow[alike] = -error
            return True
        slow = self._slow.get(alike, 0.0)
        if error < ALIKE[1] * slow:
            self._slow.pop(alike, None)
        return ALIKE[0] * slow < error < ALIKE[1] * slow

    def _let_move(
        self, error: float, again: Iterable[str], changes: Iterable[str], known: float, variance: float
    ) -> float:
        """Makes less sure what a run is off by for the second time; by how much it is off. If the run before was off with none of
        these changes, that was the level, and what this one is off by beyond it came with them."""
        beyond = error - self._left
        moved, is_beyond = list(again), beyond * error > 0 and abs(beyond) > STRAY * math.sqrt(known + variance)
        if changes and is_beyond and moved == [""]:
            self._mean[_LEVEL] += self._left
            self._covariance[_LEVEL][_LEVEL] += variance
            moved, error = list(changes), beyond
        for id_ in moved:
            i = self._index.get(id_, _LEVEL)
            self._covariance[i][i] += error**2
        return error

    def _loosen(self, parts: _Parts, deviation: float) -> None:
        """Makes a value less sure by so much, along what the runs that told it told: what others told besides stays."""
        along = [self._row(row, parts) for row in self._covariance]
        scale = deviation / self._along(parts, parts)
        for i, own in enumerate(along):
            for j, other in enumerate(along):
                self._covariance[i][j] += own * other * scale**2

    def _parts(self, size: float, changes: Iterable[str]) -> _Parts:
        parts = [(_LEVEL, 1.0)]
        if size:
            parts.append((_GROWTH, size))
        parts.extend((self._index[id_], 1.0) for id_ in changes if id_ in self._index)
        return parts

    @staticmethod
    def _row(row: list[float], parts: _Parts) -> float:
        total = 0.0
        for i, factor in parts:
            total += row[i] * factor
        return total

    def _value(self, parts: _Parts) -> float:
        total = 0.0
        for i, factor in parts:
            total += self._mean[i] * factor
        return total

    def _along(self, one: _Parts, other: _Parts) -> float:
        total = 0.0
        for i, a in one:
            row = self._covariance[i]
            for j, b in other:
                total += row[j] * a * b
        return total
