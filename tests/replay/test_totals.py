"""What a cohort's replayed runs come to."""

from __future__ import annotations

import pytest

from tests.policy.histories import MIDNIGHT, advised, hint, recommend
from tuner.model.change import Prediction
from tuner.model.cluster import Cluster
from tuner.model.decision import DecidedChange, Decision, Mode, Standing
from tuner.model.run import Outcome, RunState
from tuner.replay.cohort_replay import CohortReplay, Lacked, ReplayedRun, Upcoming
from tuner.replay.held_cores import held_cores
from tuner.replay.totals import CohortTotals

(CHANGE,) = advised(recommend(hint("q1")))
(NEXT,) = advised(recommend(hint("q2")))
GAIN = Prediction(before=800.0, after=400.0, low=300.0, high=500.0)


def found(clock_share: float) -> CohortReplay:
    """Of one run of 800 s of queries on 8 cores that lacked a hint, and one to come that would have another one, too."""
    lacked = tuple(Lacked((change.id,), GAIN) for change in (CHANGE, NEXT))
    decision, to_come = (
        Decision(Mode.AUTO, tuple(DecidedChange(one, Standing.TRIAL, one.reason) for one in changes))
        for changes in ((CHANGE,), (CHANGE, NEXT))
    )
    totals = CohortTotals("etl")
    totals.take(
        ReplayedRun(
            key="etl/0/1",
            cohort="etl",
            log="",
            app_id="app",
            started_at=MIDNIGHT,
            state=RunState.SUCCEEDED,
            cluster=Cluster(cores=8),
            decision=decision,
            lacked=lacked[:1],
            predicted_seconds=GAIN,
            actual_seconds=800.0,
            clock_share=clock_share,
        )
    )
    return totals.result(Upcoming(to_come, lacked, GAIN, 8 * clock_share))


@pytest.mark.parametrize("clock_share", [1.0, 1 / 8])
def test_cores_are_counted_once_for_queries_that_ran_at_once(clock_share: float) -> None:
    replay, cores = found(clock_share), 8 * clock_share
    assert replay.query_seconds == 800 and replay.saved and replay.saved.gain == 400
    assert replay.core_hours == pytest.approx(800 * cores / 3600)
    assert replay.saved_core_hours == pytest.approx(400 * cores / 3600)
    assert [advised.core_hours for advised in replay.advised] == pytest.approx([400 * cores / 3600] * 2)


@pytest.mark.parametrize(
    ("allocated_core_ms", "cores"),
    [(None, 8.0), (1_000_000 * 4, 4.0), (1_000_000 * 9, 8.0)],
    ids=["untold", "half", "cap"],
)
def test_cores_are_those_held_on_average(allocated_core_ms: int | None, cores: float) -> None:
    """Under dynamic allocation a cluster is seldom at its largest."""
    held = Outcome("app", "4.0.1", 1_000_000, Cluster(cores=8), (), {}, allocated_core_ms=allocated_core_ms)
    assert held_cores(held) == cores
