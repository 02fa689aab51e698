"""What the clock gains and processors do not, as where cores had been idle, is held against one more run without."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tuner.model.decision import Standing
from tuner.model.query_work import WorkInBrief
from tuner.model.reason import ReasonCode
from tuner.model.run import Run
from tuner.policy.evidence.comparison import MAX_TRIALS
from tuner.policy.ledger import read_ledger
from tuner.policy.record import Record

from .histories import decided, hint, run

TRIAL = decided(hint("q1"))
CORE_SECONDS = 2000.0


def night(number: int, seconds: float, cpu: float = 1.0, trial: bool = False) -> Run:
    """Of a job of one query of always the same rows, for which executors compute so many times as long as they usually do."""
    found = run(number, {"q1": seconds}, *([TRIAL] if trial else []))
    assert found.outcome is not None
    (query,) = found.outcome.queries
    ms = int(CORE_SECONDS * cpu * 1000)
    query = replace(
        query, executor_cpu_ms=ms, executor_run_ms=ms, work_in_brief=WorkInBrief(CORE_SECONDS, broadcast_ms=0)
    )
    return replace(found, outcome=replace(found.outcome, queries=(query,)))


def tried(seconds: float, cpu: float = 1.05) -> list[Run]:
    """One run without, of 600 s, and all trials."""
    return [night(0, 600), *(night(n, seconds, cpu, trial=True) for n in range(1, MAX_TRIALS + 1))]


def after(runs: list[Run]) -> Record:
    return read_ledger(runs)[TRIAL.id]


def test_one_more_run_without_tells_idle_cores_from_a_slow_first_night() -> None:
    runs = tried(240)
    found = after(runs)
    assert found.standing is Standing.TRIAL
    assert found.held_out is not None and found.held_out.code is ReasonCode.ONE_MORE_WITHOUT
    gains, was_slow = (after([*runs, night(5, seconds), night(6, 240, 1.05, trial=True)]) for seconds in (600, 240))
    assert (gains.standing, gains.why.code) == (Standing.PROMOTED, ReasonCode.FASTER)
    assert (was_slow.standing, was_slow.why.code) == (Standing.ROLLED_BACK, ReasonCode.NO_GAIN)


@pytest.mark.parametrize("cpu", [1.0, 1.05, 1.1, 1.2])
def test_a_faster_clock_takes_no_change_out_that_a_slower_one_leaves(cpu: float) -> None:
    stays = [after(tried(s, cpu)).standing is not Standing.ROLLED_BACK for s in (590, 520, 450, 360, 240, 150, 100)]
    assert stays == sorted(stays)
    assert stays[-1]


def test_what_neither_clock_nor_processors_gain_goes_as_before() -> None:
    found = after(tried(590))
    assert (found.standing, found.why.code) == (Standing.ROLLED_BACK, ReasonCode.NO_GAIN)
