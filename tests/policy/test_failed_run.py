"""Whom a failure is blamed on: only what was new, and of that what can have made it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import timedelta

import pytest

from tuner.model.action import ActionKind, Hint
from tuner.model.change import Change
from tuner.model.decision import DecidedChange, Mode, Standing
from tuner.model.directive_result import DirectiveResult, DirectiveStatus
from tuner.model.failure import Failure, FailureKind
from tuner.model.query import QueryStatus
from tuner.model.query_values import FilterCondition
from tuner.model.reason import ReasonCode
from tuner.model.run import Run, RunState
from tuner.policy import failed_run
from tuner.policy.decide import decide
from tuner.policy.evidence.comparison import MAX_TRIALS
from tuner.policy.failed_run import FailedRun
from tuner.policy.ledger import read_ledger
from tuner.policy.newly_failed import LATEST_RUNS, newly_failed
from tuner.policy.record import Record
from tuner.policy.suspects import MAKERS, Guilt, suspects
from tuner.words.decisions import decision_summary

from .failure_kinds import OF_BROADCASTS, OF_TASKS, OUTSIDE, UNCLEAR
from .histories import GB, conf, decided, hint, late_upstream, reorder, run, said, situation, standings, told

BASE = run(0, {"q1": 10, "q2": 10})
BROADCAST, OTHER_BROADCAST = decided(hint("q1")), decided(hint("q2"), queries=["q2"])
HASH = decided(hint("q1", "join2", Hint.SHUFFLE_HASH))
THRESHOLD = decided(conf("spark.sql.autoBroadcastJoinThreshold", "50m"))
PARTITIONS = decided(conf())
ORDER = decided(reorder("q2"), queries=["q2"])
ALL = (BROADCAST, OTHER_BROADCAST, HASH, THRESHOLD, PARTITIONS, ORDER)
UNKNOWN_KIND = FailureKind.UNKNOWN
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

KNOWN, POSSIBLE = Guilt.KNOWN, Guilt.POSSIBLE


@pytest.mark.parametrize(
    ("kind", "query", "guilt", "blamed"),
    [
        (FailureKind.BROADCAST_TIMEOUT, "q1", KNOWN, (BROADCAST, THRESHOLD)),
        (FailureKind.BROADCAST_TOO_LARGE, "q2", KNOWN, (OTHER_BROADCAST, THRESHOLD)),
        (FailureKind.BROADCAST_TIMEOUT, None, KNOWN, (BROADCAST, OTHER_BROADCAST, THRESHOLD)),
        (FailureKind.DRIVER_OUT_OF_MEMORY, "q9", KNOWN, (THRESHOLD,)),
        (FailureKind.RESULT_TOO_LARGE, "q1", KNOWN, (BROADCAST, THRESHOLD)),
        (FailureKind.TASK_MEMORY, "q1", KNOWN, (HASH, PARTITIONS)),
        (FailureKind.EXECUTOR_OUT_OF_MEMORY, "q2", KNOWN, (OTHER_BROADCAST, THRESHOLD, PARTITIONS)),
        (FailureKind.EXECUTOR_LOST, "q1", POSSIBLE, ALL),
        (FailureKind.LOCAL_DISK, "q1", POSSIBLE, ALL),
        (FailureKind.UNKNOWN, "q1", POSSIBLE, (BROADCAST, HASH, THRESHOLD, PARTITIONS)),
        (FailureKind.UNKNOWN, None, POSSIBLE, ALL),
        (FailureKind.DATA_OR_CODE, "q1", POSSIBLE, (BROADCAST, HASH)),
        (FailureKind.DATA_OR_CODE, "q2", POSSIBLE, (OTHER_BROADCAST, ORDER)),
        (FailureKind.DATA_OR_CODE, "q9", POSSIBLE, ()),
        (FailureKind.DATA_OR_CODE, None, POSSIBLE, (BROADCAST, OTHER_BROADCAST, HASH, ORDER)),
        (FailureKind.PYTHON_OUT_OF_MEMORY, "q1", POSSIBLE, (BROADCAST, HASH, THRESHOLD, PARTITIONS)),
        (FailureKind.INPUT_MISSING, "q1", POSSIBLE, ()),
    ],
)
def test_what_is_known_to_make_such_failures_is_blamed_first(
    kind: FailureKind, query: str | None, guilt: Guilt, blamed: tuple[DecidedChange, ...]
) -> None:
    assert suspects(failure(kind, query), ALL) == {d.id: guilt for d in blamed}


def test_without_a_word_on_why_anything_can_have_made_it() -> None:
    assert suspects(None, ALL) == {d.id: POSSIBLE for d in ALL}


@pytest.mark.parametrize(
    ("kind", "blamed"),
    [
        (FailureKind.EXECUTOR_OUT_OF_MEMORY, (BROADCAST,)),
        (FailureKind.BROADCAST_TOO_LARGE, ()),
        (FailureKind.RESULT_TOO_LARGE, ()),
        (FailureKind.TASK_MEMORY, ()),
    ],
)
def test_of_another_query_only_what_stays_in_memory_can_have_made_it(
    kind: FailureKind, blamed: tuple[DecidedChange, ...]
) -> None:
    assert suspects(failure(kind, "q9"), [BROADCAST, HASH, ORDER]) == {d.id: POSSIBLE for d in blamed}


def test_a_property_that_is_no_knob_may_do_anything_but_is_known_for_nothing() -> None:
    other = decided(conf("spark.sql.theirs", "1"))
    assert suspects(failure(FailureKind.DRIVER_OUT_OF_MEMORY, "q1"), [other]) == {other.id: POSSIBLE}
    assert suspects(failure(FailureKind.BROADCAST_TOO_LARGE, "q1"), [other]) == {}


def test_what_was_set_together_is_blamed_together() -> None:
    actions = BROADCAST.change.actions + PARTITIONS.change.actions
    both = DecidedChange(Change.of("test", actions, ("q1",), said("why"), (), None), TRIAL, said("why"))
    assert list(suspects(failure(FailureKind.BROADCAST_TIMEOUT, "q1"), [both, ORDER])) == [both.id]


def test_a_broadcast_that_an_order_called_for_is_blamed_without_the_order() -> None:
    order = decided(reorder("q1"))
    called_for, other = (decided(d.change.actions[0], needs=order.id) for d in (BROADCAST, HASH))
    timed_out = failure(FailureKind.BROADCAST_TIMEOUT, "q1")
    assert list(suspects(timed_out, [order, called_for, other])) == [called_for.id]


def test_what_needs_a_suspect_goes_with_it() -> None:
    order = decided(reorder("q1"))
    called_for = decided(BROADCAST.change.actions[0], needs=order.id)
    assert suspects(failure(FailureKind.UNKNOWN, "q1"), [order, called_for]) == {
        order.id: POSSIBLE,
        called_for.id: POSSIBLE,
    }


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


@pytest.mark.parametrize("kind", OF_BROADCASTS)
def test_what_it_is_known_to_make_rolls_a_trial_back(kind: FailureKind) -> None:
    assert stand(failing(kind, BROADCAST)) == {BROADCAST.id: ROLLED_BACK}


@pytest.mark.parametrize("kind", [*OF_TASKS, *UNCLEAR])
def test_else_it_is_tried_once_more_after_a_run_without_it(kind: FailureKind) -> None:
    failed, clean = failing(kind, BROADCAST, query="q1"), run(2, {"q1": 10, "q2": 10})
    assert stand(failed) == {BROADCAST.id: TRIAL}
    assert "to find the cause" in decision_summary(decide(situation(Mode.AUTO, 1, [BASE, failed])))
    tried_once_more = decide(situation(Mode.AUTO, 1, [BASE, failed, clean]))
    assert standings(tried_once_more) == {BROADCAST.id: TRIAL}
    assert told(tried_once_more.changes[0]).endswith("may have caused it and is tried once more after a run without it")
    again = failing(kind, BROADCAST, night=3, query="q1")
    records = after(failed, clean, again)
    assert records[BROADCAST.id].standing is ROLLED_BACK
    assert told(records[BROADCAST.id]).endswith("failed, too, and the run after that succeeded without it")


def test_two_failures_in_a_row_say_nothing_without_a_run_without() -> None:
    """Of two runs at once, and of a cluster that is down for two nights."""
    nights = [failing(FailureKind.UNKNOWN, BROADCAST, night=n) for n in (1, 2)]
    assert stand(*nights) == {BROADCAST.id: TRIAL}
    assert stand(*nights, run(3, {"q1": 10, "q2": 10})) == {BROADCAST.id: TRIAL}


def test_a_success_with_as_much_to_read_clears_a_suspect_and_one_with_less_does_not() -> None:
    def unclear(night: int) -> list[Run]:
        failed = failing(FailureKind.UNKNOWN, promoted(BROADCAST), night=night)
        return [failed, run(night, {"q1": 10, "q2": 10}, try_number=2, input_bytes=10 * GB)]

    def with_it(input_bytes: int) -> Run:
        return run(2, {"q1": 5, "q2": 10}, promoted(BROADCAST), input_bytes=input_bytes)

    assert stand(*unclear(1), with_it(10 * GB), *unclear(3)) == {BROADCAST.id: PROMOTED}
    assert stand(*unclear(1), with_it(1 * GB), *unclear(3)) == {BROADCAST.id: ROLLED_BACK}


def test_what_is_known_to_make_it_is_blamed_before_what_is_on_trial_beside_it() -> None:
    failed = failing(FailureKind.EXECUTOR_OUT_OF_MEMORY, promoted(BROADCAST), ORDER, query="q1")
    clean = run(2, {"q1": 10, "q2": 10})
    assert stand(failed) == {BROADCAST.id: PROMOTED, ORDER.id: TRIAL}
    assert stand(failed, clean) == {BROADCAST.id: ROLLED_BACK, ORDER.id: TRIAL}


def test_a_trial_that_cannot_have_made_it_does_not_shield_what_can() -> None:
    failed = failing(FailureKind.TASK_MEMORY, promoted(HASH), ORDER, query="q1")
    assert not decide(situation(Mode.AUTO, 1, [BASE, failed], drivable=frozenset(ActionKind))).in_force
    assert stand(failed, run(2, {"q1": 10, "q2": 10})) == {HASH.id: ROLLED_BACK, ORDER.id: TRIAL}


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


def test_an_error_that_rows_raise_can_be_of_what_makes_the_querys_joins_otherwise() -> None:
    def tried(night: int) -> Run:
        return failing(FailureKind.DATA_OR_CODE, BROADCAST, PARTITIONS, ORDER, night=night, query="q2")

    clean = run(1, {"q1": 10, "q2": 10}, try_number=2)
    assert set(stand(tried(1), clean).values()) == {TRIAL}
    expected = {BROADCAST.id: TRIAL, PARTITIONS.id: TRIAL, ORDER.id: ROLLED_BACK}
    assert stand(tried(1), clean, tried(2)) == expected
    same = failing(FailureKind.DATA_OR_CODE, query="q2", try_number=2)
    assert set(stand(tried(1), same, tried(2)).values()) == {TRIAL}


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


def test_a_query_that_fails_in_a_job_that_goes_on_is_looked_at_as_a_job_is() -> None:
    def goes_on(night: int, *actions: DecidedChange, kind: FailureKind = FailureKind.DATA_OR_CODE) -> Run:
        return run(night, {"q1": 10, "q2": 1}, *actions, failed=["q2"], failure=failure(kind, "q2"))

    proven, clean = promoted(ORDER), run(2, {"q1": 10, "q2": 10})
    assert stand(goes_on(1, proven)) == {ORDER.id: PROMOTED}
    known = situation(Mode.AUTO, 1, [BASE, goes_on(1, proven)], drivable=frozenset(ActionKind))
    assert not decide(known).in_force, "a run without it is to tell"
    assert stand(goes_on(1, proven), goes_on(2, proven)) == {ORDER.id: PROMOTED}
    assert stand(goes_on(1, proven), clean, goes_on(3, proven)) == {ORDER.id: ROLLED_BACK}
    assert stand(goes_on(1, proven), goes_on(2), goes_on(3, proven)) == {ORDER.id: PROMOTED}, (
        "it failed without it, too"
    )
    always = situation(
        Mode.AUTO, 1, [BASE, goes_on(1, proven), goes_on(2), goes_on(3, proven)], drivable=frozenset(ActionKind)
    )
    assert decide(always).in_force, "it fails on whatever is in force: no further run without it"
    assert stand(goes_on(1, ORDER), clean) == {ORDER.id: TRIAL}
    outside = [goes_on(n, proven, kind=FailureKind.INPUT_MISSING) for n in (1, 3)]
    assert stand(outside[0], clean, outside[1]) == {ORDER.id: PROMOTED}
    known = situation(Mode.AUTO, 1, [BASE, outside[0]], drivable=frozenset(ActionKind))
    assert decide(known).in_force, "no run without it is needed to tell"


# --- A query that runs once for each tenant ---


def loop(night: int, statuses: Mapping[str, bool], *actions: DecidedChange, kind: FailureKind = UNKNOWN_KIND) -> Run:
    """A run that goes on, with executions of q2 by their values: whether each succeeded, in this order."""
    values = [(value, succeeded) for value, succeeded in statuses.items()]
    return loop_of(night, values, *actions, kind=kind)


def loop_of(
    night: int, executions: Iterable[tuple[str, bool]], *actions: DecidedChange, kind: FailureKind = UNKNOWN_KIND
) -> Run:
    found = run(night, {"q1": 10, "q2": 1}, *actions, failure=failure(kind, "q2"))
    assert found.outcome
    first, second = found.outcome.queries
    queries = [
        replace(second, id=n, literals=value, status=QueryStatus.SUCCEEDED if succeeded else QueryStatus.FAILED)
        for n, (value, succeeded) in enumerate(executions, start=2)
    ]
    return replace(found, outcome=replace(found.outcome, queries=(first, *queries)))


def suspected(*runs: Run) -> bool:
    """Whether the next run is without changes, to find the cause."""
    decision = decide(situation(Mode.AUTO, 1, runs, drivable=frozenset(ActionKind)))
    return decision.unsteered is not None and decision.unsteered.code is ReasonCode.CHANGES_SUSPECTED


FAILS_FOR_B = {"a": True, "b": False, "c": True}


def test_what_fails_for_one_tenant_every_night_hides_no_failures_of_others() -> None:
    before, proven = loop(0, FAILS_FOR_B), promoted(ORDER)
    assert not suspected(before, loop(1, FAILS_FOR_B, proven))
    others = {"a": False, "b": False, "c": False}
    assert suspected(before, loop(1, others, proven))
    assert suspected(before, loop(1, {**FAILS_FOR_B, "a": False}, proven))
    assert not suspected(before, loop(1, {"a": True, "c": True}, proven))


def test_one_tenant_that_always_fails_clears_nothing_of_what_others_fail_with() -> None:
    proven = promoted(ORDER)
    both = {**FAILS_FOR_B, "a": False}
    before, failed, without = loop(0, FAILS_FOR_B), loop(1, both, proven), loop(2, FAILS_FOR_B)
    assert not suspected(before, failed, without)
    again = loop(3, both, proven)
    assert read_ledger([before, failed, without, again])[ORDER.id].standing is ROLLED_BACK
    too = loop(2, both)
    assert read_ledger([before, failed, too, again])[ORDER.id].standing is PROMOTED, "they failed without it, too"
    alone, later = loop(2, {"b": False}), loop(4, FAILS_FOR_B)
    assert read_ledger([before, failed, alone, later, loop(5, both, proven)])[ORDER.id].standing is ROLLED_BACK, (
        "a run for that one alone tells nothing of the others"
    )


@pytest.mark.parametrize(
    ("kind", "change"), [(FailureKind.ACCESS_DENIED, ORDER), (FailureKind.BROADCAST_TIMEOUT, OTHER_BROADCAST)]
)
def test_why_one_tenant_always_fails_does_not_tell_why_others_do(kind: FailureKind, change: DecidedChange) -> None:
    def told(found: Run, execution_id: int | None) -> Run:
        assert found.outcome
        return replace(
            found, outcome=replace(found.outcome, failure=replace(failure(kind, "q2"), execution_id=execution_id))
        )

    proven, of_a, of_b = promoted(change), 2, 3
    before, failed = loop(0, FAILS_FOR_B), loop(1, {**FAILS_FOR_B, "a": False}, proven)
    assert suspected(before, told(failed, of_b))
    trial = loop(1, {**FAILS_FOR_B, "a": False}, change)
    assert read_ledger([before, told(trial, of_b)])[change.id].standing is TRIAL, "not at once"
    for at in (of_a, None):
        assert not suspected(before, told(failed, at))
        expected = TRIAL if kind is FailureKind.ACCESS_DENIED else ROLLED_BACK
        assert read_ledger([before, told(trial, at)])[change.id].standing is expected


def test_the_next_run_that_tells_is_looked_for_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is asked for several times of each suspect, and each time means all later runs."""
    nights = [loop(n, FAILS_FOR_B) for n in range(30)]
    asked: list[Run] = []
    failed = FailedRun(loop(1, {**FAILS_FOR_B, "a": False}, promoted(ORDER)), nights[:1], nights[2:], query="q2")
    monkeypatch.setattr(failed_run, "began_after", lambda run, _: asked.append(run))
    assert (failed.after, failed.died_in_own_sizes, failed.bytes_after) == (None, False, 0)
    assert asked == nights[2:]


