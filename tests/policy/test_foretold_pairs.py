"""Pairs of what was foretold and what came, from a deployment's latest decisions."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from tests.policy.histories import conf, hint, recommend, reorder
from tuner.model.change import Change
from tuner.model.decision import DecidedChange, Decision, Mode, Standing
from tuner.policy.foretold_pairs import foretold_pairs


def decided(change: Change, gained: float | None) -> DecidedChange:
    return DecidedChange(change, Standing.PROMOTED, change.reason, gained_seconds=gained)


def decision(*changes: DecidedChange) -> Decision:
    return Decision(Mode.AUTO, changes)


ONE, OTHER = recommend(hint("q1"), queries=("q1",))[0], recommend(conf(), queries=("q1", "q2"))[0]


def test_a_measured_change_is_a_pair() -> None:
    (pair,) = foretold_pairs([decision(decided(ONE, 6.0))])
    assert (pair.advisor, pair.foretold) == ("test", pytest.approx(math.log(0.5)))
    assert pair.measured == pytest.approx(math.log(0.4))
    assert pair.error == pytest.approx(math.log(0.8))


def test_a_loss_is_one_too_and_no_gain_takes_all() -> None:
    lost, all_gone = (next(foretold_pairs([decision(decided(ONE, gained))])) for gained in (-2.0, 11.0))
    assert lost.measured == pytest.approx(math.log(1.2))
    assert math.isfinite(all_gone.measured)


@pytest.mark.parametrize(
    "changes",
    [
        pytest.param([decided(ONE, None)], id="not measured yet"),
        pytest.param([decided(replace(ONE, secures=True), 1.0)], id="only secures a plan"),
        pytest.param([decided(replace(ONE, prediction=None), 1.0)], id="nothing was foretold"),
        pytest.param([decided(ONE, 1.0), decided(OTHER, 1.0)], id="two on one query"),
    ],
)
def test_what_tells_nothing_is_none(changes: list[DecidedChange]) -> None:
    assert list(foretold_pairs([decision(*changes)])) == []


def test_an_order_and_its_hints_are_one_pair_and_jobs_are_apart() -> None:
    together = recommend(reorder(), hint())
    assert len(together) == 2
    found = list(foretold_pairs([decision(*(decided(c, 4.0) for c in together)), decision(decided(ONE, 4.0))]))
    assert [pair.job for pair in found] == ["job 0", "job 1"]
