"""The queries of a run against what they would have taken without some of its changes."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace

from tuner.model.change import Prediction
from tuner.model.decision import DecidedChange
from tuner.policy.evidence.comparison import Comparison, gainers, losers
from tuner.policy.evidence.history import History
from tuner.policy.evidence.log_ratio import Z_90, LogRatio, pooled_ratio
from tuner.policy.measure import Measured

# What was predicted may be off by this (log seconds), however sure prices and sizes were: of 140 changes the measured ratios were
# off by 0.5, with what one run is off by in it (tests/benchmarks/prediction_pairs.py).
PREDICTION_SPREAD = 0.4
# The worst by prices and sizes, taken for the end of a 90 % interval, held half of these: it is too near by about this factor.
OVERCONFIDENCE = 2.0


@dataclass(frozen=True, slots=True)
class Comparisons:
    """The queries of a run that changes were meant for, and those `beside` that their properties reach."""

    touched: tuple[Comparison, ...] = ()
    beside: tuple[Comparison, ...] = ()

    @property
    def moved(self) -> tuple[Comparison, ...]:
        """Of the queries beside, those that lost or gained beyond what they do by chance: a property may have done that."""
        return (*losers(self.beside), *gainers(self.beside))


def compare(
    queries: Sequence[Measured],
    history: History,
    changes: Sequence[DecidedChange],
    instead_of: Collection[str] = (),
) -> Comparisons:
    """The measured queries of a run, which is in `history`, with these of its changes against without.

    `instead_of` are ids of what would be in force in their place: what replaces a change that is proven must beat that.
    """
    ids = {d.id for d in changes}
    properties = {d.id for d in changes if not d.change.is_on_joins}
    touched: list[Comparison] = []
    beside: list[Comparison] = []
    for query in queries:
        named = not query.changes.isdisjoint(ids)
        if not (named or properties):
            continue
        mine = frozenset((query.changes | query.properties) & ids)
        if mine and (found := history.compared(query, mine, instead_of)) is not None:
            (touched if named else beside).append(found)
    return Comparisons(tuple(touched), tuple(beside))


def predictions(decided: Iterable[DecidedChange]) -> list[Prediction]:
    """What was predicted of these, one of each trial; what only secures a plan is not foretold to gain in a run."""
    each = {d.change.trial: d.change.prediction for d in decided if not d.change.secures}
    return [prediction for prediction in each.values() if prediction]


def believed(total: Comparison, predictions: Sequence[Prediction]) -> Comparison:
    """What was measured together with what was predicted of it: the prediction is the prior."""
    before = sum(p.before for p in predictions)
    after, worst = sum(p.after for p in predictions), sum(p.at_worst for p in predictions)
    if not (before > 0 and after > 0):
        return total
    spread = max(PREDICTION_SPREAD, OVERCONFIDENCE * math.log(max(1.0, worst / after)) / Z_90)
    return replace(total, ratio=pooled_ratio([total.ratio, LogRatio(math.log(after / before), spread**2)]))