def test_a_night_that_fails_for_that_one_alone_clears_a_suspect() -> None:
    proven = promoted(ORDER)
    both = {**FAILS_FOR_B, "a": False}
    nights = [loop(0, FAILS_FOR_B), loop(1, both, proven), loop(2, FAILS_FOR_B)]
    since, again, without = loop(3, FAILS_FOR_B, proven), loop(4, both, proven), loop(5, FAILS_FOR_B)
    assert read_ledger([*nights, since, again, without])[ORDER.id].standing is PROMOTED
    assert read_ledger([*nights, loop(3, both, proven)])[ORDER.id].standing is ROLLED_BACK


def test_where_values_are_others_each_night_the_number_of_failures_tells() -> None:
    """A day in them that moves rows; or nobody knows them."""

    def of_day(night: int, failures: int, *actions: DecidedChange, known: bool = True) -> Run:
        values = (f"{tenant} on {night}" if known else "" for tenant in range(5))
        return loop_of(night, [(value, n >= failures) for n, value in enumerate(values)], *actions)

    proven = promoted(ORDER)
    for known in (True, False):
        assert not suspected(of_day(0, 1, known=known), of_day(1, 1, proven, known=known))
        assert suspected(of_day(0, 1, known=known), of_day(1, 3, proven, known=known))
        assert suspected(of_day(0, 0, known=known), of_day(1, 1, proven, known=known))
        nights = [of_day(0, 1, known=known), of_day(1, 3, proven, known=known)]
        for failures, standing in ((1, ROLLED_BACK), (3, PROMOTED)):
            later = [of_day(2, failures, known=known), of_day(3, 3 if failures == 1 else 4, proven, known=known)]
            assert read_ledger([*nights, *later])[ORDER.id].standing is standing, (known, failures)


