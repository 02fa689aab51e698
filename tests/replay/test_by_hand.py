"""Runs that nothing steered: what they lacked, and what somebody changed by hand after it had been advised."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.nightly import START_MS, Nightly, Spark
from tests.replay.test_live_histories import DAY_MS, Nights, only, replayed
from tuner.model.decision import Mode, Standing
from tuner.model.run import RunState
from tuner.spark.run_tags import CHANGES, KEY
from tuner.steering.submit_conf import EVENT_LOG_DIR
from tuner.words.decisions import decision_summary

STATIC = "spark.sql.autoBroadcastJoinThreshold"
ADAPTIVE = "spark.sql.adaptive.autoBroadcastJoinThreshold"


def night(
    directory: Path,
    number: int,
    seconds: float,
    *,
    broadcast: bool = False,
    conf: Mapping[str, str] | None = None,
    **more: object,
) -> None:
    """A plain run; where it broadcasts, because somebody set the thresholds."""
    conf = {EVENT_LOG_DIR: directory.as_uri(), "spark.master": "local[2]", "spark.driver.memory": "4g", **(conf or {})}
    if broadcast:
        conf |= {STATIC: "20m", ADAPTIVE: "10m"}
    spark = Spark(seconds, broadcast=broadcast, start_ms=START_MS + number * DAY_MS, **more)  # type: ignore[arg-type]
    spark.write(conf, f"local-{number}")


def three_nights(directory: Path) -> Path:
    """The logs of a job's first three nights."""
    directory.mkdir()
    for number in range(3):
        night(directory, number, 7)
    return directory


def test_nothing_was_in_force_and_what_was_advised_is_counted(tmp_path: Path) -> None:
    for number in range(3):
        night(tmp_path, number, 7)
    replay = replayed(tmp_path)
    first, second, third = replay.runs()
    assert (first.cohort, first.key, first.as_live, first.predicted_seconds) == ("etl", "local-0/1", None, None)
    assert decision_summary(first.decision) == "first run: observed"
    for run in (second, third):
        assert {d.standing for d in run.decision.changes} == {Standing.TRIAL}
        assert (run.in_force, len(run.lacked), run.actual_seconds) == ((), 1, 7.0)
    cohort = only(replay)
    assert (cohort.live, cohort.runs, cohort.measured, cohort.query_seconds) == (0, 3, 3, 21.0)
    assert cohort.saved is not None
    assert cohort.saved.before == 14.0
    assert decision_summary(cohort.next) == "1 on trial"
    assert cohort.core_hours == pytest.approx(21 * 2 / 3600)
    # Two cores from the start to the application's end, half a second after its query's.
    assert first.allocated_core_hours == pytest.approx(7.5 * 2 / 3600)
    assert (cohort.allocated_core_hours, cohort.allocated_runs) == (pytest.approx(22.5 * 2 / 3600), 3)


def nights_with(conf: Mapping[str, str], root: Path) -> Path:
    """The logs of a job that has set something, and is only looked at."""
    (root / "events").mkdir()
    job = Nightly(root, mode=Mode.OBSERVE, user_conf=conf)
    for number in range(3):
        job.night(f"etl/{number}/load/-1/1", Spark(start_ms=START_MS + number * DAY_MS))
    return root / "events"


def test_what_a_run_had_set_is_counted_apart(tmp_path: Path) -> None:
    """Live runs leave a property that the job sets as it is; a log does not tell whether it was the job."""
    replay = replayed(nights_with({STATIC: "10485760"}, tmp_path))
    cohort = only(replay)
    assert [run.predicted_seconds for run in replay.runs()] == [None] * 3
    assert (cohort.saved, cohort.saved_core_hours, cohort.next_saved) == (None, 0.0, None)
    (advised,) = cohort.advised
    assert advised.already_set == cohort.next_already_set == {STATIC: "10485760"}
    assert (advised.runs, cohort.saved_if_unset) == (2, pytest.approx(advised.seconds.gain))
    assert cohort.saved_core_hours_if_unset == pytest.approx(advised.core_hours) and advised.core_hours > 0
    assert cohort.next_saved_if_unset == pytest.approx(advised.seconds.gain / 2)


def test_runs_that_had_set_it_are_told_apart_from_those_that_had_not(tmp_path: Path) -> None:
    for number in range(4):
        night(tmp_path, number, 7, conf={STATIC: "10485760"} if number == 3 else {})
    cohort = only(replayed(tmp_path))
    assert [(a.runs, dict(a.already_set)) for a in cohort.advised] == [(2, {}), (1, {STATIC: "10485760"})]
    assert cohort.saved and cohort.saved.gain == pytest.approx(2 * cohort.saved_if_unset)


def test_what_the_tuner_set_is_no_setting_of_the_run(tmp_path: Path) -> None:
    nights = Nights(tmp_path)
    for _ in range(4):
        nights.run(7, 4)
    cohort = only(replayed(tmp_path / "events"))
    assert (cohort.saved_if_unset, cohort.next_saved_if_unset, dict(cohort.next_already_set)) == (0.0, 0.0, {})


