"""Whom a failure is blamed on: only what was new, and of that what can have made it."""

from __future__ import annotations

import pytest

from tuner.model.action import ActionKind, Hint
from tuner.model.change import Change
from tuner.model.decision import DecidedChange, Mode, Standing
from tuner.model.failure import Failure, FailureKind
from tuner.model.run import Run, RunState
from tuner.policy.decide import decide
from tuner.policy.ledger import MAX_TRIALS, Record, read_ledger
from tuner.policy.suspects import MAKERS, suspects
from tuner.words.decisions import decision_summary

from .histories import conf, decided, hint, reorder, run, said, situation, standings, told

BASE = run(0, {"q1": 10, "q2": 10})
BROADCAST, OTHER_BROADCAST = decided(hint("q1")), decided(hint("q2"), queries=["q2"])
HASH = decided(hint("q1", "join2", Hint.SHUFFLE_HASH))
THRESHOLD = decided(conf("spark.sql.autoBroadcastJoinThreshold", "50m"))
PARTITIONS = decided(conf())
ORDER = decided(reorder("q2"), queries=["q2"])
ALL = (BROADCAST, OTHER_BROADCAST, HASH, THRESHOLD, PARTITIONS, ORDER)
OUTSIDE = [
    FailureKind.ACCESS_DENIED,
    FailureKind.CODE,
    FailureKind.EXECUTOR_PREEMPTED,
    FailureKind.INPUT_MISSING,
    FailureKind.KILLED,
    FailureKind.OWN_EXIT,
    FailureKind.UNREACHABLE,
]
FAILED, TRIAL, ROLLED_BACK, PROMOTED = RunState.FAILED, Standing.TRIAL, Standing.ROLLED_BACK, Standing.PROMOTED


def failure(kind: FailureKind, query: str | None = None) -> Failure:
    return Failure(kind, kind.value.replace("_", " "), query)


def failing(
    kind: FailureKind, *actions: DecidedChange, night: int = 1, query: str | None = None, **kwargs: object
) -> Run:
    return run(night, {"q1": 1}, *actions, state=FAILED, failure=failure(kind, query), **kwargs)  # type: ignore[arg-type]


def after(*runs: Run) -> dict[str, Record]:
    return read_ledger([BASE, *runs])


def stand(*runs: Run) -> dict[str, Standing]:
    return {id_: record.standing for id_, record in after(*runs).items()}


def promoted(of: DecidedChange) -> DecidedChange:
    return decided(of.change.actions[0], PROMOTED, of.queries)


# --- Suspects ---


@pytest.mark.parametrize(
    ("kind", "query", "blamed"),
    [
        (FailureKind.BROADCAST_TIMEOUT, "q1", (BROADCAST, THRESHOLD)),
        (FailureKind.BROADCAST_TOO_LARGE, "q2", (OTHER_BROADCAST, THRESHOLD)),
        (FailureKind.BROADCAST_TIMEOUT, None, (BROADCAST, OTHER_BROADCAST, THRESHOLD)),
        (FailureKind.DRIVER_OUT_OF_MEMORY, "q9", (THRESHOLD,)),
        (FailureKind.TASK_MEMORY, "q1", (HASH, PARTITIONS)),
        (FailureKind.EXECUTOR_OUT_OF_MEMORY, "q2", (OTHER_BROADCAST, THRESHOLD, PARTITIONS)),
        (FailureKind.EXECUTOR_LOST, "q1", ALL),
        (FailureKind.DATA_OR_CODE, "q1", (BROADCAST, HASH)),
        (FailureKind.DATA_OR_CODE, "q2", (OTHER_BROADCAST, ORDER)),
        (FailureKind.DATA_OR_CODE, "q9", ()),
        (FailureKind.DATA_OR_CODE, None, (BROADCAST, OTHER_BROADCAST, HASH, ORDER)),
        (FailureKind.LOCAL_DISK, "q1", (HASH, PARTITIONS)),
        (FailureKind.INPUT_MISSING, "q1", ()),
        (FailureKind.UNKNOWN, "q1", ALL),
    ],
)
def test_what_can_have_made_it_is_blamed_first(
    kind: FailureKind, query: str | None, blamed: tuple[DecidedChange, ...]
) -> None:
    assert suspects(failure(kind, query), ALL) == list(blamed)


def test_without_a_word_on_why_all_that_is_new_is_blamed() -> None:
    assert suspects(None, ALL) == list(ALL)