def test_failures_that_move_from_tenant_to_tenant_are_none_of_a_changes() -> None:
    assert not suspected(loop(0, FAILS_FOR_B), loop(1, {"a": False, "b": True, "c": True}, promoted(ORDER)))
    assert suspected(loop(0, FAILS_FOR_B), loop(1, {"a": False, "b": True, "c": False}, promoted(ORDER)))


def of_tenants(
    night: int, failed: str, *actions: DecidedChange, tenants: str = "abcdefghijklmnopqrst", days: int = 1
) -> Run:
    """A loop over tenants and days, all of one class of values, for none of them moves rows: it fails for these tenants."""
    found = loop_of(night, [("all", t not in failed) for t in tenants for _ in range(days)], *actions)
    assert found.outcome
    first, *queries = found.outcome.queries
    asked = (
        (FilterCondition("db.sales.tenant", t), FilterCondition("db.sales.day", str(d)))
        for t in tenants
        for d in range(days)
    )
    told = [replace(query, conditions=values) for query, values in zip(queries, asked, strict=True)]
    return replace(found, outcome=replace(found.outcome, queries=(first, *told)))


def test_tenants_of_one_class_of_values_count_each() -> None:
    proven, before = promoted(ORDER), of_tenants(0, "b", tenants="abcde")
    killed = of_tenants(1, "abcde", proven, tenants="abcde")
    assert suspected(before, killed)
    assert not suspected(before, of_tenants(1, "b", proven, tenants="abcde"))
    without, again = of_tenants(2, "b", tenants="abcde"), of_tenants(3, "abcde", proven, tenants="abcde")
    assert read_ledger([before, killed, without, again])[ORDER.id].standing is ROLLED_BACK, (
        "it clears nothing of itself"
    )


