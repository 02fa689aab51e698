"""The decision for one run."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from tuner.model.action import Hint
from tuner.model.change import Change
from tuner.model.decision import IN_FORCE, DecidedChange, Decision, Mode, Standing
from tuner.model.failure import Failure, FailureKind
from tuner.model.reason import Reason, ReasonCode
from tuner.model.run import Run, RunState
from tuner.model.verdict import Ruling, Verdict
from tuner.policy import decided_advice
from tuner.policy.decide import decide, failed_with_changes
from tuner.policy.decided_advice import RUNS_OF_LATE
from tuner.policy.rules.conflicts import conflicts
from tuner.policy.situation import Situation
from tuner.words.decisions import decision_summary

from .histories import (
    GB,
    MIDNIGHT,
    conf,
    decided,
    hint,
    in_force,
    late_upstream,
    recommend,
    reorder,
    run,
    situation,
    standings,
    told,
    verdict,
)

ACTION = hint("q1")
ADVICE = recommend(ACTION)
BASE = run(0, {"q1": 10, "q2": 10})
STATIC, ADAPTIVE = conf("spark.sql.static", "18000000"), conf("spark.sql.adaptive", "10485760")


def known(
    *runs: Run,
    mode: Mode = Mode.AUTO,
    advice: tuple[tuple[Change, ...], ...] = (ADVICE,),
    verdicts: tuple[Verdict, ...] = (),
    try_number: int = 1,
    earlier_try_failed: bool = False,
    oversized: dict[str, Reason] | None = None,
) -> Situation:
    return situation(mode, try_number, runs, advice, verdicts, earlier_try_failed, oversized=oversized or {})


def decision(*runs: Run, **kwargs: object) -> Decision:
    return decide(known(*runs, **kwargs))  # type: ignore[arg-type]


def night(number: int, q1: float, *actions: object, **kwargs: object) -> Run:
    given = actions or (decided(ACTION),)
    return run(number, {"q1": q1, "q2": 10}, *given, **kwargs)  # type: ignore[arg-type]


def test_the_first_run_is_observed() -> None:
    assert decision_summary(decision()) == "first run: observed"
    assert not decision().changes
    assert (
        decision_summary(decision(run(0, None, state=RunState.LOST))) == "no earlier run's log has been read: observed"
    )


def test_the_second_run_tries_what_is_recommended() -> None:
    found = decision(BASE)
    assert standings(found) == {ACTION.id: Standing.TRIAL}
    assert told(found.changes[0]) == "5.0 s less"
    assert found.changes[0].queries == ("q1",)
    assert decision_summary(found) == "1 on trial"


def test_to_observe_is_to_record_and_never_to_apply() -> None:
    for runs in ([BASE], [BASE, night(1, 5)], [BASE, night(1, 5), night(2, 5, decided(ACTION, Standing.PROMOTED))]):
        found = decision(*runs, mode=Mode.OBSERVE, verdicts=(verdict(ACTION, Ruling.PIN),))
        assert not found.in_force
        assert standings(found) == {ACTION.id: Standing.PROPOSED}
        assert decision_summary(found).startswith("observed")


def test_to_suggest_is_to_wait_for_a_person() -> None:
    assert standings(decision(BASE, mode=Mode.SUGGEST)) == {ACTION.id: Standing.PROPOSED}
    approved = (verdict(ACTION, Ruling.APPROVE),)
    assert standings(decision(BASE, mode=Mode.SUGGEST, verdicts=approved)) == {ACTION.id: Standing.TRIAL}
    proven = (BASE, night(1, 5))
    assert standings(decision(*proven, mode=Mode.SUGGEST, verdicts=approved)) == {ACTION.id: Standing.PROMOTED}


def test_what_was_promoted_without_a_person_is_only_suggested() -> None:
    """The mode was auto before."""
    assert standings(decision(BASE, night(1, 5), mode=Mode.SUGGEST)) == {ACTION.id: Standing.PROPOSED}
    pinned = (verdict(ACTION, Ruling.PIN),)
    assert standings(decision(BASE, night(1, 5), mode=Mode.SUGGEST, verdicts=pinned)) == {ACTION.id: Standing.PINNED}


def test_what_won_stays_and_what_lost_is_not_tried_again() -> None:
    assert standings(decision(BASE, night(1, 5))) == {ACTION.id: Standing.PROMOTED}
    assert standings(decision(BASE, night(1, 20))) == {ACTION.id: Standing.ROLLED_BACK}


@pytest.mark.parametrize(("size", "again"), [(GB, False), (int(1.9 * GB), False), (2 * GB, True), (GB // 2, True)])
def test_what_lost_is_tried_again_when_inputs_are_others(size: int, again: bool) -> None:
    others = [run(n, {"q1": 10, "q2": 10}, input_bytes=size) for n in range(2, 2 + RUNS_OF_LATE)]
    assert bool(decision(BASE, night(1, 20), *others).in_force) is again


def of_sizes(number: int, *changes: DecidedChange, **sizes: int) -> Run:
    """A run whose queries read so many bytes each; q1 is slower with its hint."""
    slower = any(d.is_in_force for d in changes)
    found = run(number, {query: 20 if slower and query == "q1" else 10 for query in sizes}, *changes)
    assert found.outcome is not None
    queries = (replace(query, input_bytes=sizes[query.fingerprint]) for query in found.outcome.queries)
    return replace(found, outcome=replace(found.outcome, queries=tuple(queries)))


@pytest.mark.parametrize(
    ("sizes", "again"),
    [
        pytest.param({"q1": GB, "q3": 5 * GB}, False, id="another query came"),
        pytest.param({"q1": GB}, False, id="another query went"),
        pytest.param({"q1": 2 * GB, "q2": 500 * GB}, True, id="beside a large one"),
        pytest.param({"q2": 500 * GB, "q3": GB}, False, id="its query ran no more"),
    ],
)
def test_what_lost_in_a_query_is_tried_again_when_that_reads_others(sizes: dict[str, int], again: bool) -> None:
    lost = [of_sizes(0, q1=GB, q2=500 * GB), of_sizes(1, decided(ACTION), q1=GB, q2=500 * GB)]
    others = [of_sizes(n, **sizes) for n in range(2, 2 + RUNS_OF_LATE)]
    assert bool(decision(*lost, *others).in_force) is again
    (out,) = decision(*lost).changes
    later = replace(others[0], decision=replace(others[0].decision, changes=(out,)))
    assert bool(decision(later, *others[1:]).in_force) is again, "as its decision has it"


def test_a_property_that_lost_is_tried_again_when_the_whole_run_reads_others() -> None:
    """It reaches all of it."""
    property_ = conf()
    advice = (recommend(property_),)
    lost = [of_sizes(0, q1=GB), of_sizes(1, decided(property_), q1=GB)]
    others = [of_sizes(n, q1=GB, q3=5 * GB) for n in range(2, 2 + RUNS_OF_LATE)]
    assert decision(*lost, *others, advice=advice).in_force


def test_what_a_version_before_wrote_of_whole_runs_is_held_against_whole_runs() -> None:
    out = replace(decided(ACTION, Standing.ROLLED_BACK), lost_with=(501 * GB,))
    for larger, again in ((500, False), (1200, True)):
        nights = [of_sizes(n, out, q1=GB, q2=larger * GB) for n in range(RUNS_OF_LATE)]
        assert bool(decision(*nights).in_force) is again


def test_what_lost_where_nothing_was_counted_is_tried_again_once_all_runs_of_late_read_something() -> None:
    lost = [run(0, {"q1": 10, "q2": 10}, input_bytes=0), night(1, 20, input_bytes=0)]
    counted = [run(n, {"q1": 10, "q2": 10}) for n in range(2, 2 + RUNS_OF_LATE)]
    assert not decision(*lost).in_force
    assert not decision(*lost, *counted[1:]).in_force
    assert decision(*lost, *counted).in_force
    out = decision(*lost).changes
    later = [replace(one, decision=replace(one.decision, changes=out)) for one in counted]
    assert decision(*later).in_force, "as its decision has it"


def test_what_read_something_before_it_lost_where_nothing_was_counted_tells_nothing() -> None:
    property_, first = conf(value="64"), RUNS_OF_LATE
    advice = (recommend(property_, queries=["q3"]),)
    counted = [run(n, {"q1": 10, "q2": 10}) for n in range(first)]
    lost = [
        run(first, {"q3": 10}, input_bytes=0),
        run(first + 1, {"q3": 20}, decided(property_, queries=["q3"]), input_bytes=0),
        run(first + 2, {"q3": 10}, input_bytes=0),
    ]
    later = [run(n, {"q1": 10, "q2": 10}) for n in range(first + 3, 2 * first + 3)]
    assert standings(decision(*counted, *lost, advice=advice)) == {property_.id: Standing.ROLLED_BACK}
    assert not decision(*counted, *lost, *later[1:], advice=advice).in_force
    assert decision(*counted, *lost, *later, advice=advice).in_force


def test_the_sizes_of_late_are_looked_up_once_however_often_a_change_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    looked_up: list[object] = []
    original = decided_advice._sizes_of_late

    def counted(*of: object) -> list[int]:
        looked_up.append(of)
        return original(*of)  # type: ignore[arg-type]

    monkeypatch.setattr(decided_advice, "_sizes_of_late", counted)
    out = replace(decided(ACTION, Standing.ROLLED_BACK), lost_reading=(GB, 4 * GB, 16 * GB))
    sizes = [of_sizes(n, q1=100 * GB) for n in range(RUNS_OF_LATE)]
    nights = [replace(one, decision=replace(one.decision, changes=(out,))) for one in sizes]
    assert decision(*nights).in_force
    assert len(looked_up) == 1


def test_it_must_differ_from_every_input_it_lost_with() -> None:
    """A job whose weekends are small would try it each Monday else, at the size that it lost with."""
    weekend = [run(n, {"q1": 5, "q2": 5}, input_bytes=GB // 2) for n in (2, 3)]
    assert not decision(BASE, night(1, 20), *weekend).in_force
    shrunk = [run(n, {"q1": 5, "q2": 5}, input_bytes=GB // 2) for n in range(2, 2 + RUNS_OF_LATE)]
    assert not decision(BASE, night(1, 20), *shrunk[1:]).in_force
    assert decision(BASE, night(1, 20), *shrunk).in_force
    lost_again = run(20, {"q1": 20, "q2": 5}, decided(ACTION), input_bytes=GB // 2)
    grown = [run(n, {"q1": 10, "q2": 10}) for n in range(21, 21 + RUNS_OF_LATE)]
    assert not decision(BASE, night(1, 20), *shrunk, lost_again, *grown).in_force


def test_fewer_nights_than_that_do_not_bring_it_back() -> None:
    """Of large mapped tasks only some are at hand: what lost on Sundays would come back each week."""
    out = replace(decided(ACTION, Standing.ROLLED_BACK), lost_with=(2 * GB,))

    def siblings(night: int) -> list[Run]:
        one = run(night, {"q1": 5, "q2": 5}, out, input_bytes=GB // 2)
        return [replace(one, key=f"{one.key}/{n}") for n in range(21)]

    nights = [siblings(n) for n in range(4, 4 + RUNS_OF_LATE)]
    assert not decision(*(one for several in nights[:3] for one in several)).in_force
    assert not decision(*(one for several in nights[1:] for one in several)).in_force
    assert decision(*(one for several in nights for one in several)).in_force


def test_a_night_with_nothing_to_read_is_none_of_another_size() -> None:
    """A job without input on Sundays would never try anything again else."""
    grown = [run(n, {"q1": 10, "q2": 10}, input_bytes=20 * GB) for n in range(2, 3 + RUNS_OF_LATE)]
    grown[3] = late_upstream(5)
    assert not decision(BASE, night(1, 20), *grown[:-1]).in_force
    assert decision(BASE, night(1, 20), *grown).in_force


def test_many_dates_at_once_are_one_night_of_another_size() -> None:
    """A backfill of older, smaller days, side by side: the next night is as large as ever."""
    dates = [
        replace(one, key=f"{one.key}/{n}", ended_at=one.started_at + timedelta(hours=1 + n))
        for n in range(40)
        for one in [run(2, {"q1": 5, "q2": 5}, input_bytes=GB // 3)]
    ]
    assert not decision(BASE, night(1, 20), *dates).in_force
    smaller = [run(n, {"q1": 5, "q2": 5}, input_bytes=GB // 3) for n in range(4, 3 + RUNS_OF_LATE)]
    assert not decision(BASE, night(1, 20), *dates, *smaller[1:]).in_force
    assert decision(BASE, night(1, 20), *dates, *smaller).in_force


def test_runs_that_overlap_one_another_are_several_nights_of_another_size() -> None:
    """A job that takes an hour longer than a day."""
    smaller = [run(n, {"q1": 5, "q2": 5}, input_bytes=GB // 3) for n in range(2, 2 + 2 * RUNS_OF_LATE)]
    long = [replace(one, ended_at=one.started_at + timedelta(hours=25)) for one in smaller]
    assert not decision(BASE, night(1, 20), *long[: RUNS_OF_LATE - 1]).in_force
    assert decision(BASE, night(1, 20), *long).in_force


def test_another_size_says_nothing_against_a_failure() -> None:
    failure = Failure(FailureKind.BROADCAST_TOO_LARGE, "too large", "q1")
    failed = run(1, {"q1": 1}, decided(ACTION), state=RunState.FAILED, failure=failure)
    shrunk = [run(n, {"q1": 5, "q2": 5}, input_bytes=GB // 9) for n in range(2, 2 + RUNS_OF_LATE)]
    assert standings(decision(BASE, failed, *shrunk)) == {ACTION.id: Standing.ROLLED_BACK}


def test_a_failed_runs_own_input_is_none_to_compare_with() -> None:
    too_large = Failure(FailureKind.BROADCAST_TOO_LARGE, "", "q1")
    failed = run(1, {"q1": 1}, decided(ACTION), state=RunState.FAILED, input_bytes=1000, failure=too_large)
    assert not decision(BASE, failed, run(1, {"q1": 10, "q2": 10}, try_number=2)).in_force


@pytest.mark.parametrize("ruling", [Ruling.REJECT, Ruling.ROLL_BACK])
def test_what_a_person_turned_down_stays_out(ruling: Ruling) -> None:
    out = (verdict(ACTION, ruling),)
    for runs in ([BASE], [BASE, night(1, 5)], [BASE, night(1, 20), run(2, {"q1": 9}, input_bytes=9 * GB)]):
        found = decision(*runs, verdicts=out)
        assert not found.in_force
        assert "by ana" in told(found.changes[0])


@pytest.mark.parametrize("ruling", [Ruling.REJECT, Ruling.ROLL_BACK])
def test_what_a_person_turned_down_does_not_come_back_as_another_number(ruling: Ruling) -> None:
    advised, moved = (recommend(conf(value=value)) for value in ("16", "17"))
    (refused,) = advised
    said = Verdict("etl", refused.id, ruling, "ana", MIDNIGHT + timedelta(days=0.9))
    asked = run(1, {"q1": 10, "q2": 10}, DecidedChange(refused, Standing.HELD, refused.reason))
    found = decide(known(BASE, asked, advice=(moved,), verdicts=(said,)))
    assert [(d.id, d.standing) for d in found.changes if d.id == moved[0].id] == [(moved[0].id, Standing.HELD)]
    assert not found.in_force
    wanted = replace(said, change_id=moved[0].id, ruling=Ruling.APPROVE, at=said.at + timedelta(hours=1))
    assert decide(known(BASE, asked, advice=(moved,), verdicts=(said, wanted))).in_force
    # Another property was not spoken of.
    other = recommend(conf("spark.sql.adaptive.advisoryPartitionSizeInBytes"))
    assert decide(known(BASE, asked, advice=(other,), verdicts=(said,))).in_force


@pytest.mark.parametrize("ruling", [Ruling.REJECT, Ruling.ROLL_BACK])
def test_what_a_person_turned_down_stays_out_when_no_run_tells_of_it_any_more(ruling: Ruling) -> None:
    """A decision looks at 60 runs, of an hourly job two days and a half, and advice moves: the word is about the property."""
    cbo, partitions = conf("spark.sql.cbo.enabled", "true"), conf(value="16")
    refused, moved = recommend(cbo, partitions), recommend(conf(value="17"))
    said = Verdict("etl", refused[0].id, ruling, "ana", MIDNIGHT - timedelta(days=90))
    found = decision(BASE, advice=(moved,), verdicts=(said,))
    assert standings(found) == {moved[0].id: Standing.HELD}
    assert "by ana" in told(found.changes[0])
    wanted = replace(said, change_id=recommend(conf(value="18"))[0].id, ruling=Ruling.APPROVE)
    assert decision(BASE, advice=(moved,), verdicts=(said, wanted)).in_force


def test_what_is_approved_after_it_was_rejected_is_tried() -> None:
    words = (verdict(ACTION, Ruling.REJECT, 0.3), verdict(ACTION, Ruling.APPROVE, 0.6))
    assert standings(decision(BASE, verdicts=words)) == {ACTION.id: Standing.TRIAL}


def test_what_lost_is_tried_once_more_when_a_person_asks_and_only_once() -> None:
    asked = (verdict(ACTION, Ruling.APPROVE, night=1.5),)
    assert standings(decision(BASE, night(1, 20), verdicts=asked)) == {ACTION.id: Standing.TRIAL}
    assert standings(decision(BASE, night(1, 20), night(2, 20), verdicts=asked)) == {ACTION.id: Standing.ROLLED_BACK}
    earlier = (verdict(ACTION, Ruling.APPROVE, night=0.5),)
    assert standings(decision(BASE, night(1, 20), verdicts=earlier)) == {ACTION.id: Standing.ROLLED_BACK}


@pytest.mark.parametrize("moved", ["17", "64", None])
def test_what_lost_is_tried_once_more_when_a_person_asks_though_it_is_advised_no_more(moved: str | None) -> None:
    (lost,) = recommend(conf(value="16"))
    tried = decided(conf(value="16"))
    runs = [BASE, night(1, 20, tried), run(2, {"q1": 10, "q2": 10})]
    advice = () if moved is None else (recommend(conf(value=moved)),)
    asked = (verdict(conf(value="16"), Ruling.APPROVE, night=2.5),)
    assert not decision(*runs, advice=advice).in_force
    assert in_force(decision(*runs, advice=advice, verdicts=asked)) == {lost.id}
    again = (night(3, 20, tried), run(4, {"q1": 10, "q2": 10}))
    assert not decision(*runs, *again, advice=advice, verdicts=asked).in_force


def test_pinned_stays_in() -> None:
    pinned = (verdict(ACTION, Ruling.PIN),)
    for runs in ([BASE], [BASE, night(1, 20)], [BASE, night(1, 1, state=RunState.FAILED)]):
        assert standings(decision(*runs, verdicts=pinned)) == {ACTION.id: Standing.PINNED}


def test_a_retry_after_a_failed_try_with_changes_runs_unsteered() -> None:
    found = decision(BASE, night(1, 5), try_number=2, earlier_try_failed=True)
    assert not found.changes
    assert "try 2" in decision_summary(found)
    proven = decision(BASE, night(1, 5), try_number=2, earlier_try_failed=False)
    assert standings(proven) == {ACTION.id: Standing.PROMOTED}


def test_a_retry_tries_nothing_new_whatever_ended_the_try_before() -> None:
    found = decision(BASE, try_number=2, earlier_try_failed=False)
    assert not found.in_force
    (held,) = found.changes
    assert held.held is not None and held.held.code is ReasonCode.ONLY_PROVEN_ON_RETRY


def test_a_job_without_retries_gets_a_run_without_what_was_proven() -> None:
    """Else a promoted broadcast that outgrew memory would fail every night."""
    failed = night(2, 1, decided(ACTION, Standing.PROMOTED), state=RunState.FAILED)
    assert not decision(BASE, night(1, 5), failed).in_force
    succeeded = run(3, {"q1": 10, "q2": 10})
    assert standings(decision(BASE, night(1, 5), failed, succeeded)) == {ACTION.id: Standing.PROMOTED}
    again = night(4, 1, decided(ACTION, Standing.PROMOTED), state=RunState.FAILED)
    assert not decision(BASE, night(1, 5), failed, succeeded, again).in_force
    twice = decision(BASE, night(1, 5), failed, succeeded, again, run(5, {"q1": 10, "q2": 10}))
    assert standings(twice) == {ACTION.id: Standing.ROLLED_BACK}
    failed_too = run(3, None, state=RunState.FAILED)
    assert standings(decision(BASE, night(1, 5), failed, failed_too)) == {ACTION.id: Standing.PROMOTED}


def at(one: Run, minutes: float, lasts: float = 10) -> Run:
    started = one.started_at + timedelta(minutes=minutes)
    return replace(one, started_at=started, ended_at=started + timedelta(minutes=lasts))


@pytest.mark.parametrize("shown", [Standing.ROLLED_BACK, Standing.HELD])
def test_what_one_of_several_beside_one_another_showed_is_not_taken_back_by_the_others(shown: Standing) -> None:
    """Mapped instances, or dates of a backfill: all had it proven when they began, and one was killed by it, or slowed down."""
    proven = decided(ACTION, Standing.PROMOTED)
    too_large = Failure(FailureKind.BROADCAST_TOO_LARGE, "too large", "q1")
    failed = run(2, {"q1": 1}, proven, state=RunState.FAILED, failure=too_large)
    # One slow night says little, and is held against a run without it.
    bad = failed if shown is Standing.ROLLED_BACK else night(2, 40, proven)
    siblings = [replace(at(night(2, 5, proven), n), key=f"etl/2/1/{n}") for n in (1, 2, 3)]
    before = [BASE, night(1, 5)]
    assert standings(decision(*before, bad)) == {ACTION.id: shown}
    assert standings(decision(*before, bad, *siblings)) == {ACTION.id: shown}
    # One that began after it had ended was decided with what it told.
    assert standings(decision(*before, bad, at(night(2, 5, proven), 60))) == {ACTION.id: Standing.PROMOTED}


def test_a_night_that_read_nothing_proves_nothing() -> None:
    """An upstream was late: it is done at once, whatever it was run with."""
    empty = run(1, {"q1": 0.3, "q2": 0.3}, decided(ACTION), input_bytes=0)
    assert standings(decision(BASE, empty)) == {ACTION.id: Standing.TRIAL}
    assert standings(decision(BASE, empty, night(2, 14))) == {ACTION.id: Standing.ROLLED_BACK}
    assert standings(decision(BASE, empty, night(2, 5))) == {ACTION.id: Standing.PROMOTED}
    # Nor do nights before, in which it read nothing yet.
    first = [run(n, {"q1": 0.3, "q2": 0.3}, input_bytes=0) for n in (0, 1)]
    assert standings(decision(*first, night(2, 5))) == {ACTION.id: Standing.TRIAL}


def test_what_may_lose_too_much_is_held() -> None:
    risky = recommend(ACTION, before=10, after=8, high=11.5)
    found = decision(BASE, advice=(risky,))
    assert standings(found) == {ACTION.id: Standing.HELD}
    assert "may lose 1.5 s, more than the 1.0 s allowed" in told(found.changes[0])
    assert decision(BASE, advice=(risky,), verdicts=(verdict(ACTION, Ruling.APPROVE),)).in_force


def test_a_new_value_replaces_the_one_in_force_and_takes_over_its_queries() -> None:
    old, new = conf(value="16"), conf(value="64")
    proven = night(1, 5, decided(old, queries=["q1"]))
    found = decision(BASE, proven, advice=(recommend(new, queries=["q2"]),))
    assert standings(found) == {new.id: Standing.TRIAL}
    assert found.changes[0].queries == ("q1", "q2")


def test_what_it_replaced_comes_back_when_it_loses() -> None:
    old, new = conf(value="16"), conf(value="64")
    lost = night(2, 9, decided(new, queries=["q1"]))
    found = decision(BASE, night(1, 5, decided(old)), lost, advice=())
    assert standings(found) == {old.id: Standing.PROMOTED, new.id: Standing.HELD}
    without = night(3, 5, *found.changes)
    found = decision(BASE, night(1, 5, decided(old)), lost, without, advice=())
    assert standings(found) == {old.id: Standing.PROMOTED, new.id: Standing.ROLLED_BACK}


class TestSidesOfOneJoin:
    """The agent gives a join one hint: the other would be ignored, and expire, proven or not."""

    ONE, OTHER = hint("q1"), replace(hint("q1"), relations=("fact",))

    def test_of_two_that_no_run_had_the_larger_gain_is_tried(self) -> None:
        small, large = recommend(self.ONE, after=8), recommend(self.OTHER, after=5)
        assert standings(decision(BASE, advice=(large, small))) == {self.OTHER.id: Standing.TRIAL}
        assert standings(decision(BASE, advice=(small, large))) == {self.ONE.id: Standing.TRIAL}

    def test_what_an_order_calls_for_comes_with_it(self) -> None:
        (other,), (order, called_for) = recommend(self.OTHER, after=5), recommend(reorder("q1"), self.ONE, after=6)
        for changes in ((other, order, called_for), (order, called_for, other)):
            found = conflicts(known(BASE), [DecidedChange(c, Standing.TRIAL, c.reason) for c in changes])
            assert {d.id for d in found} == {order.id, called_for.id}

    def test_a_filter_by_keys_is_tried_beside(self) -> None:
        keys = replace(hint("q1", value=Hint.FILTER_BY_KEY), relations=("fact",))
        assert in_force(decision(BASE, advice=(recommend(self.ONE), recommend(keys)))) == {self.ONE.id, keys.id}

    def test_a_trial_of_the_other_replaces_what_is_proven_until_it_loses(self) -> None:
        proven = night(1, 5, decided(self.ONE))
        assert in_force(decision(BASE, proven, advice=(recommend(self.OTHER),))) == {self.OTHER.id}
        lost = night(2, 9, decided(self.OTHER))
        again = decision(BASE, proven, lost, advice=())
        assert in_force(again) == {self.ONE.id}
        after = night(3, 5, *again.changes)
        found = standings(decision(BASE, proven, lost, after, advice=()))
        assert found[self.ONE.id] is Standing.PROMOTED
        assert found.get(self.OTHER.id) in (None, Standing.ROLLED_BACK)

    def test_what_is_better_still_is_promoted_in_its_place(self) -> None:
        better = [night(number, 2, decided(self.OTHER)) for number in (2, 3, 4)]
        found = standings(decision(BASE, night(1, 5, decided(self.ONE)), *better, advice=()))
        assert found == {self.OTHER.id: Standing.PROMOTED}


def test_nearly_the_same_value_is_no_news() -> None:
    old, new = conf(value="64"), conf(value="72")
    assert standings(decision(BASE, night(1, 5, decided(old)), advice=(recommend(new),))) == {old.id: Standing.PROMOTED}


def test_what_lost_does_not_come_back_as_another_number() -> None:
    """A threshold is computed from last night's bytes: tonight's advice is 18.1 MB where 18 MB lost."""
    lost, alike = night(1, 20, decided(STATIC)), (recommend(conf(STATIC.target, "18100000")),)
    assert not decision(BASE, lost, advice=alike).in_force, "it is left out of one run, to compare"
    other = (recommend(conf(STATIC.target, "40000000")),)
    assert not decision(BASE, lost, advice=other).in_force, "and that run has nothing in its place"
    found = decision(BASE, lost, run(2, {"q1": 10, "q2": 10}), advice=alike)
    assert not found.in_force
    assert any("(18000000) was tried" in told(d) for d in found.changes)


def test_half_of_what_belongs_together_is_not_tried() -> None:
    pair = (recommend(STATIC, ADAPTIVE),)
    assert len(decision(BASE, advice=pair).actions) == 2
    rejected = decision(BASE, advice=pair, verdicts=(verdict(ADAPTIVE, Ruling.REJECT),))
    assert not rejected.in_force
    lost = night(1, 20, decided(STATIC), decided(ADAPTIVE))
    other_static = (recommend(conf(STATIC.target, "40000000"), ADAPTIVE),)
    assert not decision(BASE, lost, advice=other_static).in_force


def test_what_belongs_together_stays_together_once_proven() -> None:
    """AQE's threshold, unset, follows the static one and turns joins nobody judged."""
    pair = recommend(STATIC, ADAPTIVE)
    tried = decision(BASE, advice=(pair,))
    proven = run(1, {"q1": 5, "q2": 10}, *tried.changes)
    assert len(decision(BASE, proven, advice=()).actions) == 2
    for ruling in (Ruling.REJECT, Ruling.ROLL_BACK):
        assert not decision(BASE, proven, advice=(), verdicts=(verdict(ADAPTIVE, ruling),)).in_force


