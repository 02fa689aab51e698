"""Trial, promoted, rolled back: what history says of each action."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

import pytest

from tuner.model.action import Hint
from tuner.model.decision import IN_FORCE, TAKEN_OUT, DecidedChange, Standing
from tuner.model.failure import Failure, FailureKind
from tuner.model.reason import ReasonCode
from tuner.model.run import Run, RunState
from tuner.model.verdict import Ruling
from tuner.policy.evidence.comparison import MAX_TRIALS
from tuner.policy.judging.judge_unmeasured import LONGEST_IDLE
from tuner.policy.ledger import read_ledger
from tuner.policy.record import Record
from tuner.policy.same_target import same_target

from .histories import GB, MIDNIGHT, conf, decided, hint, late_upstream, recommend, run, told, verdict

ACTION = hint("q1")
CONF = conf()
BASE = run(0, {"q1": 10, "q2": 10})


def record(*runs: Run, of: str = ACTION.id) -> Record:
    return read_ledger(runs)[of]


def on_trial(night: int, q1: float, **kwargs: object) -> Run:
    return run(night, {"q1": q1, "q2": 10}, decided(ACTION), **kwargs)  # type: ignore[arg-type]


def promoted(night: int, q1: float, **kwargs: object) -> Run:
    return run(night, {"q1": q1, "q2": 10}, decided(ACTION, Standing.PROMOTED), **kwargs)  # type: ignore[arg-type]


def test_what_was_never_in_force_has_no_record() -> None:
    proposed = run(1, {"q1": 10}, decided(ACTION, Standing.PROPOSED), decided(CONF, Standing.HELD))
    assert read_ledger([BASE, proposed]) == {}


@pytest.mark.parametrize("standing", sorted(IN_FORCE | TAKEN_OUT))
def test_what_was_in_force_or_taken_out_has_one(standing: Standing) -> None:
    assert ACTION.id in read_ledger([BASE, run(1, {"q1": 10}, decided(ACTION, standing))])


def test_faster_beyond_noise_is_promoted_and_says_by_how_much() -> None:
    found = record(BASE, on_trial(1, 5))
    assert found.standing is Standing.PROMOTED
    assert told(found) == "1 query took 5.0 s instead of 10.0 s (over 99% sure of a gain)"
    assert found.gain_seconds == pytest.approx(5, rel=0.02)


def test_a_slow_machine_is_said_beside_what_its_night_would_have_taken() -> None:
    found = record(BASE, run(1, {"q1": 5, "q2": 15}, decided(ACTION)))
    assert re.search(
        r"took 5.0 s instead of (14.[6-9]|15.0) s .*, on a machine (4[6-9]|50)% slower than usual$", told(found)
    )
    assert found.gain_seconds == pytest.approx(10, rel=0.05)  # of the 15 s it would have taken that night


def test_changes_tried_together_on_one_query_do_not_claim_its_gain_each_alone() -> None:
    together, alone = decided(ACTION), decided(hint("q1", "dim"))
    found = read_ledger([BASE, run(1, {"q1": 5, "q2": 10}, together, alone)])
    assert {told(r) for r in found.values()} == {
        "1 query took 5.0 s instead of 10.0 s (over 99% sure of a gain), together with 1 other change"
    }


def test_slower_beyond_noise_is_rolled_back_and_says_by_how_much() -> None:
    found = record(BASE, on_trial(1, 16))
    assert found.standing is Standing.ROLLED_BACK
    assert told(found) == "slower: query q1 took 16.0 s instead of 10.0 s (over 99% sure) in run etl/1/1"
    (loss,) = found.losses
    assert (loss.input_bytes, loss.of_query) == (GB, True), "of the two that the run read"
    assert (found.now.lost_with, found.now.lost_reading) == ((), (GB,))


def test_within_noise_it_is_tried_again_but_not_for_ever() -> None:
    nights = [on_trial(n, 10) for n in range(1, MAX_TRIALS + 1)]
    assert record(BASE, *nights[:-1]).standing is Standing.TRIAL
    found = record(BASE, *nights)
    assert found.standing is Standing.ROLLED_BACK
    assert f"{MAX_TRIALS} runs" in told(found)


def test_a_trial_ends_once_a_gain_is_unlikely_which_one_night_does_not_tell() -> None:
    assert record(BASE, on_trial(1, 10.8)).standing is Standing.TRIAL
    found = record(BASE, on_trial(1, 10.8), on_trial(2, 10.8))
    assert found.standing is Standing.ROLLED_BACK
    assert re.fullmatch(
        r"1 query took 10.8 s instead of 10.0 s \(2\d% sure of a gain\): a gain is unlikely, so it is not tried further",
        told(found),
    )
    assert [loss.input_bytes for loss in found.losses] == [GB], "it may come back with other inputs"
    assert record(BASE, on_trial(1, 10.8), on_trial(2, 9.6)).standing is Standing.TRIAL


def test_what_was_predicted_counts_in_whether_a_gain_is_unlikely() -> None:
    (change,) = recommend(ACTION, before=10, after=5)
    foretold = DecidedChange(change, Standing.TRIAL, change.reason)
    nights = [run(n, {"q1": 10.7, "q2": 10}, foretold) for n in (1, 2)]
    assert record(BASE, *nights).standing is Standing.TRIAL
    assert record(BASE, *(on_trial(n, 10.7) for n in (1, 2))).standing is Standing.ROLLED_BACK


def test_what_can_never_be_measured_is_not_tried_for_ever() -> None:
    lost = [run(n, None, decided(ACTION), state=RunState.LOST) for n in range(1, MAX_TRIALS + 1)]
    assert record(BASE, *lost[:-1]).standing is Standing.TRIAL
    assert record(BASE, *lost).standing is Standing.ROLLED_BACK
    other_queries = [run(n, {"q9": 10}, decided(ACTION)) for n in range(1, LONGEST_IDLE + MAX_TRIALS + 1)]
    assert record(BASE, *other_queries[:LONGEST_IDLE]).trials == 0, "a query of each month comes back"
    assert record(BASE, *other_queries).standing is Standing.ROLLED_BACK


def test_a_night_that_found_nothing_to_read_is_none_of_its_trials() -> None:
    empty = [late_upstream(n, decided(ACTION)) for n in range(2, 2 + MAX_TRIALS)]
    found = record(BASE, on_trial(1, 9.7), *empty)
    assert (found.standing, found.trials) == (Standing.TRIAL, 1)
    assert record(BASE, *empty).trials == 0
    assert record(BASE, *empty, on_trial(9, 5)).standing is Standing.PROMOTED
    after_all = [late_upstream(n, decided(CONF, queries=[])) for n in range(1, MAX_TRIALS + 1)]
    assert record(BASE, *after_all, of=CONF.id).standing is Standing.TRIAL, "a property that names no query"
    not_counted = [late_upstream(n, *([decided(ACTION)] if n else [])) for n in range(MAX_TRIALS + 1)]
    assert record(*not_counted).standing is Standing.ROLLED_BACK, "a source whose bytes are not counted"


def test_a_run_without_any_query_is_none_of_its_trials() -> None:
    """A job that looks for new files, finds none, and ends."""
    for action, of in ((ACTION, decided(ACTION)), (CONF, decided(CONF, queries=["q1"]))):
        idle = [run(n, {}, of) for n in range(2, LONGEST_IDLE + MAX_TRIALS + 1)]
        tried = run(1, {"q1": 9.7, "q2": 10}, of)
        found = record(BASE, tried, *idle[:LONGEST_IDLE], of=action.id)
        assert (found.standing, found.trials) == (Standing.TRIAL, 1)
        assert record(BASE, tried, *idle, of=action.id).standing is Standing.ROLLED_BACK, "not for ever"


def test_a_likely_gain_that_is_not_sure_is_held_against_one_more_run_without_it() -> None:
    trials = [on_trial(n, 9.3) for n in range(1, MAX_TRIALS + 1)]
    found = record(BASE, *trials)
    assert (found.standing, found.now.standing) == (Standing.TRIAL, Standing.HELD)
    assert told(found.now).endswith(
        f"left out once, to compare: {MAX_TRIALS} runs with it did not show whether it helps"
    )
    without = run(MAX_TRIALS + 1, {"q1": 10.5, "q2": 10})
    assert record(BASE, *trials, without).now.standing is Standing.TRIAL
    gains, does_not = (on_trial(MAX_TRIALS + 2, seconds) for seconds in (9.3, 11.0))
    assert record(BASE, *trials, without, gains).standing is Standing.PROMOTED
    assert record(BASE, *trials, without, does_not).standing is Standing.ROLLED_BACK
    as_slow = run(MAX_TRIALS + 1, {"q1": 9.3, "q2": 10})
    neither = record(BASE, *trials, as_slow, on_trial(MAX_TRIALS + 2, 9.3))
    assert told(neither) == f"no gain beyond noise in {MAX_TRIALS + 1} runs", "as many as had it"


def test_what_never_ran_without_is_left_out_of_one_run_before_it_is_given_up() -> None:
    unknown = run(0, {"q2": 10})
    trials = [on_trial(n, 5) for n in range(1, MAX_TRIALS + 1)]
    assert record(unknown, *trials).now.standing is Standing.HELD
    without = run(MAX_TRIALS + 1, {"q1": 10, "q2": 10})
    assert record(unknown, *trials, without, on_trial(MAX_TRIALS + 2, 5)).standing is Standing.PROMOTED
    assert record(unknown, *trials, on_trial(MAX_TRIALS + 2, 5)).standing is Standing.ROLLED_BACK


@pytest.mark.parametrize("seconds", [None, {"q1": 1.0}])
def test_a_run_that_failed_twice_with_a_trial_rolls_it_back(seconds: dict[str, float] | None) -> None:
    nights = [run(n, seconds, decided(ACTION), state=RunState.FAILED, input_bytes=1000) for n in (1, 3)]
    clean = run(2, {"q1": 10.0, "q2": 10.0})
    assert record(BASE, nights[0], clean).standing is Standing.TRIAL
    found = record(BASE, nights[0], clean, nights[1])
    assert found.standing is Standing.ROLLED_BACK
    assert "etl/3/1" in told(found)
    assert [loss.input_bytes for loss in found.losses] == [GB], (
        "its input is the job's, not what the failed run came to read"
    )


def test_a_run_whose_log_breaks_off_though_it_succeeded_measures_nothing() -> None:
    nights = [run(n, {"q1": 1.0}, decided(ACTION), state=RunState.PARTIAL) for n in range(1, MAX_TRIALS + 1)]
    assert record(BASE, *nights[:-1]).standing is Standing.TRIAL
    assert "could not be measured" in told(record(BASE, *nights))


def lost(night: int) -> Run:
    return run(night, None, decided(ACTION), state=RunState.LOST)


def broken_off(night: int) -> Run:
    return on_trial(night, 1, state=RunState.PARTIAL)


@pytest.mark.parametrize("untold", [lost, broken_off])
@pytest.mark.parametrize(("before", "with_it"), [({"q1": 10, "q2": 10}, 9.3), ({"q2": 10}, 5)])
def test_a_lost_log_does_not_throw_out_what_other_nights_have_shown(
    untold: Callable[[int], Run], before: dict[str, float], with_it: float
) -> None:
    nights = [run(0, before), *(on_trial(n, with_it) for n in (1, 2, 3)), untold(4)]
    found = record(*nights)
    assert (found.now.standing, found.trials) == (Standing.TRIAL, 3)
    nights.append(on_trial(5, with_it))
    assert record(*nights).now.standing is Standing.HELD, (
        "the fourth that tells is held against one more run without it"
    )
    nights += [run(6, {"q1": 10.5, "q2": 10}), untold(7)]
    assert record(*nights).now.standing is Standing.TRIAL
    assert record(*nights, on_trial(8, with_it)).standing is Standing.PROMOTED
    nights += [untold(8), untold(9)]
    assert record(*nights).now.standing is Standing.TRIAL
    assert told(record(*nights, untold(10))) == "it could not be measured in 4 runs"


def test_lost_logs_of_what_was_proven_are_none_of_its_trials_in_another_context() -> None:
    """A run that is to have larger heaps has on trial what is proven in the runs before it."""
    proven = [run(n, None, decided(ACTION, Standing.PROMOTED), state=RunState.LOST) for n in range(2, 2 + MAX_TRIALS)]
    assert record(BASE, on_trial(1, 5), *proven, lost(9)).standing is Standing.TRIAL


def test_a_job_that_fails_without_the_trial_too_says_nothing_against_it() -> None:
    again = run(1, None, state=RunState.FAILED, try_number=2)
    assert record(BASE, on_trial(1, 1, state=RunState.FAILED), again).standing is Standing.TRIAL


def test_a_failure_without_a_word_takes_a_promoted_action_out_when_two_in_a_row_do_not_come_without_it() -> None:
    before = [BASE, on_trial(1, 5)]
    failed, again = (promoted(n, 1, state=RunState.FAILED) for n in (2, 3))
    clean = {n: run(n, {"q1": 10, "q2": 10}, try_number=2) for n in (2, 3)}
    broken = run(3, {"q1": 10, "q2": 10}, try_number=2, state=RunState.FAILED)
    assert record(*before, failed, clean[2]).standing is Standing.PROMOTED
    assert record(*before, failed, again).standing is Standing.PROMOTED
    assert record(*before, failed, clean[2], again, broken).standing is Standing.PROMOTED
    found = record(*before, failed, clean[2], again)
    assert found.standing is Standing.ROLLED_BACK
    assert told(found).endswith(
        "failed with this change after 11.0 s; an earlier run with it failed, too, and the run after that succeeded without it"
    )


def test_a_run_that_succeeds_with_a_promoted_action_clears_it_and_one_that_tells_nothing_does_not() -> None:
    before = [BASE, on_trial(1, 5)]
    suspect = [*before, promoted(2, 1, state=RunState.FAILED), run(2, {"q1": 10, "q2": 10}, try_number=2)]
    again = [promoted(5, 1, state=RunState.FAILED), run(5, {"q1": 10, "q2": 10}, try_number=2)]
    assert record(*suspect, promoted(3, 5), *again).standing is Standing.PROMOTED
    lost = run(3, None, decided(ACTION, Standing.PROMOTED), state=RunState.LOST)
    outside = promoted(4, 1, state=RunState.FAILED, failure=Failure(FailureKind.INPUT_MISSING, "an input was missing"))
    assert record(*suspect, lost, outside, *again).standing is Standing.ROLLED_BACK


def test_beside_a_trial_the_trial_is_blamed_first() -> None:
    nights = []
    for night in (2, 3):
        nights.append(run(night, None, decided(ACTION, Standing.PROMOTED), decided(CONF), state=RunState.FAILED))
        nights.append(run(night, {"q1": 10, "q2": 10}, try_number=2))
    records = read_ledger([BASE, on_trial(1, 5), *nights])
    assert records[CONF.id].standing is Standing.ROLLED_BACK
    assert records[ACTION.id].standing is Standing.PROMOTED


def test_a_severe_night_leaves_what_is_proven_out_of_one_run_and_a_second_one_takes_it_out() -> None:
    before = [BASE, on_trial(1, 5), promoted(2, 5)]
    severe = record(*before, promoted(3, 30))
    assert (severe.standing, severe.now.standing) == (Standing.PROMOTED, Standing.HELD)
    assert severe.now.held and severe.now.held.code is ReasonCode.HELD_OUT
    without = run(4, {"q1": 10, "q2": 10}, decided(ACTION, Standing.HELD))
    assert record(*before, promoted(3, 30), without).now.standing is Standing.PROMOTED
    assert record(*before, promoted(3, 30), without, promoted(5, 5)).standing is Standing.PROMOTED
    assert record(*before, promoted(3, 30), without, promoted(5, 30)).standing is Standing.ROLLED_BACK


@pytest.mark.parametrize("gained", [0.5, 0.7, 0.9])
@pytest.mark.parametrize("slow", [[2.0], [1.6], [1.3, 1.3]])
def test_a_slow_night_is_told_beside_what_the_query_takes_without_it(gained: float, slow: list[float]) -> None:
    """What that night itself taught of the change counts once, also where it was the second one as slow."""
    before = [BASE, on_trial(1, 10 * gained), *(promoted(n, 10 * gained) for n in range(2, 10))]
    held = record(*before, *(promoted(10 + n, 10 * times) for n, times in enumerate(slow))).held_out
    assert held and held.numbers["seconds"] == 10 * slow[-1]
    assert held.numbers["expected_seconds"] == pytest.approx(10, rel=0.05)


def test_a_night_that_found_nothing_to_read_is_no_run_without_it() -> None:
    out = decided(ACTION, Standing.HELD)
    severe = [BASE, on_trial(1, 5), promoted(2, 5), promoted(3, 30)]
    empty, without = late_upstream(4, out), run(5, {"q1": 10, "q2": 10}, out)
    assert record(*severe, empty).now.standing is Standing.HELD
    assert record(*severe, empty, without).now.standing is Standing.PROMOTED
    assert record(*severe, empty, without, promoted(6, 30)).standing is Standing.ROLLED_BACK
    not_run = run(4, {"q2": 10}, out)
    assert record(*severe, not_run).now.standing is Standing.HELD, "a run without its query tells nothing"
    assert record(*severe, not_run, replace(without, key="5")).now.standing is Standing.PROMOTED


@pytest.mark.parametrize("instances", [["A", "B"], ["A", "C"], ["A", "B", "C"]])
def test_runs_that_began_before_one_had_told_do_not_take_back_what_it_told(instances: list[str]) -> None:
    """Mapped instances: the one that was slow is the last to end, and the last to begin knows nothing of it."""
    minutes = {"A": (0, 120, 30.0), "B": (5, 10, 5.0), "C": (60, 70, 5.0)}

    def instance(name: str) -> Run:
        start, end, seconds = minutes[name]
        night = MIDNIGHT + timedelta(days=3)
        started, ended = night + timedelta(minutes=start), night + timedelta(minutes=end)
        return replace(promoted(3, seconds), key=f"etl/{name}/1", started_at=started, ended_at=ended)

    before = [BASE, on_trial(1, 5), promoted(2, 5)]
    found = record(*before, *map(instance, instances))
    assert found.now.standing is Standing.HELD
    assert found.judged_at == instance("A").ended_at


def test_a_clock_that_was_far_ahead_does_not_keep_later_runs_from_telling() -> None:
    lost = [BASE, replace(on_trial(1, 30), ended_at=MIDNIGHT + timedelta(days=9999))]
    assert record(*lost).standing is Standing.ROLLED_BACK
    pinned = run(4, {"q1": 30, "q2": 10}, decided(ACTION, Standing.PINNED))
    found = record(*lost, pinned)
    assert (found.standing, found.judged_at) == (Standing.PINNED, pinned.ended_at)


def test_a_night_that_only_the_clock_found_slow_says_nothing_against_what_is_proven() -> None:
    before = [BASE, on_trial(1, 5), promoted(2, 5)]
    busy = with_cpu(promoted(3, 30), {"q1": 5.0, "q2": 10.0})
    found = record(*(with_cpu(one, {}) for one in before), busy)
    assert (found.standing, found.held_out) == (Standing.PROMOTED, None)


def with_cpu(one: Run, seconds: dict[str, float]) -> Run:
    """A run whose log tells time of processors: of 8 cores, all of which compute for as long as the clock says, or as given."""
    assert one.outcome
    queries = (
        replace(q, executor_cpu_ms=int(8e3 * took), executor_run_ms=int(8e3 * took))
        for q in one.outcome.queries
        for took in [seconds.get(q.fingerprint, q.seconds)]
    )
    return replace(one, outcome=replace(one.outcome, queries=tuple(queries)))


def test_pinned_stays_whatever_is_measured() -> None:
    pinned = [run(n, {"q1": 99, "q2": 10}, decided(ACTION, Standing.PINNED)) for n in (1, 2, 3)]
    assert record(BASE, *pinned).standing is Standing.PINNED
    assert (
        record(BASE, run(1, None, decided(ACTION, Standing.PINNED), state=RunState.FAILED)).standing is Standing.PINNED
    )


def test_a_run_under_way_says_nothing() -> None:
    assert record(BASE, run(1, None, decided(ACTION), state=RunState.RUNNING)).standing is Standing.TRIAL
    assert record(BASE, on_trial(1, 5), promoted(2, 99, state=RunState.RUNNING)).standing is Standing.PROMOTED


def test_a_query_that_fails_twice_with_it_rolls_it_back_though_the_job_went_on() -> None:
    failed, clean, again = on_trial(1, 1, failed=["q1"]), run(2, {"q1": 10, "q2": 10}), on_trial(3, 1, failed=["q1"])
    assert record(BASE, failed, clean).standing is Standing.TRIAL
    found = record(BASE, failed, clean, again)
    assert found.standing is Standing.ROLLED_BACK
    assert "failed with this change" in told(found)
    assert record(BASE, on_trial(1, 5, failed=["q2"])).standing is Standing.PROMOTED, "a hint does not reach q2"


def test_a_property_reaches_every_query() -> None:
    def night(n: int, q72: float, failed: tuple[str, ...] = ()) -> Run:
        return run(n, {"q25": 4, "q72": q72, "q3": 5, "q4": 5}, decided(CONF, queries=["q25"]), failed=failed)

    base = run(0, {"q25": 7, "q72": 18, "q3": 5, "q4": 5})
    assert record(base, night(1, 18), of=CONF.id).standing is Standing.PROMOTED
    assert record(base, night(1, 19), of=CONF.id).standing is Standing.PROMOTED
    assert record(base, night(1, 162), of=CONF.id).now.standing is Standing.HELD, "it may be the night"
    without = run(2, {"q25": 7, "q72": 18, "q3": 5, "q4": 5})
    hurt = record(base, night(1, 162), without, of=CONF.id)
    assert hurt.standing is Standing.ROLLED_BACK
    assert "query q72, which the change does not target, took 2 min 42 s instead of 18" in told(hurt)
    assert record(base, night(1, 18, failed=("q72",)), of=CONF.id).standing is Standing.TRIAL


@pytest.mark.parametrize(
    ("other", "standing"), [(33, Standing.PROMOTED), (39, Standing.TRIAL), (60, Standing.ROLLED_BACK)]
)
def test_a_property_that_costs_another_query_more_than_it_gains_is_not_proven(other: float, standing: Standing) -> None:
    """39 s instead of 30 s are no disaster, and one night is not sure, but it is more than the 3 s that it gained."""
    base = run(0, {"q25": 7, "q72": 30, "q3": 5, "q4": 5})
    with_it = run(1, {"q25": 4, "q72": other, "q3": 5, "q4": 5}, decided(CONF, queries=["q25"]))
    without = run(2, {"q25": 7, "q72": 30, "q3": 5, "q4": 5})
    assert record(base, with_it, without, of=CONF.id).standing is standing


def test_of_two_trials_the_one_that_touches_the_loser_most_closely_is_blamed() -> None:
    wide, narrow = conf(), hint("q2")
    base = run(0, {"q1": 20, "q2": 10, "q3": 20, "q4": 10})
    actions = (decided(wide, queries=["q1", "q2", "q3"]), decided(narrow, queries=["q2"]))
    records = read_ledger([base, run(1, {"q1": 10, "q2": 20, "q3": 10, "q4": 10}, *actions)])
    assert records[narrow.id].standing is Standing.ROLLED_BACK
    assert records[wide.id].standing is not Standing.ROLLED_BACK


def test_what_was_set_together_goes_together() -> None:
    pair = (conf("a"), conf("b"))
    lost = run(1, {"q1": 30, "q2": 10}, *(decided(a) for a in pair))
    assert {r.now.standing for r in read_ledger([BASE, lost]).values()} == {Standing.HELD}
    records = read_ledger([BASE, lost, run(2, {"q1": 10, "q2": 10})])
    assert {r.standing for r in records.values()} == {Standing.ROLLED_BACK}


def test_after_a_roll_back_trials_count_anew() -> None:
    neutral = [on_trial(n, 10) for n in range(1, MAX_TRIALS + 1)]
    assert record(BASE, *neutral, on_trial(9, 10)).standing is Standing.TRIAL


def test_what_was_rolled_back_long_ago_stands_in_later_decisions() -> None:
    """Only the latest runs are read: the run it lost in is none of them."""
    later = run(70, {"q1": 10}, decided(ACTION, Standing.ROLLED_BACK, reason="slower: 16 s"))
    found = record(later)
    assert (found.standing, told(found)) == (Standing.ROLLED_BACK, "slower: 16 s")
    assert [loss.input_bytes for loss in found.losses] == [GB]


@pytest.mark.parametrize(
    ("ruling", "standing"),
    [
        (Ruling.PIN, Standing.PINNED),
        (Ruling.REJECT, Standing.HELD),
        (Ruling.ROLL_BACK, Standing.ROLLED_BACK),
        (Ruling.APPROVE, Standing.PROMOTED),
    ],
)
def test_a_persons_last_word_counts_more(ruling: Ruling, standing: Standing) -> None:
    verdicts = [verdict(ACTION, Ruling.REJECT, 0.5), verdict(ACTION, ruling, 1.5), verdict(CONF, Ruling.PIN)]
    found = read_ledger([BASE, on_trial(1, 5)], verdicts)
    assert found[ACTION.id].standing is standing
    assert CONF.id not in found
    assert ("by ana" in told(found[ACTION.id])) is (ruling is not Ruling.APPROVE)


@pytest.mark.parametrize(
    ("ruling", "standing"),
    [(Ruling.PIN, Standing.PINNED), (Ruling.REJECT, Standing.HELD), (Ruling.ROLL_BACK, Standing.ROLLED_BACK)],
)
def test_a_persons_word_counts_for_what_is_left_out_of_a_run(ruling: Ruling, standing: Standing) -> None:
    severe = [BASE, on_trial(1, 5), promoted(2, 5), promoted(3, 30)]
    now = read_ledger(severe, [verdict(ACTION, ruling, 3.5)])[ACTION.id].now
    assert (now.standing, now.held) == (standing, None)


def test_what_a_target_is() -> None:
    assert same_target(conf(value="8"), conf(value="16"))
    assert not same_target(conf("a"), conf("b"))
    assert not same_target(hint("q1"), hint("q2"))
    other_side = replace(hint(), relations=("fact",))
    assert same_target(hint(), other_side), "a join is built from one of its sides"
    assert same_target(hint(value=Hint.SHUFFLE_HASH), other_side)
    assert not same_target(hint(), replace(hint(value=Hint.FILTER_BY_KEY), relations=("fact",)))


def test_a_decided_action_keeps_what_it_was_given() -> None:
    given: DecidedChange = decided(ACTION, reason="5.0 s less")
    assert record(BASE, run(1, {"q1": 5, "q2": 10}, given)).decided == given


def securing(night: int, q1: float) -> Run:
    """A run whose change keeps a plan that Spark came to by chance."""
    one = decided(ACTION)
    return run(night, {"q1": q1, "q2": 10}, replace(one, change=replace(one.change, secures=True)))


def test_what_secures_a_plan_stays_where_it_does_not_lose() -> None:
    found = record(BASE, securing(1, 10))
    assert found.standing is Standing.PROMOTED
    assert told(found).endswith(": not slower, and AQE can no longer be late")
    assert record(BASE, on_trial(1, 10)).standing is Standing.TRIAL


def test_what_secures_a_plan_and_is_slower_is_rolled_back() -> None:
    assert record(BASE, securing(1, 20)).standing is Standing.ROLLED_BACK


def test_what_secures_a_plan_and_was_a_bit_slower_is_tried_once_more() -> None:
    assert record(BASE, securing(1, 10.8)).standing is Standing.TRIAL
