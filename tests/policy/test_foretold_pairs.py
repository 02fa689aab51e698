"""Pairs of what was foretold and what came, from a deployment's latest decisions."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from tests.policy.histories import GB, conf, hint, recommend, reorder, run
from tuner.model.change import Change
from tuner.model.decision import DecidedChange, Decision, Mode, Standing
from tuner.policy.foretold_pairs import foretold_pairs
from tuner.policy.ledger import read_ledger


def decided(change: Change, ratio: float | None) -> DecidedChange:
    return DecidedChange(change, Standing.PROMOTED, change.reason, measured_ratio=ratio)


def decision(*changes: DecidedChange) -> Decision:
    return Decision(Mode.AUTO, changes)


ONE, OTHER = recommend(hint("q1"), queries=("q1",))[0], recommend(conf(), queries=("q1", "q2"))[0]


def test_a_measured_change_is_a_pair() -> None:
    (pair,) = foretold_pairs([decision(decided(ONE, 0.4))])
    assert (pair.advisor, pair.foretold) == ("test", pytest.approx(math.log(0.5)))
    assert pair.measured == pytest.approx(math.log(0.4))
    assert pair.error == pytest.approx(math.log(0.8))


def test_a_loss_is_one_too_and_no_ratio_is_none() -> None:
    lost, all_gone = (next(foretold_pairs([decision(decided(ONE, ratio))])) for ratio in (1.2, 0.0))
    assert lost.measured == pytest.approx(math.log(1.2))
    assert math.isfinite(all_gone.measured)


@pytest.mark.parametrize(
    "changes",
    [
        pytest.param([decided(ONE, None)], id="not measured yet"),
        pytest.param([replace(decided(ONE, None), gained_seconds=4.0)], id="decided by a version before"),
        pytest.param([decided(replace(ONE, secures=True), 0.9)], id="only secures a plan"),
        pytest.param([decided(replace(ONE, prediction=None), 0.9)], id="nothing was foretold"),
        pytest.param([decided(ONE, 0.9), decided(OTHER, 0.9)], id="two on one query"),
    ],
)
def test_what_tells_nothing_is_none(changes: list[DecidedChange]) -> None:
    assert list(foretold_pairs([decision(*changes)])) == []


def test_an_order_and_its_hints_are_one_pair_and_jobs_are_apart() -> None:
    together = recommend(reorder(), hint())
    assert len(together) == 2
    found = list(foretold_pairs([decision(*(decided(c, 0.6) for c in together)), decision(decided(ONE, 0.6))]))
    assert [pair.job for pair in found] == ["job 0", "job 1"]


@pytest.mark.parametrize("size", [1.0, 2.5])
def test_what_came_as_foretold_has_no_error_however_much_the_nights_read_since(size: float) -> None:
    (change,) = recommend(hint("q1"), before=100, after=60)
    trial = DecidedChange(change, Standing.TRIAL, change.reason)
    grown = {"input_bytes": int(size * GB)}
    nights = [
        run(0, {"q1": 100.0, "q2": 50.0}),
        *(run(n, {"q1": 60.0, "q2": 50.0}, trial) for n in (1, 2)),
        *(run(n, {"q1": 60.0 * size, "q2": 50.0 * size}, trial, **grown) for n in (3, 4)),  # type: ignore[arg-type]
    ]
    (pair,) = foretold_pairs([decision(read_ledger(nights)[change.id].now)])
    assert pair.error == pytest.approx(0.0, abs=0.05)


def test_what_a_property_did_to_others_is_no_part_of_it() -> None:
    (change,) = recommend(conf(), queries=("q1",), before=100, after=60)
    trial = DecidedChange(change, Standing.TRIAL, change.reason)
    usual = {"q3": 30.0, "q4": 30.0, "q5": 30.0}
    nights = [
        *(run(n, {"q1": 100.0, "q2": 200.0, **usual}) for n in (0, 1, 2)),
        *(run(n, {"q1": 60.0, "q2": 120.0, **usual}, trial) for n in (3, 4, 5)),
    ]
    (pair,) = foretold_pairs([decision(read_ledger(nights)[change.id].now)])
    assert pair.error == pytest.approx(0.0, abs=0.05)