def test_who_approves_one_of_them_approves_both() -> None:
    pair, word = (recommend(STATIC, ADAPTIVE),), (verdict(STATIC, Ruling.APPROVE),)
    tried = decision(BASE, advice=pair, mode=Mode.SUGGEST, verdicts=word)
    assert len(tried.actions) == 2
    proven = run(1, {"q1": 5, "q2": 10}, *tried.changes)
    assert len(decision(BASE, proven, advice=(), mode=Mode.SUGGEST, verdicts=word).actions) == 2
    both = (*word, verdict(ADAPTIVE, Ruling.REJECT))
    assert not decision(BASE, advice=pair, mode=Mode.SUGGEST, verdicts=both).in_force


def test_a_pinned_value_is_not_replaced() -> None:
    old, new = conf(value="16"), conf(value="64")
    found = decision(BASE, night(1, 10, decided(old)), advice=(recommend(new),), verdicts=(verdict(old, Ruling.PIN),))
    assert in_force(found) == {old.id}


@pytest.mark.parametrize(
    ("ruling", "standing"), [(Ruling.PIN, Standing.PINNED), (Ruling.APPROVE, Standing.TRIAL)], ids=["pin", "approve"]
)
def test_of_two_values_that_people_asked_for_the_later_word_counts(ruling: Ruling, standing: Standing) -> None:
    old, new = conf(value="16"), conf(value="64")
    runs = [BASE, *(night(n, 10, decided(old, Standing.PINNED)) for n in range(1, 5))]
    first, later = verdict(old, Ruling.PIN, night=0.5), verdict(new, ruling, night=4.5)
    found = decision(*runs, advice=(recommend(new),), verdicts=(first, later))
    assert standings(found) == {old.id: Standing.HELD, new.id: standing}
    (held,) = (d for d in found.changes if d.id == old.id)
    words = "pinned" if ruling is Ruling.PIN else "approved"
    assert told(held).endswith(f"held: another change in its place was {words} by ana")
    runs += [night(5, 10, *found.changes)]
    again = verdict(old, Ruling.PIN, night=5.5)
    back = decision(*runs, advice=(recommend(new),), verdicts=(first, later, again))
    assert standings(back) == {old.id: Standing.PINNED, new.id: Standing.HELD}
    found = decision(BASE, night(1, 9.7, decided(new, standing)), advice=(recommend(old),), verdicts=(first, later))
    assert standings(found) == {old.id: Standing.HELD, new.id: standing}
    refused = verdict(new, Ruling.REJECT, night=5.5)
    assert in_force(decision(*runs, advice=(recommend(new),), verdicts=(first, later, refused))) == {old.id}


