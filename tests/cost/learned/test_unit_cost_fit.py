"""Unit costs from stages."""

from __future__ import annotations

import math
import sys
from dataclasses import asdict, replace

import pytest

from tuner.cost.learned.calibrated_model import calibrated_model
from tuner.cost.learned.operator_times import OperatorTimes
from tuner.cost.learned.query_samples import Sample, of_one_run
from tuner.cost.learned.unit_cost_fit import HOLD_TRAINING, PRICES, fit_unit_costs, usual_stretch, work_terms
from tuner.cost.unit_costs import DEFAULT_COSTS, PRICE_UNITS, UnitCosts
from tuner.model.query_work import BroadcastWork, QueryWork, StageWork
from tuner.plan.query_work import Resource

from .nights import night

TRUE = replace(DEFAULT_COSTS, sort=800.0, merge=200.0, hash_build=250.0, shuffle_write=40.0, broadcast_build=3000.0)


def times(costs: UnitCosts, factor: float) -> UnitCosts:
    return UnitCosts(**{name: value * factor for name, value in asdict(costs).items()})


@pytest.mark.parametrize("price", ["sort", "hash_build", "shuffle_write", "broadcast_build"])
def test_prices_that_time_was_spent_on_come_near_the_true_ones(price: str) -> None:
    learned = fit_unit_costs(night(TRUE, queries=200), DEFAULT_COSTS, HOLD_TRAINING)
    true, before, now = (getattr(costs, price) for costs in (TRUE, DEFAULT_COSTS, learned))
    assert abs(math.log(now / true)) < 0.4 * abs(math.log(before / true))


def test_what_no_stage_did_stays_at_the_prior_as_the_machine_scales_it() -> None:
    slow = times(DEFAULT_COSTS, 3)
    learned = fit_unit_costs(night(slow, queries=60, noise=0), DEFAULT_COSTS)
    assert learned.window == pytest.approx(slow.window, rel=0.1)
    assert learned.sort == pytest.approx(slow.sort, rel=0.15)


def on_a_night(found: list[Sample], longer: float, stretch: float = 1.6) -> list[Sample]:
    """The samples of one run on a machine whose neighbour makes them take so many times as long; its tasks compute as before."""

    def work_of(sample: Sample) -> QueryWork:
        stages = tuple(
            replace(stage, cpu_ms=round(stage.core_ms / stretch), core_ms=round(stage.core_ms * longer))
            for stage in sample.work.stages
        )
        sorts = replace(sample.work.sorts, sort_ms=round(sample.work.sorts.sort_ms * longer))
        return replace(sample.work, stages=stages, sorts=sorts)

    return of_one_run(replace(sample, work=work_of(sample)) for sample in found)


def test_a_neighbours_night_leaves_prices_as_they_are() -> None:
    quiet = [sample for seed in (1, 2, 3) for sample in on_a_night(night(TRUE, seed=seed), 1.0 + seed / 100)]
    loud = on_a_night(night(TRUE, seed=4), 3.0)
    before, after = (asdict(fit_unit_costs(found, DEFAULT_COSTS)) for found in (quiet, [*quiet, *loud]))
    learned = [name for name, _ in PRICES]
    assert [after[name] for name in learned] == pytest.approx([before[name] for name in learned], rel=0.25)


def test_one_loud_night_alone_counts_half_as_loud() -> None:
    quiet, loud = (fit_unit_costs(on_a_night(night(TRUE, noise=0), longer), DEFAULT_COSTS) for longer in (1.0, 4.0))
    assert loud.sort == pytest.approx(2 * quiet.sort, rel=0.1)


def test_without_processor_times_run_times_count_as_they_are() -> None:
    found = night(TRUE, noise=0)
    assert of_one_run(found) == found
    assert usual_stretch(found) == 0.0
    assert fit_unit_costs([*found, *on_a_night([], 2.0)], DEFAULT_COSTS) == fit_unit_costs(found, DEFAULT_COSTS)


def test_nothing_is_free() -> None:
    """Rows that are probed were read before: the time could all be reading."""
    free = replace(DEFAULT_COSTS, probe=0.0, emit=0.0, scan=200.0)
    learned = asdict(fit_unit_costs(night(free, queries=100), DEFAULT_COSTS))
    assert all(learned[name] > 0.1 * price for name, price in asdict(DEFAULT_COSTS).items())


