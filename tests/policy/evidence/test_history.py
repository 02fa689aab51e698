"""Work, processor time and the clock, put together."""

from __future__ import annotations

import math

import pytest

from tuner.policy.evidence.history import History
from tuner.policy.evidence.log_ratio import LogRatio
from tuner.policy.evidence.metric import CPU, LATENCY_SECONDS
from tuner.policy.measure import Measured

CHANGE = frozenset(["change"])


def query(
    seconds: float,
    cpu: float,
    *,
    changed: bool = False,
    stages: dict[str, float] | None = None,
    cores: int = 8,
    share: float = 0.9,
) -> Measured:
    named = {((name, "1"),): took for name, took in (stages or {}).items()}
    changes = CHANGE if changed else frozenset[str]()
    return Measured("q", 0, seconds, 10**9, changes, cpu_seconds=cpu, stages=named, cores=cores, cpu_share=share)


def ratio_after(*nights: Measured) -> LogRatio:
    history = History()
    for night in nights:
        history.add([night])
    found = history.effect(nights[-1], CHANGE)
    assert found is not None
    return found


def test_a_busy_first_night_claims_no_gain() -> None:
    """The clock says half, processors say the same."""
    found = ratio_after(query(40, 80), query(20, 79, changed=True))
    assert math.exp(found.mean) > 0.85
    history = History()
    for night in (query(40, 80), query(20, 79, changed=True)):
        history.add([night])
    compared = history.compared(query(20, 79, changed=True), CHANGE)
    assert compared is not None and compared.gain < 10, "not the 20 s that the clock saw"


def test_one_night_whose_tasks_waited_does_not_make_many_with_a_change_a_gain() -> None:
    """As query 18 of TPC-H (scale factor 10) ran: by default it takes 46 to 59 s, and 81 in the one night that was known."""
    slow = query(80.7, 93.0, share=0.59)
    tuned = [query(s, cpu, changed=True, share=0.9) for s, cpu in ((39.0, 66.9), (36.4, 63.6), (44.4, 75.3))]
    found = ratio_after(slow, *tuned)
    assert found.high > 0.85, "39 instead of 46 may be all"
    history = History()
    for night in (slow, tuned[0]):
        history.add([night])
    compared = history.compared(tuned[0], CHANGE)
    assert compared is not None and compared.expected < 60


def test_tasks_that_wait_in_every_night_without_a_change_do_tell() -> None:
    slow, tuned = query(80, 100, share=0.6), query(40, 70, changed=True, share=0.9)
    assert ratio_after(slow, *[tuned] * 3).high > 0.85
    assert ratio_after(*[slow] * 3, *[tuned] * 3).high < 0.75


def test_a_busy_trial_is_no_loss() -> None:
    found = ratio_after(*[query(20, 80)] * 3, query(36, 30, changed=True))
    assert found.above(1.03) < 0.9


def test_what_the_clock_says_again_and_again_counts() -> None:
    """Fewer processor seconds on one core are no gain."""
    found = ratio_after(*[query(20, 80)] * 3, *[query(60, 60, changed=True)] * 4)
    assert found.above(1.03) > 0.9


def test_more_cores_are_no_gain_and_fewer_no_loss() -> None:
    found = ratio_after(*[query(20, 80)] * 3, query(11, 80, changed=True, cores=16))
    assert found.below(1.0) < 0.95
    found = ratio_after(*[query(20, 80)] * 3, query(36, 81, changed=True, cores=4))
    assert found.above(1.03) < 0.9


def test_a_job_of_one_query_has_a_control_in_its_stages() -> None:
    """The stage that scans did what it always does, in three times its time: the machine was slow."""
    usual = query(20, 0, stages={"scan": 30.0, "join": 20.0})
    busy = query(60, 0, changed=True, stages={"scan": 90.0, "joined otherwise": 60.0})
    alone = query(60, 0, changed=True, stages={})
    assert ratio_after(usual, usual, busy).mean < 0.6 * ratio_after(usual, usual, alone).mean


def test_processor_time_tells_of_the_clock_what_is_not_latency() -> None:
    halved = LogRatio(math.log(0.5), 0.0001)
    of_short, of_long = (math.exp(CPU.on_the_clock(halved, seconds).mean) for seconds in (4.0, 400.0))
    assert of_short == pytest.approx((LATENCY_SECONDS + 1) / 4)
    assert of_long == pytest.approx(0.5, rel=0.01)


def test_a_query_that_never_ran_without_a_change_tells_nothing_of_it() -> None:
    history = History()
    history.add([query(20, 80, changed=True)])
    assert history.effect(query(20, 80, changed=True), CHANGE) is None