@pytest.mark.parametrize("mode", [Mode.AUTO, Mode.SUGGEST])
@pytest.mark.parametrize(
    ("ruling", "standing"),
    [(Ruling.PIN, Standing.PINNED), (Ruling.APPROVE, Standing.TRIAL)],
    ids=["pinned", "approved"],
)
def test_what_a_person_asked_for_is_in_force_though_advice_has_moved_before_it_ran(
    mode: Mode, ruling: Ruling, standing: Standing
) -> None:
    old, new = conf(value="16"), conf(value="64")
    shown = run(1, {"q1": 10, "q2": 10}, decided(old, Standing.PROPOSED), mode=mode)
    word = (verdict(old, ruling, night=1.5),)
    found = decision(BASE, shown, advice=(recommend(new),), verdicts=word, mode=mode)
    assert (in_force(found), standings(found)[old.id]) == ({old.id}, standing)
    unlike = decision(BASE, shown, advice=(recommend(hint()),), verdicts=word, mode=mode)
    assert (old.id in in_force(unlike)) is (ruling is Ruling.PIN), "nothing of the kind is advised any more"
    later = (*word, verdict(old, Ruling.REJECT, night=1.6))
    assert old.id not in in_force(decision(BASE, shown, advice=(recommend(new),), verdicts=later, mode=mode))
    anew = (*word, verdict(new, ruling, night=1.6))
    assert new.id in in_force(decision(BASE, shown, advice=(recommend(new),), verdicts=anew, mode=mode))