def test_a_few_random_failures_a_night_are_none_of_a_changes() -> None:
    nights = [of_tenants(n, failed) for n, failed in enumerate(["ab", "cde", "", "fghi", "j"])]
    proven = promoted(ORDER)
    steered = [of_tenants(5 + n, failed, proven) for n, failed in enumerate(["kl", "mno", "pqrs", "abc"])]
    for n in range(len(steered)):
        assert not suspected(*nights, *steered[: n + 1])
    assert read_ledger([*nights, *steered])[ORDER.id].standing is PROMOTED
    assert not suspected(*nights, *steered, of_tenants(9, "abcdef", proven)), "four at most, and none at least"
    assert suspected(*nights, *steered, of_tenants(9, "abcdefg", proven))
    thin = [of_tenants(0, "ab"), of_tenants(1, "cde", proven), of_tenants(2, "fghi")]
    assert read_ledger([*thin, of_tenants(3, "jkl", proven)])[ORDER.id].standing is PROMOTED
    cleared = [of_tenants(2, "fg"), of_tenants(3, "hi", proven)]
    assert not suspected(*thin[:2], *cleared, of_tenants(4, "jkl", proven)), "a night with it had no more than any"


def test_failures_of_more_than_a_week_of_nights_ago_hide_none() -> None:
    proven, clean = promoted(ORDER), [of_tenants(n, "", promoted(ORDER)) for n in range(2, 8)]
    failed = [of_tenants(0, "abc"), of_tenants(1, "abc")]
    assert not suspected(*failed, *clean[:-1], of_tenants(8, "abc", proven))
    assert suspected(*failed, *clean, of_tenants(8, "abc", proven))