def test_one_stage_of_one_query_is_no_reason_to_turn_prices_over() -> None:
    one = night(TRUE, queries=1, seed=3)
    learned = asdict(fit_unit_costs(one, DEFAULT_COSTS))
    assert all(0 < learned[name] < math.inf for name in PRICE_UNITS)
    assert 0.2 < learned["probe"] / DEFAULT_COSTS.probe < 5


def test_a_stage_that_cannot_have_done_its_work_in_its_time_tells_nothing() -> None:
    """The pairs of a product, counted once for each of its 40,000 tasks."""
    found = night(TRUE)
    miscounted = StageWork(9, 40_000, 850_000, {"pair": 2e14, "task": 40_000})
    product = Sample("product", 400_000, 4, QueryWork((miscounted,)))
    assert fit_unit_costs([*found, product], DEFAULT_COSTS) == fit_unit_costs(found, DEFAULT_COSTS)
    assert fit_unit_costs([product], DEFAULT_COSTS) == DEFAULT_COSTS


def waiting(tasks: int = 100) -> Sample:
    """A stage whose tasks waited for 10,000 seconds in all for what has no price: Python, a database, a service."""
    return Sample("waits", 3_000_000, 4, QueryWork((StageWork(9, tasks, 10_000_000, {"task": tasks}),)))


def test_a_stage_that_waited_for_what_has_no_price_tells_nothing() -> None:
    found = night(TRUE, noise=0)
    assert fit_unit_costs([*found, waiting()], DEFAULT_COSTS) == fit_unit_costs(found, DEFAULT_COSTS)


def test_such_stages_may_be_most_of_a_jobs() -> None:
    found = night(TRUE, noise=0)
    assert fit_unit_costs([*found, *[waiting(4)] * 200], DEFAULT_COSTS) == fit_unit_costs(found, DEFAULT_COSTS)


@pytest.mark.parametrize("queries", [1, 40])
def test_a_machine_that_is_slow_throughout_is_believed(queries: int) -> None:
    learned = fit_unit_costs(night(times(DEFAULT_COSTS, 30), queries=queries, noise=0), DEFAULT_COSTS)
    assert learned.sort == pytest.approx(30 * DEFAULT_COSTS.sort, rel=0.3)


def broadcasting(each: BroadcastWork) -> list[Sample]:
    """Ten runs that broadcast twenty of these."""
    return [replace(one, work=replace(one.work, broadcasts=(each,) * 20)) for one in night(DEFAULT_COSTS, queries=10)]


@pytest.mark.parametrize("tiny", [BroadcastWork(50, 33_554_832, 60, 17, 5), BroadcastWork(12, 1_048_976, 70, 264, 160)])
def test_what_starting_a_tiny_broadcast_takes_is_no_price_of_its_rows(tiny: BroadcastWork) -> None:
    learned = fit_unit_costs(broadcasting(tiny), DEFAULT_COSTS)
    assert (learned.broadcast_build, learned.broadcast) == (DEFAULT_COSTS.broadcast_build, DEFAULT_COSTS.broadcast)


def test_a_broadcast_of_many_rows_tells_what_they_take() -> None:
    learned = fit_unit_costs(broadcasting(BroadcastWork(50_000, 20_000_000, 60, 200, 80)), DEFAULT_COSTS)
    assert learned.broadcast_build == pytest.approx(4_000, rel=0.05)
    assert learned.broadcast == pytest.approx(4, rel=0.05)


def test_without_stages_there_is_nothing_to_learn() -> None:
    assert fit_unit_costs([], TRUE) == TRUE
    assert fit_unit_costs(night(TRUE, queries=1), UnitCosts(**dict.fromkeys(PRICE_UNITS, 0.0))).scan == 0.0


def test_without_the_extra_prices_are_the_models_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "scipy.optimize", None)
    assert calibrated_model(night(TRUE), OperatorTimes(DEFAULT_COSTS)) == OperatorTimes(DEFAULT_COSTS)


def test_terms_add_up_to_the_price_of_a_stage() -> None:
    stage = night(TRUE, queries=1, noise=0)[0].work.stages[0]
    terms = work_terms(stage.amounts, TRUE)
    assert set(terms) == {resource.value for resource in Resource}
    assert sum(terms.values()) / 1e6 == pytest.approx(stage.core_ms, abs=1)


def test_every_price_has_a_unit() -> None:
    assert set(PRICE_UNITS) == set(asdict(DEFAULT_COSTS))
    assert {resource.value for resource in Resource} < set(PRICE_UNITS)