def test_a_hint_whose_side_has_outgrown_memory_is_held() -> None:
    found = decision(
        BASE,
        night(1, 5),
        oversized={ACTION.id: Reason(ReasonCode.OVERSIZED, {"bytes": 5 * GB, "most_bytes": 200_000_000})},
    )
    assert standings(found) == {ACTION.id: Standing.HELD}
    assert "5.0 GB, more than the 200 MB allowed" in told(found.changes[0])


def test_one_run_at_a_time_tries_a_thing() -> None:
    """Mapped tasks start together; a driver that was killed is not heard of for days."""
    trying = run(1, None, decided(ACTION), state=RunState.RUNNING)
    found = decision(BASE, trying)
    assert standings(found) == {ACTION.id: Standing.HELD}
    assert "etl/1/1 is trying it" in told(found.changes[0])
    proven = night(2, 5)
    also = run(3, None, decided(ACTION, Standing.PROMOTED), state=RunState.RUNNING)
    assert decision(BASE, proven, also).in_force


@pytest.mark.parametrize(
    ("hours", "longest_seconds", "is_tried"), [(0.9, 40, False), (1.1, 40, True), (6, 40, True), (6, 3600, False)]
)
def test_a_run_that_was_not_heard_of_for_far_longer_than_any_took_keeps_no_trial(
    hours: float, longest_seconds: float, is_tried: bool
) -> None:
    """Its worker died, and with it who would have told: that came to a wait of two days, as many trials of a job of each hour."""
    measured = [run(number, {"q1": longest_seconds / 2, "q2": longest_seconds / 2}) for number in range(10)]
    unseen = run(10, None, decided(ACTION), state=RunState.RUNNING)
    known_then = replace(known(*measured, unseen), now=unseen.started_at + timedelta(hours=hours))
    assert (in_force(decide(known_then)) == {ACTION.id}) is is_tried
    assert not in_force(decide(replace(known_then, now=None)))