def test_what_failed_in_one_night_alone_may_be_failed_by_a_change_in_the_next() -> None:
    nights = [of_tenants(n, failed) for n, failed in enumerate(["", "", "a", ""])]
    assert suspected(*nights, of_tenants(4, "a", promoted(ORDER)))
    assert not suspected(*nights[1:], of_tenants(4, "a", promoted(ORDER))), "of three it may be usual"


def test_a_failure_from_outside_that_came_before_accuses_nothing() -> None:
    nights = [loop_of(n, [("v", n != 2)]) for n in range(4)]
    failed = loop_of(4, [("v", False)], promoted(ORDER), kind=FailureKind.ACCESS_DENIED)
    assert failed.outcome and failed.outcome.failure
    why = replace(failed.outcome.failure, execution_id=2)
    assert not suspected(*nights, replace(failed, outcome=replace(failed.outcome, failure=why)))


def test_a_night_with_other_changes_clears_none_of_what_failed_with_one() -> None:
    other, beside = decided(hint("q2", "later"), PROMOTED, queries=["q2"]), decided(hint("q1"), PROMOTED)
    nights = [of_tenants(0, ""), of_tenants(1, "a", promoted(ORDER), beside), of_tenants(2, "", beside)]
    assert suspected(*nights, of_tenants(3, "a", beside, other))


def test_days_that_a_run_catches_up_on_fail_for_a_tenant_as_often() -> None:
    nights, proven = [of_tenants(n, "b") for n in range(2)], promoted(ORDER)
    assert not suspected(*nights, of_tenants(2, "b", proven, days=7))
    assert suspected(*nights, of_tenants(2, "bc", proven, days=7))
    assert suspected(*nights, of_tenants(2, "bc", proven)), "two of as many"