def test_a_change_that_somebody_made_later_is_compared_with_what_was_predicted(tmp_path: Path) -> None:
    for number in range(3):
        night(tmp_path, number, 7)
    for number in (3, 4):
        night(tmp_path, number, 4, broadcast=True)
    replay = replayed(tmp_path)
    (observed,) = only(replay).observed
    assert (observed.before, observed.after, observed.by_tuner) == (pytest.approx(7, rel=0.01), 4.0, False)
    assert (observed.advised_in, observed.seen_in) == ("local-3/1", "local-3/1")
    assert STATIC in observed.words
    # What the runs with it were given is not theirs: nothing was in force in them.
    assert [run.in_force for run in replay.runs()] == [()] * 5
    # Nor did they lack it.
    assert [len(run.lacked) for run in replay.runs()] == [0, 1, 1, 0, 0]


def test_a_change_that_was_there_from_the_start_was_never_advised(tmp_path: Path) -> None:
    for number in range(3):
        night(tmp_path, number, 4, broadcast=True)
    assert only(replayed(tmp_path)).observed == ()


def test_a_run_that_had_not_ended_is_not_known_to_the_next(tmp_path: Path) -> None:
    long = 2 * DAY_MS / 1e3
    night(tmp_path, 0, long)
    night(tmp_path, 1, long)
    night(tmp_path, 10, 7)
    first, second, third = replayed(tmp_path).runs()
    assert decision_summary(first.decision) == "first run: observed"
    assert decision_summary(second.decision) == "no earlier run's log has been read: observed"
    assert decision_summary(third.decision) == "nothing to change"


def test_failed_and_broken_off_runs_are_shown_and_are_no_evidence(tmp_path: Path) -> None:
    night(tmp_path, 0, 7, error="org.apache.spark.SparkException: out of memory")
    night(tmp_path, 1, 7, ended=False)
    night(tmp_path, 2, 7)
    replay = replayed(tmp_path)
    assert [run.state for run in replay.runs()] == [RunState.FAILED, RunState.PARTIAL, RunState.SUCCEEDED]
    assert [run.actual_seconds for run in replay.runs()] == [None, None, 7.0]
    (unread,) = replay.summary.unread
    assert "not whole" in unread.why
    assert only(replay).measured == 1


def test_a_log_given_twice_counts_once_and_the_whole_one_is_taken(tmp_path: Path) -> None:
    night(tmp_path, 0, 7)
    whole = (tmp_path / "local-0").read_text()
    (tmp_path / "a-copy").write_text(whole[: len(whole) - 150])
    replay = replayed(tmp_path)
    (run,) = replay.runs()
    assert (run.state, Path(run.log).name) == (RunState.SUCCEEDED, "local-0")
    assert [Path(u.log).name for u in replay.summary.unread] == ["a-copy"]


def test_a_log_cannot_give_itself_a_place_in_time_that_is_none(tmp_path: Path) -> None:
    night(tmp_path, 0, 7)
    hostile = (tmp_path / "local-0").read_text().replace(str(START_MS), "9" * 17).replace("local-0", "local-9")
    (tmp_path / "local-9").write_text(hostile)
    replay = replayed(tmp_path)
    assert [run.key for run in replay.runs()] == ["local-0/1"]
    assert "when that started" in replay.summary.unread[0].why


def test_a_hostile_key_is_only_a_name(tmp_path: Path) -> None:
    conf = {EVENT_LOG_DIR: tmp_path.as_uri(), KEY: "../../etc/passwd/-1/99999999999999999999", CHANGES: "another"}
    Spark(start_ms=START_MS).write(conf, "local-0")
    (run,) = replayed(tmp_path).runs()
    assert run.key == conf[KEY]
    assert run.as_live is False


def test_one_run_alone_tells_what_the_next_would_save(tmp_path: Path) -> None:
    night(tmp_path, 0, 7)
    cohort = only(replayed(tmp_path))
    assert (cohort.saved, decision_summary(cohort.next)) == (None, "1 on trial")
    assert cohort.next_saved is not None
    assert cohort.next_saved.before == 7.0
    (advised,) = cohort.advised
    assert (advised.runs, advised.seconds) == (0, cohort.next_saved)
    assert advised.core_hours == pytest.approx(cohort.next_saved.gain * 2 / 3600)


def test_what_runs_lacked_already_is_not_told_again_of_the_next(tmp_path: Path) -> None:
    for number in range(2):
        night(tmp_path, number, 7)
    assert [advised.runs for advised in only(replayed(tmp_path)).advised] == [1]


def test_a_number_that_no_file_can_hold_stops_no_other_log(tmp_path: Path) -> None:
    night(tmp_path, 0, 7)
    text = (tmp_path / "local-0").read_text()
    (tmp_path / "local-1").write_text(
        text.replace("local-0", "local-1").replace("57234440", "9" * 18).replace("[14,", "[14,9")
    )
    wild = text.replace("local-0", "local-2").replace("1430861", str((1 << 63) - 1))
    (tmp_path / "local-2").write_text(wild)
    replay = replayed(tmp_path)
    assert "local-0/1" in [run.key for run in replay.runs()]
    told = {Path(u.log).name for u in replay.summary.unread} | {run.app_id for run in replay.runs()}
    assert told == {"local-0", "local-1", "local-2"}