def test_what_several_runs_had_that_were_not_heard_of_is_not_tried_in_another() -> None:
    """It may be what ends them."""
    unseen = [run(number, None, decided(ACTION), state=RunState.RUNNING) for number in (1, 2)]
    found = decide(replace(known(BASE, *unseen), now=MIDNIGHT + timedelta(days=3)))
    assert standings(found) == {ACTION.id: Standing.HELD}


def test_a_trial_that_has_to_wait_leaves_in_force_what_it_would_replace() -> None:
    old, new = conf(value="16"), conf(value="64")
    trying = run(2, None, decided(new), state=RunState.RUNNING)
    assert in_force(decision(BASE, night(1, 5, decided(old)), trying, advice=(recommend(new),))) == {old.id}


def test_the_same_history_gives_the_same_decision() -> None:
    given = known(
        BASE, night(1, 5), advice=(ADVICE, recommend(STATIC, ADAPTIVE)), verdicts=(verdict(STATIC, Ruling.PIN),)
    )
    assert decide(given) == decide(replace(given, runs=list(given.runs)))


def test_a_decision_says_where_each_action_stands() -> None:
    found = decision(BASE, night(1, 5), advice=(recommend(STATIC, high=99), ADVICE))
    assert decision_summary(found) == "1 promoted, 1 held"
    assert all(any(c.isdigit() for c in told(d)) for d in found.changes)
    assert all(d.standing in IN_FORCE or d.standing is Standing.HELD for d in found.changes)