def test_a_tenant_that_the_job_asks_for_again_fails_once() -> None:
    def retried(night: int, *actions: DecidedChange, times: int) -> Run:
        found = of_tenants(night, "b", *actions)
        assert found.outcome
        queries = found.outcome.queries
        again = [replace(queries[2], id=100 + n) for n in range(times - 1)]
        return replace(found, outcome=replace(found.outcome, queries=(*queries, *again)))

    assert not suspected(retried(0, times=1), retried(1, promoted(ORDER), times=3))


def test_a_query_that_fails_for_the_first_time_is_looked_at_whatever_is_known_of_its_values() -> None:
    proven = promoted(ORDER)
    for known in ("v", ""):
        before = [loop_of(n, [(known, True)]) for n in range(3)]
        assert suspected(*before, loop_of(3, [(known, False)], proven))
    assert suspected(of_tenants(0, ""), of_tenants(1, "a", proven, tenants="a")), "the job broke its loop off"
    assert not suspected(run(0, {"q1": 10}), loop_of(1, [("v", False)], proven)), "it never ran before"


def test_what_fails_since_a_run_without_a_change_fails_in_any_case() -> None:
    """From then on no further run without it is needed."""
    proven = promoted(ORDER)
    nights = [of_tenants(0, ""), of_tenants(1, "b", proven), of_tenants(2, "b")]
    assert suspected(*nights[:2])
    assert not suspected(*nights, of_tenants(3, "b", proven))
    assert read_ledger([*nights, of_tenants(3, "b", proven)])[ORDER.id].standing is PROMOTED


def test_what_always_fails_in_the_end_is_usual() -> None:
    """Nobody takes a pinned change out: without an end each of its runs would accuse what comes beside it."""
    pinned = decided(ORDER.change.actions[0], Standing.PINNED, queries=["q2"])
    nights = [of_tenants(0, ""), *(of_tenants(n, "b", pinned) for n in range(1, 2 * LATEST_RUNS + 2))]
    assert newly_failed(nights[3], nights[:3]) == ["q2"]
    assert newly_failed(nights[-1], nights[:-1]) == []


def test_an_error_that_came_no_more_when_the_job_ran_its_query_again_is_none_of_a_changes() -> None:
    def retried(night: int, kind: FailureKind = FailureKind.DATA_OR_CODE, values: str = "v", held: bool = False) -> Run:
        why = replace(failure(kind, "q2"), execution_id=7)
        found = run(night, {"q1": 10, "q2": 1}, proven, failed=["q2"], failure=why)
        assert found.outcome
        first, second = found.outcome.queries
        applied = DirectiveResult(ORDER.change.actions[0].id, DirectiveStatus.APPLIED)
        result = replace(applied, status=DirectiveStatus.HELD) if held else applied
        once = replace(second, id=7, literals="v", directives=(applied,))
        again = replace(once, id=8, status=QueryStatus.SUCCEEDED, literals=values, directives=(result,))
        elsewhere = replace(again, id=6, literals="w", directives=(applied,))
        return replace(found, outcome=replace(found.outcome, queries=(first, elsewhere, once, again)))

    proven, clean = promoted(ORDER), run(2, {"q1": 10, "q2": 10})
    assert stand(retried(1), clean, retried(3)) == {ORDER.id: PROMOTED}
    known = situation(Mode.AUTO, 1, [BASE, retried(1)], drivable=frozenset(ActionKind))
    assert decide(known).in_force, "no run without it is needed to tell"
    unlike = ({"kind": FailureKind.TASK_MEMORY}, {"kind": FailureKind.UNKNOWN}, {"values": "w"}, {"held": True})
    for other in unlike:
        assert stand(retried(1, **other), clean, retried(3, **other)) == {ORDER.id: ROLLED_BACK}, other


@pytest.mark.parametrize("standing", [TRIAL, PROMOTED])
def test_a_kill_after_far_longer_than_ever_may_have_been_for_slowness(standing: Standing) -> None:
    def killed(kind: FailureKind, seconds: float) -> Standing:
        change = decided(BROADCAST.change.actions[0], standing)
        night = run(1, {"q1": seconds}, change, state=FAILED, failure=failure(kind))
        assert stand(night)[change.id] is standing, "one run without it tells"
        return stand(night, run(1, {"q1": 10, "q2": 10}, try_number=2))[change.id]

    assert killed(FailureKind.KILLED, 29) is standing, "of usually 20 s"
    assert killed(FailureKind.KILLED, 31) is ROLLED_BACK
    assert killed(FailureKind.OWN_EXIT, 31) is ROLLED_BACK, "a deadline of its own"
    assert killed(FailureKind.STOPPED, 29) is standing
    assert killed(FailureKind.STOPPED, 31) is ROLLED_BACK, "a task that ran into its timeout"
    assert killed(FailureKind.EXECUTOR_PREEMPTED, 31) is standing


