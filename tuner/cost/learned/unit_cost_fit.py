"""Unit costs from stages: non-negative least squares, held to a prior."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from tuner.cost.learned.query_samples import Sample
from tuner.cost.unit_costs import UnitCosts
from tuner.model.query_work import QueryWork, StageWork
from tuner.plan.query_work import Resource

Array = npt.NDArray[np.float64]

# The prices that stages tell of: one for each resource, and what sorting takes beside what Spark times of it.
PRICES: tuple[tuple[str, Resource], ...] = (
    *((resource.value, resource) for resource in Resource),
    ("sort_insert", Resource.SORT),
)
_NAMES = [name for name, _ in PRICES]
# A stage of ten seconds counts for more than one of a tenth, and less than a hundred times: by the time's power. Of the
# powers 0 to 0.5, those from 0.1 to 0.2 predict unseen queries of TPC-DS best.
_POWER = 0.15
_LEAST_MS = 20.0
_LEAST_NS = _LEAST_MS * 1e6
# How much a price that the stages say nothing of is held to the prior. A training set tells most prices apart; from 0.03
# to 0.1 its error on queries left out is the same, and below, prices of what always comes together (sorting, merging)
# trade places. One job's few stages tell hardly more than how fast the machine is: 3 to 12 queries of TPC-DS foretell the
# others as well with 1.0 as with 0.1, and what a sort, a merge and a row put out take stays in proportion.
HOLD_TRAINING = 0.1
HOLD_COHORT = 1.0
# What comes with something dearer in every stage (a row that is probed was also read) would be learned as free. No
# price is believed to be less than this share of the prior's.
_FLOOR = 0.25
# A stage whose work the prior prices at more than this many times what it took was not counted right, as products were until
# their rows were divided by their tasks. Of logs of 20 clusters none comes to 10, with `_LEAST_MS` as the least that counts.
_MOST_TIMES_FASTER = 100.0
# One that took more than this many times what its job's stages usually take for their price waited for what has none: Python,
# a database, a service. Of the stages of 12 logs, of TPC-DS and of clusters of others, none comes to 10.
_MOST_TIMES_SLOWER = 10.0
# What tasks take for each second that they have a processor, where one run is all that is known: 1.4 in logs of clusters of
# others, 1.6 to 2 of TPC-DS on two cores.
_STRETCH = 1.6


def fit_unit_costs(found: Sequence[Sample], prior: UnitCosts, hold: float = HOLD_COHORT) -> UnitCosts:
    """The prices that explain these stages best, of all that are not negative (Lawson and Hanson 1974).

    Each is held to the prior by its ratio, as firmly as `hold` says, after the prior as a whole was scaled to this
    machine. A run that took longer than usual for the processor time it had tells of prices as usual: what a neighbour adds is
    not the job's. What a recurring job spends little on stays at the prior, however often it runs: more of the same stages
    tells nothing new of it.
    Needs scipy: ImportError where the `learn` extra is not installed.
    """
    from scipy.optimize import nnls

    usual = usual_stretch(found)
    each = _believed([(stage, ns) for sample in found for stage, ns in _stage_times(sample, usual) if ns > 0], prior)
    if not each:
        return prior
    stages = [stage for stage, _ in each]
    matrix, target, expected = amounts_matrix(stages), np.array([ns for _, ns in each], dtype=float), prices(prior)
    weight = 1 / np.maximum(target / 1e6, _LEAST_MS) ** _POWER
    rows, times, counted = _sorts(found, usual)
    matrix = np.vstack([matrix, rows]) * np.concatenate([weight, counted])[:, None]
    target = np.concatenate([target, times]) * np.concatenate([weight, counted])
    stage_rows = len(stages)
    whole = float((matrix[:stage_rows] @ expected).sum())
    if not whole > 0:
        return prior
    expected = expected * float(target[:stage_rows].sum()) / whole
    by_price = matrix * expected
    hold *= float(np.sqrt((by_price**2).sum() / len(expected)))
    above, _ = nnls(
        np.vstack([by_price, hold * np.eye(len(expected))]),
        np.concatenate([target - _FLOOR * by_price.sum(axis=1), np.full(len(expected), (1 - _FLOOR) * hold)]),
    )
    learned = dict(zip(_NAMES, ((_FLOOR + above) * expected).tolist(), strict=True))
    return replace(prior, **learned, **_driver_prices([sample.work for sample in found], prior))


def _believed(each: Sequence[tuple[StageWork, float]], prior: UnitCosts) -> list[tuple[StageWork, float]]:
    """The stages that may have done their work, and little else, in their time: one of others would scale the whole prior."""
    priced = stage_nanoseconds([stage for stage, _ in each], prior)
    told = [(*one, max(p, _LEAST_NS)) for one, p in zip(each, priced, strict=True)]
    told = [(stage, ns, p) for stage, ns, p in told if p <= _MOST_TIMES_FASTER * max(ns, _LEAST_NS)]
    slowest = _MOST_TIMES_SLOWER * _usual_times([(ns, p) for _, ns, p in told])
    return [(stage, ns) for stage, ns, p in told if ns <= slowest * p]


def _usual_times(each: Sequence[tuple[float, float]]) -> float:
    """How many times their price stages take: the median, by their priced work, of which those that wait have little."""
    by_times = sorted((ns / priced, priced) for ns, priced in each)
    half, below = sum(priced for _, priced in by_times) / 2, 0.0
    for times, priced in by_times:
        below += priced
        if below >= half:
            return times
    return 1.0


def amounts_matrix(stages: Sequence[StageWork]) -> Array:
    """Stages by prices: how much of each a stage has to pay."""
    return np.array([[stage.amounts.get(resource, 0.0) for _, resource in PRICES] for stage in stages], dtype=float)


def prices(costs: UnitCosts) -> Array:
    """Nanoseconds for each of `PRICES`."""
    return np.array([getattr(costs, name) for name in _NAMES], dtype=float)


def stage_nanoseconds(stages: Sequence[StageWork], costs: UnitCosts) -> Array:
    """What stages take by their prices."""
    return np.asarray(amounts_matrix(stages) @ prices(costs), dtype=float) if stages else np.zeros(0)


def work_terms(amounts: Mapping[str, float], costs: UnitCosts) -> dict[str, float]:
    """Nanoseconds of each term of the price of work (`StageWork.amounts`), by its resource."""
    terms: dict[str, float] = {}
    for name, resource in PRICES:
        terms[resource.value] = terms.get(resource.value, 0.0) + amounts.get(resource, 0.0) * getattr(costs, name)
    return terms


def work_seconds(amounts: Mapping[str, float], costs: UnitCosts) -> float:
    """Core seconds of work by resource (`StageWork.amounts`)."""
    return sum(work_terms(amounts, costs).values()) / 1e9


def usual_stretch(found: Sequence[Sample]) -> float:
    """How many times as long tasks usually take as they have a processor: the median of these runs, `_STRETCH` being one more.

    0 where no run tells.
    """
    runs = {sample.stretch for sample in found if sample.stretch}
    return float(np.exp(np.median(np.log([*runs, _STRETCH])))) if runs else 0.0


def _stage_times(sample: Sample, usual: float) -> Iterator[tuple[StageWork, float]]:
    """The nanoseconds that each stage of a sample would take on a machine as busy as usual."""
    scale = _nanoseconds_of_ms(sample, usual)
    return ((stage, stage.core_ms * scale) for stage in sample.work.stages)


def _nanoseconds_of_ms(sample: Sample, usual: float) -> float:
    return 1e6 * usual / sample.stretch if sample.stretch else 1e6


def _sorts(found: Sequence[Sample], usual: float) -> tuple[Array, Array, Array]:
    """What Spark itself timed of sorts ("sort time"), as equations of that price alone."""
    timed = [sample for sample in found if sample.work.sorts.rows and sample.work.sorts.sort_ms]
    rows = np.zeros((len(timed), len(PRICES)))
    rows[:, _NAMES.index(Resource.SORT)] = [sample.work.sorts.rows for sample in timed]
    times = np.array([s.work.sorts.sort_ms * _nanoseconds_of_ms(s, usual) for s in timed], dtype=float)
    return rows, times, 1 / np.maximum(times / 1e6, _LEAST_MS) ** _POWER


def _driver_prices(works: Iterable[QueryWork], prior: UnitCosts) -> dict[str, float]:
    """What building and sending broadcasts takes, as Spark times it; with the prior as one more, middling broadcast.

    "time to broadcast" is what the driver takes, however many executors there are. "time to collect" is left out: it holds
    the tasks that made the rows.
    """
    broadcasts = [broadcast for work in works for broadcast in work.broadcasts if broadcast.rows >= _TELLING_ROWS]
    rows, size = _MIDDLING_ROWS, _MIDDLING_BYTES
    build_ns = sum(b.build_ms for b in broadcasts) * 1e6 + rows * prior.broadcast_build
    send_ns = sum(b.broadcast_ms for b in broadcasts) * 1e6 + size * prior.broadcast
    return {
        "broadcast_build": build_ns / (sum(b.rows for b in broadcasts) + rows),
        "broadcast": send_ns / (sum(b.bytes for b in broadcasts) + size),
    }


_MIDDLING_ROWS = 100_000
_MIDDLING_BYTES = 10 << 20
# Fewer rows than this say more about start-up, and about pages that are hardly filled. In a run of NDS's query 72 (Spark 3.5)
# 22 to 1,800 rows took 8 to 1,800 us each to build, 73,049 to 384,160 took 0.4 to 0.8.
_TELLING_ROWS = 10_000