def test_where_nothing_new_can_have_made_it_all_that_is_new_is_blamed() -> None:
    assert suspects(failure(FailureKind.BROADCAST_TIMEOUT, "q1"), [HASH, ORDER]) == [HASH, ORDER]


def test_a_broadcast_of_another_query_is_blamed_beside_what_touches_the_one_that_failed() -> None:
    assert suspects(failure(FailureKind.BROADCAST_TIMEOUT, "q2"), [BROADCAST, HASH, ORDER]) == [BROADCAST, ORDER]


def test_what_was_set_together_is_blamed_together() -> None:
    actions = BROADCAST.change.actions + PARTITIONS.change.actions
    both = DecidedChange(Change.of("test", actions, ("q1",), said("why"), (), None), TRIAL, said("why"))
    assert suspects(failure(FailureKind.BROADCAST_TIMEOUT, "q1"), [both, ORDER]) == [both]


def test_a_broadcast_that_an_order_called_for_is_blamed_without_the_order() -> None:
    order = decided(reorder("q1"))
    called_for, other = (decided(d.change.actions[0], needs=order.id) for d in (BROADCAST, HASH))
    assert suspects(failure(FailureKind.BROADCAST_TIMEOUT, "q1"), [order, called_for, other]) == [called_for]


def test_so_it_is_where_the_job_goes_on_without_the_query() -> None:
    order = decided(reorder("q1"))
    called_for = decided(hint("q1", "join in that order"), needs=order.id)
    timed_out = failure(FailureKind.BROADCAST_TIMEOUT, "q1")
    gone_on = run(1, {"q1": 1, "q2": 10}, order, called_for, failed=["q1"], failure=timed_out)
    assert gone_on.state is RunState.SUCCEEDED
    assert stand(gone_on) == {order.id: TRIAL, called_for.id: ROLLED_BACK}


# --- What is on trial ---


def test_a_broadcast_that_timed_out_rolls_back_broadcasts_and_leaves_the_rest_on_trial() -> None:
    records = after(failing(FailureKind.BROADCAST_TIMEOUT, BROADCAST, ORDER, query="q1"))
    lost, spared = records[BROADCAST.id], records[ORDER.id]
    assert (lost.standing, spared.standing) == (ROLLED_BACK, TRIAL)
    assert told(lost) == "run etl/1/1 failed with this change after 1.0 s: broadcast timeout in query q1"
    assert told(spared) == told(lost) + "; this change did not cause it and is tried once more"


def test_of_every_kind_it_is_said_what_can_have_made_it() -> None:
    assert set(MAKERS) == set(FailureKind)


@pytest.mark.parametrize("kind", OUTSIDE)
def test_what_came_from_outside_says_nothing_against_a_trial(kind: FailureKind) -> None:
    assert stand(failing(kind, BROADCAST)) == {BROADCAST.id: TRIAL}


@pytest.mark.parametrize("kind", sorted(set(FailureKind) - set(OUTSIDE)))
def test_everything_else_does(kind: FailureKind) -> None:
    assert stand(failing(kind, BROADCAST)) == {BROADCAST.id: ROLLED_BACK}


@pytest.mark.parametrize("kind", sorted(set(OUTSIDE) - {FailureKind.KILLED}))
def test_what_came_from_outside_is_no_trial_however_often_it_comes(kind: FailureKind) -> None:
    records = after(*(failing(kind, BROADCAST, night=n) for n in range(1, 2 * MAX_TRIALS)))
    assert (records[BROADCAST.id].standing, records[BROADCAST.id].trials) == (TRIAL, 0)


@pytest.mark.parametrize("kind", OUTSIDE)
def test_what_came_from_outside_takes_nothing_proven_out(kind: FailureKind) -> None:
    proven = (promoted(BROADCAST), promoted(ORDER), promoted(PARTITIONS))
    nights = []
    for night in range(1, 6, 2):
        nights.append(failing(kind, *proven, night=night))
        known = situation(Mode.AUTO, 1, [BASE, *nights], drivable=frozenset(ActionKind))
        assert len(decide(known).in_force) == 3, "no run without them is needed to tell"
        nights.append(run(night + 1, {"q1": 10, "q2": 10}))
    assert set(stand(*nights).values()) == {PROMOTED}