def test_a_trial_that_is_killed_again_and_again_is_given_up() -> None:
    killed = [failing(FailureKind.KILLED, BROADCAST, night=n) for n in range(1, MAX_TRIALS + 1)]
    assert stand(*killed[:-1]) == {BROADCAST.id: TRIAL}
    assert stand(*killed) == {BROADCAST.id: ROLLED_BACK}


def test_the_same_failure_without_it_clears_it_and_another_does_not() -> None:
    tried = failing(FailureKind.DRIVER_OUT_OF_MEMORY, BROADCAST)
    assert stand(tried, failing(FailureKind.DRIVER_OUT_OF_MEMORY, try_number=2))[BROADCAST.id] is TRIAL
    assert stand(tried, failing(FailureKind.TASK_MEMORY, try_number=2))[BROADCAST.id] is ROLLED_BACK
    assert stand(tried, failing(FailureKind.UNKNOWN, try_number=2))[BROADCAST.id] is TRIAL
    of_q1, of_q2 = (
        failing(FailureKind.DRIVER_OUT_OF_MEMORY, *a, query=q) for a, q in (((BROADCAST,), "q1"), ((), "q2"))
    )
    assert stand(of_q1, of_q2)[BROADCAST.id] is ROLLED_BACK


def test_a_retry_that_was_killed_tells_nothing() -> None:
    tried = failing(FailureKind.DRIVER_OUT_OF_MEMORY, BROADCAST)
    killed = failing(FailureKind.KILLED, try_number=2)
    assert stand(tried, killed)[BROADCAST.id] is ROLLED_BACK
    assert stand(tried, killed, failing(FailureKind.DRIVER_OUT_OF_MEMORY, night=2))[BROADCAST.id] is TRIAL


def test_a_retry_that_fails_from_outside_leaves_it_to_the_next_run() -> None:
    nights = [failing(FailureKind.UNKNOWN, BROADCAST), failing(FailureKind.INPUT_MISSING, try_number=2)]
    assert not decide(situation(Mode.AUTO, 1, [BASE, *nights])).in_force
    nights.append(run(2, {"q1": 10, "q2": 10}))
    assert decide(situation(Mode.AUTO, 1, [BASE, *nights])).in_force


def test_what_was_cleared_stays_so_though_a_decision_in_between_held_it_for_lost() -> None:
    rolled_back = decided(BROADCAST.change.actions[0], ROLLED_BACK, reason="run etl/1/1 failed with it")
    of_it = FailureKind.DRIVER_OUT_OF_MEMORY
    nights = [failing(of_it, BROADCAST), failing(of_it, rolled_back, night=2)]
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


def test_a_run_that_found_nothing_to_read_tells_nothing_of_what_failed_before_it() -> None:
    proven = promoted(BROADCAST)
    failed, late = failing(FailureKind.EXECUTOR_OUT_OF_MEMORY, proven, query="q1"), late_upstream(2)
    assert stand(failed, late) == {BROADCAST.id: PROMOTED}
    assert not decide(situation(Mode.AUTO, 1, [BASE, failed, late])).in_force, "the next run is still without it"
    full = run(3, {"q1": 10, "q2": 10})
    assert stand(failed, late, full) == {BROADCAST.id: ROLLED_BACK}
    fails_too = failing(FailureKind.EXECUTOR_OUT_OF_MEMORY, night=3, query="q1")
    assert stand(failed, late, fails_too) == {BROADCAST.id: PROMOTED}
    assert decide(situation(Mode.AUTO, 1, [BASE, failed, late, fails_too])).in_force
    fails_at_once = run(3, {"q1": 1, "q2": 10}, proven, input_bytes=0, failed=["q1"])
    assert not decide(situation(Mode.AUTO, 1, [BASE, fails_at_once])).in_force, "what failed had not come to read"
    never_counted = run(0, {"q1": 10, "q2": 10}, input_bytes=0)
    succeeded = run(2, {"q1": 10, "q2": 10}, input_bytes=0)
    found = read_ledger([never_counted, failed, succeeded])[BROADCAST.id]
    assert found.standing is ROLLED_BACK, "a source whose bytes are not counted"


def test_a_query_that_found_nothing_to_read_tells_nothing_of_why_it_failed() -> None:
    def goes_on(night: int, *actions: DecidedChange, q1: int = GB, fails: bool = False) -> Run:
        why = failure(FailureKind.TASK_MEMORY, "q1") if fails else None
        found = run(night, {"q1": 1, "q2": 10}, *actions, failed=["q1"] if fails else [], failure=why)
        assert found.outcome
        first, second = found.outcome.queries
        return replace(found, outcome=replace(found.outcome, queries=(replace(first, input_bytes=q1), second)))

    failed = goes_on(1, promoted(HASH), fails=True)
    assert stand(failed, goes_on(2)) == {HASH.id: ROLLED_BACK}
    assert stand(failed, goes_on(2, q1=0)) == {HASH.id: PROMOTED}
    assert stand(failed, goes_on(2, q1=0), goes_on(3)) == {HASH.id: ROLLED_BACK}
    assert stand(failed, goes_on(2, q1=0, fails=True), goes_on(3)) == {HASH.id: PROMOTED}, "it failed before it read"


