"""What prices leave unexplained of a stage, learned by gradient boosted trees and kept as plain numbers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Any

import numpy as np

from tuner.cost.learned.unit_cost_fit import Array, amounts_matrix
from tuner.model.query_work import StageWork

# Of 60 to 150 trees of depth 3 and 4, all predict unseen queries of TPC-DS alike; these are the smallest to store.
_TREES = 100
_DEPTH = 3
_RATE = 0.08
_LEAF_STAGES = 10
_ROWS_SHARE = 0.7
# Long stages matter more to a query, short ones are more: of the powers 0.25 and 0.5 of the time, the better.
_WEIGHT_POWER = 0.25
_SEED = 0
# Trees tell nothing of a stage outside what they have seen; their word is cut here, a factor of 4 either way.
_MOST = 1.4


@dataclass(frozen=True, slots=True)
class Tree:
    """One regression tree: at node i, `features[i] <= thresholds[i]` goes left. A leaf has feature -1 and a value."""

    features: tuple[int, ...]
    thresholds: tuple[float, ...]
    left: tuple[int, ...]
    right: tuple[int, ...]
    values: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Residual:
    """The logarithm of a stage's time over its price, as `start` plus `rate` times each tree's value.

    `share` of it is believed: what cross-validation found best.
    """

    start: float
    rate: float
    trees: tuple[Tree, ...]
    share: float = 1.0

    def log_factor(self, stages: Sequence[StageWork], price_ns: Array) -> Array:
        """What to add to the logarithm of each stage's price."""
        if not self.trees or not stages:
            return np.zeros(len(stages))
        features = _features(stages, price_ns)
        found = np.full(len(stages), self.start)
        for values in self.rate * _forest(self.trees).leaves(features):
            found += values
        return np.clip(self.share * found, -_MOST, _MOST)


NO_RESIDUAL = Residual(0.0, 0.0, ())


def train_residual(stages: Sequence[StageWork], price_ns: Array) -> Residual:
    """Trees for the least squared error of the logarithm (Friedman 2001). ImportError without the `learn` extra."""
    from sklearn.ensemble import GradientBoostingRegressor

    took = np.array([stage.core_ms * 1e6 for stage in stages], dtype=float)
    regressor = GradientBoostingRegressor(
        n_estimators=_TREES,
        max_depth=_DEPTH,
        learning_rate=_RATE,
        min_samples_leaf=_LEAF_STAGES,
        subsample=_ROWS_SHARE,
        random_state=_SEED,
    )
    target = np.log(np.maximum(took, 1e6) / np.maximum(price_ns, 1e6))
    regressor.fit(_features(stages, price_ns), target, sample_weight=took**_WEIGHT_POWER)
    start = float(np.ravel(regressor.init_.constant_)[0])
    return Residual(start, _RATE, tuple(_tree(one[0].tree_) for one in regressor.estimators_))


def _features(stages: Sequence[StageWork], price_ns: Array) -> Array:
    found = np.column_stack([np.log1p(amounts_matrix(stages)), np.log(np.maximum(price_ns, 1e6))])
    # The trees' thresholds lie between numbers of single precision: in double, some would fall on the other side.
    return np.asarray(found.astype(np.float32), dtype=float)


def _tree(tree: Any) -> Tree:
    leaf = tree.children_left < 0
    return Tree(
        features=tuple(np.where(leaf, -1, tree.feature).tolist()),
        thresholds=tuple(np.where(leaf, 0.0, tree.threshold).tolist()),
        left=tuple(tree.children_left.tolist()),
        right=tuple(tree.children_right.tolist()),
        values=tuple(np.where(leaf, tree.value[:, 0, 0], 0.0).tolist()),
    )


@dataclass(frozen=True, slots=True)
class _Forest:
    """Trees side by side: row i of each array is tree i, as long as the largest."""

    features: Array
    thresholds: Array
    left: Array
    right: Array
    values: Array

    def leaves(self, features: Array) -> Array:
        """By tree, the value of the leaf that each row comes to. ValueError for a tree without a way to one."""
        tree, row = np.arange(len(self.features))[:, None], np.arange(len(features))
        at = np.zeros((len(self.features), len(features)), dtype=int)
        for _ in range(self.features.shape[1]):
            split = self.features[tree, at]
            if (split < 0).all():
                found: Array = self.values[tree, at]
                return found
            goes_left = features[row, np.maximum(split, 0)] <= self.thresholds[tree, at]
            at = np.where(split < 0, at, np.where(goes_left, self.left[tree, at], self.right[tree, at]))
        raise ValueError("a tree of the model leads back to itself; train the model again")


# By identity: to hash a model's trees takes longer than to ask them.
_forests: dict[int, tuple[tuple[Tree, ...], _Forest]] = {}
_MOST_FORESTS = 16
_LOCK = Lock()


def _forest(trees: tuple[Tree, ...]) -> _Forest:
    known = _forests.get(id(trees))
    if known is not None and known[0] is trees:
        return known[1]
    nodes = max(len(tree.features) for tree in trees)

    def side_by_side(rows: Iterable[Sequence[float]], filler: float, dtype: type) -> Array:
        return np.array([(*row, *[filler] * (nodes - len(row))) for row in rows], dtype=dtype)

    made = _Forest(
        side_by_side((tree.features for tree in trees), -1, int),
        side_by_side((tree.thresholds for tree in trees), 0.0, float),
        side_by_side((tree.left for tree in trees), 0, int),
        side_by_side((tree.right for tree in trees), 0, int),
        side_by_side((tree.values for tree in trees), 0.0, float),
    )
    with _LOCK:
        while len(_forests) >= _MOST_FORESTS:
            _forests.pop(next(iter(_forests)))
        _forests[id(trees)] = trees, made
    return made