def test_an_error_that_rows_raise_blames_what_makes_the_querys_joins_otherwise() -> None:
    tried = failing(FailureKind.DATA_OR_CODE, BROADCAST, PARTITIONS, ORDER, query="q2")
    clean = run(1, {"q1": 10, "q2": 10}, try_number=2)
    expected = {BROADCAST.id: TRIAL, PARTITIONS.id: TRIAL, ORDER.id: ROLLED_BACK}
    assert stand(tried, clean) == expected
    same = failing(FailureKind.DATA_OR_CODE, query="q2", try_number=2)
    assert set(stand(tried, same).values()) == {TRIAL}


def test_an_error_that_rows_raise_takes_a_proven_order_out_when_it_comes_again() -> None:
    proven = (promoted(ORDER), promoted(PARTITIONS))
    nights = [failing(FailureKind.DATA_OR_CODE, *proven, query="q2"), run(2, {"q1": 10, "q2": 10})]
    assert set(stand(*nights).values()) == {PROMOTED}
    nights += [failing(FailureKind.DATA_OR_CODE, *proven, night=3, query="q2"), run(4, {"q1": 10, "q2": 10})]
    assert stand(*nights) == {ORDER.id: ROLLED_BACK, PARTITIONS.id: PROMOTED}
    of_another = failing(FailureKind.DATA_OR_CODE, promoted(ORDER), query="q1")
    next_ = decide(situation(Mode.AUTO, 1, [BASE, of_another], drivable=frozenset(ActionKind)))
    assert next_.actions == ORDER.change.actions, "it cannot have made it"


def test_the_same_failure_beside_what_is_proven_clears_a_trial_too() -> None:
    tried = failing(FailureKind.EXECUTOR_LOST, promoted(PARTITIONS), BROADCAST)
    assert stand(tried, failing(FailureKind.EXECUTOR_LOST, promoted(PARTITIONS), night=2)) == {
        PARTITIONS.id: PROMOTED,
        BROADCAST.id: TRIAL,
    }


def test_what_is_known_to_make_such_a_failure_goes_before_what_is_not() -> None:
    proven = (promoted(HASH), promoted(BROADCAST))
    nights = [failing(FailureKind.TASK_MEMORY, *proven, query="q1"), run(2, {"q1": 10, "q2": 10})]
    assert stand(*nights) == {HASH.id: ROLLED_BACK, BROADCAST.id: PROMOTED}
    only = [failing(FailureKind.TASK_MEMORY, promoted(BROADCAST), query="q1"), run(2, {"q1": 10, "q2": 10})]
    assert stand(*only) == {BROADCAST.id: PROMOTED}


def test_a_query_that_fails_on_in_a_job_that_goes_on_takes_what_is_proven_out_the_second_time() -> None:
    def goes_on(night: int) -> Run:
        of_rows = failure(FailureKind.DATA_OR_CODE, "q2")
        return run(night, {"q1": 10, "q2": 1}, promoted(ORDER), failed=["q2"], failure=of_rows)

    assert stand(goes_on(1)) == {ORDER.id: PROMOTED}
    assert stand(goes_on(1), goes_on(2)) == {ORDER.id: ROLLED_BACK}


def test_a_kill_after_far_longer_than_ever_may_have_been_for_slowness() -> None:
    def killed(kind: FailureKind, seconds: float) -> Standing:
        night = run(1, {"q1": seconds}, BROADCAST, state=FAILED, failure=failure(kind))
        return stand(night)[BROADCAST.id]

    assert killed(FailureKind.KILLED, 29) is TRIAL, "of usually 20 s"
    assert killed(FailureKind.KILLED, 31) is ROLLED_BACK
    assert killed(FailureKind.OWN_EXIT, 31) is ROLLED_BACK, "a deadline of its own"
    assert killed(FailureKind.EXECUTOR_PREEMPTED, 31) is TRIAL


def test_a_trial_that_is_killed_again_and_again_is_given_up() -> None:
    killed = [failing(FailureKind.KILLED, BROADCAST, night=n) for n in range(1, MAX_TRIALS + 1)]
    assert stand(*killed[:-1]) == {BROADCAST.id: TRIAL}
    assert stand(*killed) == {BROADCAST.id: ROLLED_BACK}


