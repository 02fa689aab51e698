"""Training: fit, validate on queries left out, blend."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from tuner.cost.learned.operator_times import Errors, OperatorTimes, Overheads, overhead_terms, wall_terms
from tuner.cost.learned.query_samples import Sample
from tuner.cost.learned.residual import NO_RESIDUAL, Residual, train_residual
from tuner.cost.learned.unit_cost_fit import HOLD_TRAINING, Array, fit_unit_costs, stage_nanoseconds

_FOLDS = 10
# With fewer queries than this, those left out tell nothing.
MIN_QUERIES = 10
# Trees need examples of each kind of stage.
MIN_RESIDUAL_STAGES = 300
# More than these, and a night's training would take minutes; the latest are the ones that matter.
MOST_STAGES = 5_000
_SHARES = (0.0, 0.25, 0.5, 0.75, 1.0)
# Trees that make the error less than this much smaller are not worth their keep.
_LEAST_GAIN = 0.99


def train_operator_times(found: Sequence[Sample], prior: OperatorTimes, trained_on: str = "") -> OperatorTimes:
    """A model of these samples, oldest first, that says how it predicts queries it has not seen.

    `errors` stay empty with fewer than MIN_QUERIES different queries. ImportError without the `learn` extra.
    """
    found = _latest(found)
    if not found:
        return prior
    base = OperatorTimes(
        costs=fit_unit_costs(found, prior.costs, HOLD_TRAINING),
        overheads=prior.overheads,
        residual=NO_RESIDUAL,
        queries=len({sample.query for sample in found}),
        stages=sum(len(sample.work.stages) for sample in found),
        trained_on=trained_on,
    )
    if base.queries < MIN_QUERIES:
        return replace(base, overheads=_fit_overheads(found, base, prior.overheads))
    folds = _fold_of(found)
    fitted, boosted = _held_out(found, folds, prior)
    residual = NO_RESIDUAL
    share = _best_share(found, fitted, boosted) if boosted is not None else 0.0
    if share:
        residual = replace(_residual_of(found, base), share=share)
    hybrid = fitted * (boosted / fitted) ** share if boosted is not None else fitted
    model = replace(base, residual=residual)
    took = np.array([sample.core_ms for sample in found], dtype=float)
    errors = {
        "prior": _errors(found, took, np.array([prior.core_ms(sample.work) for sample in found])),
        "fitted": _errors(found, took, fitted),
        "hybrid": _errors(found, took, hybrid),
        "wall": _errors(
            found, np.array([s.wall_ms for s in found], dtype=float), _held_out_wall(found, folds, hybrid, prior)
        ),
    }
    return replace(model, overheads=_overheads(found, hybrid, prior.overheads), errors=errors)


def _latest(found: Sequence[Sample]) -> list[Sample]:
    kept: list[Sample] = []
    stages = 0
    for sample in reversed(found):
        stages += len(sample.work.stages)
        if stages > MOST_STAGES and kept:
            break
        kept.append(sample)
    return kept[::-1]


def _fold_of(found: Sequence[Sample]) -> Array:
    """The fold of each sample: all runs of a query are in one."""
    numbers = {query: i % _FOLDS for i, query in enumerate(sorted({sample.query for sample in found}))}
    return np.array([numbers[sample.query] for sample in found])


def _held_out(found: Sequence[Sample], folds: Array, prior: OperatorTimes) -> tuple[Array, Array | None]:
    """Core milliseconds of each sample from a model of the other folds: by prices, and with trees where there may be."""
    fitted, boosted = np.zeros(len(found)), np.zeros(len(found))
    boosting = sum(len(sample.work.stages) for sample in found) >= MIN_RESIDUAL_STAGES
    for fold in np.unique(folds):
        seen = [sample for sample, own in zip(found, folds, strict=True) if own != fold]
        model = OperatorTimes(fit_unit_costs(seen, prior.costs, HOLD_TRAINING))
        trees = replace(model, residual=_residual_of(seen, model)) if boosting else model
        for i in _at(folds == fold):
            fitted[i], boosted[i] = model.core_ms(found[i].work), trees.core_ms(found[i].work)
    return np.maximum(fitted, 1.0), np.maximum(boosted, 1.0) if boosting else None


def _at(chosen: npt.NDArray[np.bool_]) -> list[int]:
    """Where it is true."""
    found: list[int] = np.flatnonzero(chosen).tolist()
    return found


def _residual_of(found: Sequence[Sample], model: OperatorTimes) -> Residual:
    stages = [stage for sample in found for stage in sample.work.stages if stage.core_ms > 0]
    return train_residual(stages, stage_nanoseconds(stages, model.costs))


def _best_share(found: Sequence[Sample], fitted: Array, boosted: Array) -> float:
    """How much of the trees' word to believe: what leaves the least error; none where they do not help."""
    took = np.array([sample.core_ms for sample in found], dtype=float)

    def error(share: float) -> float:
        return float(np.abs(np.log(took / (fitted * (boosted / fitted) ** share))).mean())

    best = min(_SHARES, key=error)
    return best if error(best) < _LEAST_GAIN * error(0.0) else 0.0


def _errors(found: Sequence[Sample], took: Array, predicted: Array) -> Errors:
    ratio = np.maximum(took, 1.0) / np.maximum(predicted, 1.0)
    factor = np.maximum(ratio, 1 / ratio)
    return Errors(
        queries=len({sample.query for sample in found}),
        median=float(np.median(factor)),
        p90=float(np.quantile(factor, 0.9)),
        within_2=float((factor <= 2).mean()),
        low=float(np.quantile(ratio, 0.1)),
        high=float(np.quantile(ratio, 0.9)),
    )


def _fit_overheads(found: Sequence[Sample], model: OperatorTimes, prior: Overheads) -> Overheads:
    return _overheads(found, np.array([model.core_ms(sample.work) for sample in found]), prior)


def _held_out_wall(found: Sequence[Sample], folds: Array, core_ms: Array, prior: OperatorTimes) -> Array:
    predicted = np.zeros(len(found))
    for fold in np.unique(folds):
        inside = _at(folds != fold)
        overheads = _overheads([found[i] for i in inside], core_ms[inside], prior.overheads)
        for i in _at(folds == fold):
            terms = wall_terms(found[i].work, found[i].cores, float(core_ms[i]))
            predicted[i] = terms @ overhead_terms(overheads)
    return predicted


def _overheads(found: Sequence[Sample], core_ms: Array, prior: Overheads) -> Overheads:
    """The overheads of least relative error, each held to the prior like one more query."""
    from scipy.optimize import nnls

    expected = overhead_terms(prior)
    wall = np.array([max(1, sample.wall_ms) for sample in found], dtype=float)
    terms = np.array([wall_terms(s.work, s.cores, float(c)) for s, c in zip(found, core_ms, strict=True)], dtype=float)
    by_ratio = terms * expected / wall[:, None]
    hold = 0.1 * float(np.sqrt((by_ratio**2).sum() / len(expected)))
    ratios, _ = nnls(
        np.vstack([by_ratio, hold * np.eye(len(expected))]),
        np.concatenate([np.ones(len(found)), np.full(len(expected), hold)]),
    )
    return Overheads(*(ratios * expected).tolist())
