"""Which sizes of a query's input runs have told a change of."""

from __future__ import annotations

import math

import pytest

from tuner.policy.evidence.sizes import LAST_RUNS, Sizes

CHANGE = "change"
WITH, WITHOUT = {CHANGE}, set[str]()


def sizes(*runs: tuple[float, set[str]], is_beside: bool = False) -> Sizes:
    """After runs that read so many times as much as the first."""
    found = Sizes()
    for times, in_force in runs:
        found.add(math.log(times), in_force, is_beside=is_beside)
    return found


GROWN = ((1.0, WITHOUT), (1.0, WITH), *[(3.0, WITH), (4.0, WITH), (5.0, WITH)])


def test_inputs_have_grown_once_all_of_the_last_runs_read_over_twice_as_much() -> None:
    found = sizes(*GROWN).outgrown(CHANGE)
    assert found is not None
    assert (math.exp(found.least), math.exp(found.most)) == pytest.approx((3.0, 1.0))
    assert sizes(*GROWN[:-1]).outgrown(CHANGE) is None
    assert sizes(*GROWN, (2.0, WITH)).outgrown(CHANGE) is None


def test_of_what_never_ran_without_a_change_nothing_is_said() -> None:
    assert sizes(*GROWN[1:]).outgrown(CHANGE) is None
    assert sizes(*GROWN).outgrown("another") is None


def test_a_run_without_it_tells_whatever_it_read() -> None:
    for times in (1.0, 3.0, 9.0):
        told = sizes(*GROWN, (times, WITHOUT), *[(5.0, WITH)] * LAST_RUNS)
        assert told.outgrown(CHANGE) is None
    assert sizes(*GROWN, (1.0, WITHOUT), *[(7.0, WITH)] * LAST_RUNS).outgrown(CHANGE), "it has doubled again"


def test_what_is_learned_anew_is_what_a_run_tells_that_reads_as_much() -> None:
    grown = sizes(*GROWN)
    assert grown.told_anew(math.log(3.0), WITHOUT) == {CHANGE: pytest.approx(math.log(3.0))}
    assert not grown.told_anew(math.log(1.5), WITHOUT), "it read hardly more than those before"
    assert not grown.told_anew(math.log(3.0), WITH)


def test_runs_side_by_side_count_as_one() -> None:
    assert sizes(*GROWN, is_beside=True).outgrown(CHANGE) is None