def test_a_kill_does_not_make_what_is_proven_a_suspect() -> None:
    failed = failing(FailureKind.KILLED, promoted(HASH))
    assert decide(situation(failed.decision.mode, 1, [BASE, failed])).actions == HASH.change.actions
    clean = run(1, {"q1": 10, "q2": 10}, try_number=2)
    assert stand(failed, clean) == {HASH.id: PROMOTED}


# --- Side by side: mapped instances, dates of a backfill ---


def side_by_side(*runs: Run) -> list[Run]:
    """Of one night, each begun a second after the one before it."""
    begun = (replace(one, started_at=one.started_at + timedelta(seconds=n)) for n, one in enumerate(runs))
    return [replace(one, key=f"etl/{n}/{one.key}") for n, one in enumerate(begun)]


@pytest.mark.parametrize("place", [0, 1])
def test_a_proven_change_that_ends_one_of_several_runs_side_by_side_is_taken_out(place: int) -> None:
    proven = promoted(BROADCAST)
    both = [run(1, {"q1": 5, "q2": 10}, proven)] * 2
    both[place] = failing(FailureKind.EXECUTOR_OUT_OF_MEMORY, proven, query="q1")
    night = side_by_side(*both)
    assert not decide(situation(Mode.AUTO, 1, [BASE, *night])).in_force, "one without it is to tell"
    retry = run(1, {"q1": 10, "q2": 10}, try_number=2)
    assert stand(*night, retry) == {BROADCAST.id: ROLLED_BACK}
    still = failing(FailureKind.EXECUTOR_OUT_OF_MEMORY, query="q1", try_number=2)
    assert stand(*night, still) == {BROADCAST.id: PROMOTED}, "it fails without it, too"
    for since in (retry, still):
        assert decide(situation(Mode.AUTO, 1, [BASE, *night, since])).unsteered is None


def test_what_another_of_them_did_without_it_says_nothing_of_it() -> None:
    """It has other data."""
    proven = promoted(BROADCAST)
    failed = failing(FailureKind.EXECUTOR_OUT_OF_MEMORY, proven, query="q1")
    night = side_by_side(failed, run(1, {"q1": 10, "q2": 10}))
    assert stand(*night) == {BROADCAST.id: PROMOTED}
    assert not decide(situation(Mode.AUTO, 1, [BASE, *night])).in_force


def test_two_that_fail_side_by_side_are_one_failure_and_none_beside_them_clears_a_suspect() -> None:
    def tried() -> Run:
        return failing(FailureKind.UNKNOWN, promoted(BROADCAST), query="q1", night=1)

    retry, gone_well = run(1, {"q1": 10, "q2": 10}, try_number=2), run(1, {"q1": 5, "q2": 10}, promoted(BROADCAST))
    night = [*side_by_side(tried(), tried(), gone_well), retry]
    assert stand(*night) == {BROADCAST.id: PROMOTED}
    again = [failing(FailureKind.UNKNOWN, promoted(BROADCAST), query="q1", night=3), run(4, {"q1": 10, "q2": 10})]
    assert stand(*night, *again) == {BROADCAST.id: ROLLED_BACK}
    since = run(2, {"q1": 5, "q2": 10}, promoted(BROADCAST))
    assert stand(*night, since, *again) == {BROADCAST.id: PROMOTED}


JAR = "s3://jars/agent.jar"


def _fetching(ran: Run) -> Run:
    return replace(ran, decision=replace(ran.decision, fetched_jar=JAR))


def _unlogged(night: int, *actions: DecidedChange) -> Run:
    return _fetching(replace(run(night, {"q1": 1}, *actions, state=FAILED), outcome=None))


def test_of_what_dies_without_a_log_a_trial_is_accused_where_the_agents_jar_was_there_before() -> None:
    """A driver that is killed leaves none in a store of objects; nor does a job whose jar has gone."""
    proven, tried = replace(BROADCAST, standing=PROMOTED), OTHER_BROADCAST
    had = _fetching(run(0, {"q1": 10, "q2": 10}, proven))
    nights = [_unlogged(1, proven, tried), run(2, {"q1": 10, "q2": 10}), _unlogged(3, proven, tried)]
    assert {id_: one.standing for id_, one in read_ledger([BASE, had, *nights]).items()} == {
        proven.id: PROMOTED,
        tried.id: ROLLED_BACK,
    }
    assert read_ledger([BASE, *nights])[tried.id].standing is TRIAL, "the jar may not be there at all"