@pytest.mark.parametrize(
    ("state", "actions", "expected"),
    [
        (RunState.FAILED, True, True),
        (RunState.RUNNING, True, True),
        (RunState.SUCCEEDED, True, False),
        (RunState.FAILED, False, False),
    ],
)
def test_which_earlier_try_counts(state: RunState, actions: bool, expected: bool) -> None:
    earlier = run(1, None, *([decided(ACTION)] if actions else []), state=state)
    another = run(2, None, decided(ACTION), state=RunState.FAILED)
    assert failed_with_changes([earlier, another], "etl/1/2") is expected
    assert not failed_with_changes([earlier], "etl/1/1"), "this very try is no earlier one"


@pytest.mark.parametrize("kind", sorted(FailureKind))
def test_a_retry_keeps_what_is_proven_only_where_the_try_before_was_refused(kind: FailureKind) -> None:
    refused = kind in {FailureKind.INPUT_MISSING, FailureKind.ACCESS_DENIED, FailureKind.UNREACHABLE, FailureKind.CODE}
    proven, new = decided(ACTION, Standing.PROMOTED), decided(conf())
    tries = [
        run(2, {"q1": 1}, proven, new, state=RunState.FAILED, failure=Failure(kind, "why"), try_number=n)
        for n in (1, 2)
    ]
    before = [BASE, night(1, 5), *tries]
    found = decide(
        replace(
            known(*before, advice=(), try_number=3),
            earlier_try_failed=failed_with_changes(before, "etl/2/3"),
        )
    )
    assert [d.id for d in found.in_force] == ([ACTION.id] if refused else [])
    mixed = [*before, run(2, {"q1": 1}, proven, state=RunState.FAILED, try_number=3)]
    assert failed_with_changes(mixed, "etl/2/4"), "of one of them they may have been the cause"
