"""A replay of the logs that live runs left finds the decisions that steered them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.nightly import START_MS, Nightly, Spark
from tuner.eventlog.find import find_logs
from tuner.history.store import Store
from tuner.loop.loop import complete
from tuner.model.decision import Decision, Mode, Standing
from tuner.model.run import Run
from tuner.replay.cohort_replay import CohortReplay
from tuner.replay.local import LocalReplay
from tuner.replay.run_in_effect import run_in_effect
from tuner.replay.run_selection import RunSelection
from tuner.replay.walk import Walker
from tuner.words.decisions import decision_summary

DAY_MS = 86_400_000
# Seconds of each night, without the change and with it.
NIGHTS = {
    "wins": [(7, 4)] * 6,
    "loses": [(7, 20)] * 5,
    "wins, then the machine slows down": [(7, 4), (7, 4), (7, 4), (7, 9), (7, 9), (7, 9)],
    "does nothing": [(7, 7)] * 6,
}


class Nights(Nightly):
    """Live nights, a day apart; their logs are in `events`."""

    count = 0

    def run(self, seconds: float, steered_seconds: float, error: str | None = None, try_number: int = 1) -> Decision:
        self.count += try_number == 1
        turn = self.prepare(f"etl/{self.count}/load/-1/{try_number}")
        in_force = bool(turn.decision.in_force)
        start = START_MS + self.count * DAY_MS + try_number * 3_600_000
        took = steered_seconds if in_force else seconds
        Spark(took, broadcast=in_force, error=error, start_ms=start).run(turn)
        complete(turn, self.url, failed=error is not None)
        return turn.decision

    @property
    def runs(self) -> list[Run]:
        with Store.open(self.url) as store:
            return store.runs(self.cohort)


def replayed(directory: Path, walker: Walker | None = None, chosen: RunSelection | None = None) -> LocalReplay:
    replay = LocalReplay(walker or Walker(agent=False), chosen=chosen or RunSelection())
    replay.read(find_logs(directory))
    cohorts = replay.cohort_count
    assert len(list(replay.walk())) == cohorts
    return replay


def decisions(replay: LocalReplay) -> list[Decision]:
    """As the runs had them."""
    pairs = zip(replay.logged("etl.load"), replay.runs("etl.load"), strict=True)
    return [run_in_effect(found.decision, logged).decision for logged, found in pairs]


def only(replay: LocalReplay) -> CohortReplay:
    (cohort,) = replay.summary.cohorts
    return cohort


@pytest.fixture
def nights(tmp_path: Path) -> Nights:
    return Nights(tmp_path)


@pytest.mark.parametrize("seconds", NIGHTS.values(), ids=NIGHTS)
def test_the_decisions_are_those_of_the_live_runs(nights: Nights, seconds: Sequence[tuple[float, float]]) -> None:
    live = [nights.run(*pair) for pair in seconds]
    assert any(decision.in_force for decision in live)
    replay = replayed(nights.root / "events")
    assert decisions(replay) == live == [run.decision for run in nights.runs]
    assert (only(replay).live, only(replay).as_live) == (len(live), len(live))
    assert replay.summary.problems == ()


def test_the_decision_to_come_is_that_of_the_next_live_run(nights: Nights) -> None:
    for _ in range(2):
        nights.run(7, 4)
    assert only(replayed(nights.root / "events")).next == nights.prepare("etl/3/load/-1/1").decision


# What a trial's run failed of, and what is in force in the run after its retry.
FAILURES = {
    "out of memory": True,
    "Could not execute broadcast in 300 secs. You can increase": False,
    "Job 1 cancelled killed via the Web UI": True,
}


@pytest.mark.parametrize(("error", "tried_again"), FAILURES.items())
def test_a_failed_run_and_its_retry_are_decided_alike(nights: Nights, error: str, tried_again: bool) -> None:
    live = [nights.run(7, 4), nights.run(7, 4, error=error), nights.run(7, 4, try_number=2), nights.run(7, 4)]
    found = decisions(replayed(nights.root / "events"))
    assert found == live
    assert [bool(decision.in_force) for decision in found] == [False, True, False, tried_again]


def test_a_setting_of_the_users_own_keeps_out_what_it_kept_out_live(nights: Nights) -> None:
    nights.user_conf = {"spark.sql.autoBroadcastJoinThreshold": "1000"}
    live = [nights.run(7, 4) for _ in range(3)]
    assert decisions(replayed(nights.root / "events")) == live


def test_what_a_live_run_measured_of_its_changes_is_in_the_backtest(nights: Nights) -> None:
    for _ in range(3):
        nights.run(7, 4)
    replay = replayed(nights.root / "events")
    (observed,) = only(replay).observed
    # The clock says 7 s before, processors say the same as after.
    assert 4 < observed.before < 7
    assert (observed.after, observed.by_tuner) == (4.0, True)
    assert (observed.advised_in, observed.seen_in) == ("etl/2/load/-1/1", "etl/2/load/-1/1")
    assert observed.predicted.before == observed.before
    assert replay.summary.backtest is not None
    assert (replay.summary.backtest.pairs, replay.summary.backtest.right) == (1, 1.0)


def test_runs_that_observed_show_what_they_lacked(nights: Nights) -> None:
    nights.mode = Mode.OBSERVE
    for _ in range(3):
        assert not nights.run(7, 4).in_force
    replay = replayed(nights.root / "events")
    runs = list(replay.runs())
    assert [decision_summary(run.decision) for run in runs] == ["first run: observed", "1 on trial", "1 on trial"]
    assert [run.as_live for run in runs] == [True, False, False]
    assert runs[0].predicted_seconds is None
    predicted = runs[1].predicted_seconds
    assert predicted is not None
    assert predicted.before == runs[1].actual_seconds == 7.0
    assert predicted.low <= predicted.after < predicted.before and predicted.after < predicted.high
    (advised,) = only(replay).advised
    assert (advised.runs, advised.seconds.before) == (2, 14.0)
    assert advised.core_hours == pytest.approx(2 * predicted.gain * 2 / 3600)
    assert {d.standing for d in advised.last} == {Standing.TRIAL}


def test_what_is_left_out_is_not_looked_back_at(nights: Nights) -> None:
    nights.mode = Mode.OBSERVE
    for _ in range(4):
        nights.run(7, 4)
    replay = replayed(nights.root / "events", chosen=RunSelection(months=1.5 / 30))
    assert [decision_summary(run.decision) for run in replay.runs()] == ["first run: observed", "1 on trial"]
    assert replayed(nights.root / "events", chosen=RunSelection(cohort="other.*")).summary.cohorts == ()
