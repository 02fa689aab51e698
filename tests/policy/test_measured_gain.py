"""What a change gains by all its runs, with the interval of that."""

from __future__ import annotations

import pytest

from tuner.model.decision import DecidedChange, Standing
from tuner.model.run import Run, RunState
from tuner.policy.measured_gain import MeasuredGain, RunsSoFar

from .histories import conf, decided, hint, late_upstream, run

HINT, PROPERTY = hint("q1"), conf("spark.sql.optimizer.runtime.bloomFilter.creationSideThreshold", "200m")
# So many that none of them tells by chance how fast the machine was.
USUAL = {f"q{n}": 10.0 for n in range(1, 9)}


def night(number: int, *changes: DecidedChange, **seconds: float) -> Run:
    return run(number, USUAL | seconds, *changes)


def gain(*runs: Run, of: DecidedChange) -> MeasuredGain | None:
    return RunsSoFar.of(runs).gain([of])


def test_more_runs_make_a_gain_surer() -> None:
    hinted = decided(HINT)
    nights = [night(0), *(night(n, hinted, q1=4.0) for n in range(1, 6))]
    first, later = gain(*nights[:2], of=hinted), gain(*nights, of=hinted)
    assert first is not None
    assert later is not None
    for found in (first, later):
        assert found.seconds == pytest.approx(6.0, abs=0.5)
        assert found.low < found.seconds < found.high
        assert (found.queries, found.not_named) == (1, 0)
    assert (first.runs, later.runs) == (1, 5)
    assert later.high - later.low < first.high - first.low
    assert later.probability >= first.probability > 0.9


def test_a_loss_is_less_than_nothing() -> None:
    hinted = decided(HINT)
    found = gain(night(0), night(1), night(2, hinted, q1=15.0), of=hinted)
    assert found is not None
    assert found.seconds == pytest.approx(-5.0, abs=0.7)
    assert found.high < 0 < 1 - found.probability


def test_a_property_gains_on_queries_that_it_was_not_meant_for() -> None:
    set_ = decided(PROPERTY, queries=["q2"])
    found = gain(night(0), night(1, set_, q2=8.0, q5=2.0), night(2, set_, q2=8.0, q5=2.0), of=set_)
    assert found is not None
    assert (found.queries, found.not_named) == (2, 1)
    assert found.seconds == pytest.approx(10.0, abs=1.0)


def test_what_was_never_left_out_is_not_told() -> None:
    hinted = decided(HINT)
    assert gain(night(0, hinted, q1=4.0), night(1, hinted, q1=4.0), of=hinted) is None


def test_what_was_always_with_another_is_not_told_from_it() -> None:
    one, other = decided(HINT), decided(hint("q1", "other join"))
    nights = [night(0), night(1, one, other, q1=4.0), night(2, one, other, q1=4.0)]
    assert gain(*nights, of=one) is None
    assert RunsSoFar.of(nights).gain([one, other]) is not None


def test_what_the_latest_measured_run_did_not_have_is_not_told() -> None:
    hinted, out = decided(HINT), decided(HINT, Standing.ROLLED_BACK)
    assert gain(night(0), night(1, hinted, q1=4.0), night(2, out), of=out) is None


def test_nights_that_found_nothing_to_read_are_none_to_tell_by() -> None:
    hinted = decided(HINT)
    nights = [night(0), *(night(n, hinted, q1=4.0) for n in range(1, 6))]
    empty = [late_upstream(n, hinted, queries=list(USUAL)) for n in (6, 7)]
    assert gain(*nights, *empty, of=hinted) == gain(*nights, of=hinted)
    assert gain(*nights, *empty, night(8, hinted, q1=4.0), of=hinted) == gain(
        *nights, night(8, hinted, q1=4.0), of=hinted
    )


def test_without_a_measured_run_nothing_is_told() -> None:
    hinted = decided(HINT)
    assert gain(of=hinted) is None
    assert gain(run(0, None, hinted, state=RunState.LOST), of=hinted) is None