def test_the_same_failure_without_it_clears_it_and_another_does_not() -> None:
    tried = failing(FailureKind.DATA_OR_CODE, BROADCAST)
    assert stand(tried, failing(FailureKind.DATA_OR_CODE, try_number=2))[BROADCAST.id] is TRIAL
    assert stand(tried, failing(FailureKind.TASK_MEMORY, try_number=2))[BROADCAST.id] is ROLLED_BACK
    assert stand(tried, failing(FailureKind.UNKNOWN, try_number=2))[BROADCAST.id] is TRIAL
    of_q1, of_q2 = (failing(FailureKind.DATA_OR_CODE, *a, query=q) for a, q in (((BROADCAST,), "q1"), ((), "q2")))
    assert stand(of_q1, of_q2)[BROADCAST.id] is ROLLED_BACK


def test_a_retry_that_was_killed_tells_nothing() -> None:
    tried, killed = failing(FailureKind.DATA_OR_CODE, BROADCAST), failing(FailureKind.KILLED, try_number=2)
    assert stand(tried, killed)[BROADCAST.id] is ROLLED_BACK
    assert stand(tried, killed, failing(FailureKind.DATA_OR_CODE, night=2))[BROADCAST.id] is TRIAL


def test_what_was_cleared_stays_so_though_a_decision_in_between_held_it_for_lost() -> None:
    rolled_back = decided(BROADCAST.change.actions[0], ROLLED_BACK, reason="run etl/1/1 failed with it")
    nights = [failing(FailureKind.DATA_OR_CODE, BROADCAST), failing(FailureKind.DATA_OR_CODE, rolled_back, night=2)]
    assert stand(*nights)[BROADCAST.id] is TRIAL
    slow = run(3, {"q1": 30, "q2": 10}, BROADCAST)
    assert stand(*nights, slow, run(4, {"q1": 10}, rolled_back))[BROADCAST.id] is ROLLED_BACK


def test_a_query_that_failed_in_a_job_that_went_on_is_said_with_why() -> None:
    def went_on(kind: FailureKind) -> Record:
        night = run(1, {"q1": 1, "q2": 10}, BROADCAST, failed=["q1"], failure=failure(kind, "q1"))
        return after(night)[BROADCAST.id]

    lost = went_on(FailureKind.BROADCAST_TIMEOUT)
    said = "query q1 succeeded before and failed with this change in run etl/1/1: broadcast timeout"
    assert (lost.standing, told(lost)) == (ROLLED_BACK, said)
    assert went_on(FailureKind.KILLED).standing is TRIAL


# --- What is proven ---


def test_a_proven_broadcast_whose_query_could_not_make_it_goes_at_once() -> None:
    failed = failing(FailureKind.BROADCAST_TIMEOUT, promoted(BROADCAST), promoted(OTHER_BROADCAST), query="q1")
    records = after(failed)
    assert {i: r.standing for i, r in records.items()} == {
        BROADCAST.id: ROLLED_BACK,
        OTHER_BROADCAST.id: PROMOTED,
    }
    assert told(records[BROADCAST.id]).endswith("in query q1; no newer change can have caused it")
    found = decide(situation(failed.decision.mode, 1, [BASE, failed]))
    assert standings(found)[OTHER_BROADCAST.id] is PROMOTED, "no run without it is needed to tell"


def test_a_new_broadcast_of_the_query_is_blamed_before_a_proven_one() -> None:
    failed = failing(FailureKind.BROADCAST_TOO_LARGE, promoted(BROADCAST), THRESHOLD, query="q1")
    assert stand(failed) == {BROADCAST.id: PROMOTED, THRESHOLD.id: ROLLED_BACK}


def test_a_pinned_one_is_a_persons_to_take_out() -> None:
    pinned = decided(BROADCAST.change.actions[0], Standing.PINNED)
    assert stand(failing(FailureKind.BROADCAST_TIMEOUT, pinned, query="q1")) == {BROADCAST.id: Standing.PINNED}


def test_of_another_failure_only_a_run_without_them_tells() -> None:
    failed = failing(FailureKind.TASK_MEMORY, promoted(HASH), query="q1")
    assert stand(failed) == {HASH.id: PROMOTED}
    assert "to find the cause" in decision_summary(decide(situation(failed.decision.mode, 1, [BASE, failed])))


def test_a_kill_does_not_make_what_is_proven_a_suspect() -> None:
    failed = failing(FailureKind.KILLED, promoted(HASH))
    assert decide(situation(failed.decision.mode, 1, [BASE, failed])).actions == HASH.change.actions
    clean = run(1, {"q1": 10, "q2": 10}, try_number=2)
    assert stand(failed, clean) == {HASH.id: PROMOTED}
