"""What each change gained in each run."""

from __future__ import annotations

import math
import random
from collections.abc import Iterable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from tuner.history.store import Store
from tuner.model.cluster import Cluster
from tuner.model.decision import Decision, Mode, Standing
from tuner.model.failure import Failure, FailureKind
from tuner.model.query_work import QueryWork, StageWork, WorkInBrief
from tuner.model.reason import Reason, ReasonCode
from tuner.model.resource_use import ResourceUse
from tuner.model.run import Outcome, Run, RunState
from tuner.model.saving import OF_SIZES, Saving
from tuner.model.size_change import SizeChange
from tuner.policy.baseline import baselines
from tuner.policy.evidence.log_ratio import Z_90, LogRatio
from tuner.policy.savings import savings, shared_out
from tuner.spark.knobs import DYNAMIC_ALLOCATION

from .histories import Cohort, conf, decided, hint, late_upstream, recommend, reorder, run

HINT = decided(hint("q1"), Standing.PROMOTED)
OTHER = decided(hint("q2"), Standing.PROMOTED, queries=("q2",))
PROPERTY = decided(conf(), Standing.PROMOTED, queries=("q1",))
FEWER_ELASTIC = SizeChange(
    "spark.dynamicAllocation.maxExecutors", "2", "4", Reason(ReasonCode.EXECUTORS_CUT, {"executors": 4})
)
FEWER = SizeChange("spark.executor.instances", "2", "4", Reason(ReasonCode.RECORDED, {"said": ""}))


def by_change(found: Iterable[Saving]) -> dict[str, float]:
    total: dict[str, float] = {}
    for saving in found:
        total[saving.change_id] = total.get(saving.change_id, 0.0) + saving.seconds
    return total


def held(one: Run, cores: float, gib: float = 0.0) -> Run:
    """A run whose executors held so many cores and GiB all the time."""
    assert one.outcome and one.outcome.duration_ms
    took = one.outcome.duration_ms
    use = ResourceUse(executor_ms=took, container_bytes=int(gib * (1 << 30)))
    return replace(one, outcome=replace(one.outcome, allocated_core_ms=int(cores * took), resources=use))


def at_once(one: Run) -> Run:
    """A run whose queries all start together, and which ends with the longest."""
    assert one.outcome
    queries = tuple(replace(query, start_ms=0) for query in one.outcome.queries)
    took = max(query.duration_ms or 0 for query in queries)
    return replace(one, outcome=replace(one.outcome, queries=queries, duration_ms=took))


def cut(one: Run, cores: float, gib: float = 0.0) -> Run:
    """A run with fewer executors than its job asks for, which held so much."""
    return replace(held(one, cores, gib), decision=replace(one.decision, cuts=(FEWER,)))


def core_hours(one: Run) -> float:
    assert one.outcome and one.outcome.allocated_core_hours is not None
    return one.outcome.allocated_core_hours


def test_runs_that_nothing_was_in_force_in_gained_nothing() -> None:
    assert savings([run(n, {"q1": 20.0}) for n in range(5)]) == []


def test_a_gain_is_that_of_each_run_with_the_change() -> None:
    nights = [run(0, {"q1": 20.0, "q2": 10.0}), *(run(n, {"q1": 10.0, "q2": 10.0}, HINT) for n in range(1, 11))]
    found = savings(nights)
    assert [saving.run_key for saving in found] == [night.key for night in nights[1:]]
    assert by_change(found) == {HINT.id: pytest.approx(100, rel=0.02)}
    assert all(0 < saving.deviation < 3 for saving in found)


def test_a_loss_is_told_as_a_gain_is() -> None:
    found = savings([run(0, {"q1": 10.0, "q2": 9.0}), *(run(n, {"q1": 20.0, "q2": 9.0}, HINT) for n in range(1, 6))])
    assert by_change(found) == {HINT.id: pytest.approx(-50, rel=0.1)}


def test_a_query_that_never_ran_without_its_change_is_claimed_by_none() -> None:
    assert savings([run(n, {"q1": 10.0}, HINT) for n in range(5)]) == []


def test_two_changes_of_one_query_share_what_both_gained() -> None:
    second = decided(hint("q1", "other join"), Standing.PROMOTED)
    nights = [
        *(run(n, {"q1": 40.0, "q2": 9.0}) for n in range(3)),
        *(run(n, {"q1": 20.0, "q2": 9.0}, HINT) for n in range(3, 6)),
        *(run(n, {"q1": 10.0, "q2": 9.0}, HINT, second) for n in range(6, 16)),
    ]
    found = by_change(saving for saving in savings(nights) if saving.run_key in {night.key for night in nights[6:]})
    assert sum(found.values()) == pytest.approx(300, rel=0.03)
    assert found[HINT.id] == pytest.approx(found[second.id], rel=0.1), "each halves what it takes"


def test_what_is_tried_together_is_one_row_and_as_sure_as_the_whole() -> None:
    order = decided(reorder("q1"), Standing.PROMOTED)
    needs = decided(hint("q1", "in that order"), Standing.PROMOTED, needs=order.id)
    nights = [run(0, {"q1": 40.0, "q2": 9.0}), *(run(n, {"q1": 10.0, "q2": 9.0}, order, needs) for n in range(1, 11))]
    found = savings(nights)
    assert {saving.change_id for saving in found} == {order.id}
    assert by_change(found)[order.id] == pytest.approx(300, rel=0.03)
    assert all(saving.deviation < 5 for saving in found), "of 40 s in one run without"


def test_what_was_always_together_is_counted_once() -> None:
    second = decided(hint("q1", "other join"), Standing.PROMOTED)
    nights = [run(0, {"q1": 40.0, "q2": 9.0}), *(run(n, {"q1": 10.0, "q2": 9.0}, HINT, second) for n in range(1, 6))]
    assert sum(by_change(savings(nights)).values()) == pytest.approx(150, rel=0.03)


def test_a_property_gains_on_queries_that_it_does_not_name() -> None:
    """TPC-H 17 fell from 34.9 s to 6.6 s by a threshold that was set for nine others."""
    nights = [
        *(run(n, {"q1": 10.0, "q17": 35.0, "q3": 20.0}) for n in range(3)),
        *(run(n, {"q1": 8.0, "q17": 7.0, "q3": 20.0}, PROPERTY) for n in range(3, 8)),
    ]
    assert by_change(savings(nights)) == {PROPERTY.id: pytest.approx(5 * 30, rel=0.05)}


def test_a_property_that_does_nothing_to_a_hundred_others_claims_no_chance() -> None:
    chance = random.Random(7)

    def night(number: int, faster: float) -> dict[str, float]:
        rest = {f"x{i}": 3 * math.exp(chance.gauss(0, 0.06)) for i in range(100)}
        return {"q1": 20 * faster * math.exp(chance.gauss(0, 0.02)), **rest}

    nights = [run(n, night(n, 1.0)) for n in range(4)] + [run(n, night(n, 0.5), PROPERTY) for n in range(4, 14)]
    assert by_change(savings(nights)) == {PROPERTY.id: pytest.approx(100, rel=0.1)}


def test_one_night_that_hung_gains_no_more_than_others() -> None:
    nights = [*(run(n, {"q1": 20.0}) for n in range(4)), *(run(n, {"q1": 10.0}, HINT) for n in range(4, 12))]
    found = savings([*nights, run(12, {"q1": 600.0}, HINT)])
    assert found[-1].seconds < 20


def computed(one: Run, cpu_seconds: float) -> Run:
    """A run whose queries computed for so long, over as many rows as that takes."""
    assert one.outcome
    ms, work = int(cpu_seconds * 1000), WorkInBrief(cpu_seconds, broadcast_ms=0)
    queries = (replace(q, executor_cpu_ms=ms, executor_run_ms=ms, work_in_brief=work) for q in one.outcome.queries)
    return replace(one, outcome=replace(one.outcome, queries=tuple(queries)))


def staged(one: Run, machine: float, join_seconds: float) -> Run:
    """A run on a machine that takes so many times as long: a scan that no change reaches, and a join."""
    assert one.outcome
    (query,) = one.outcome.queries
    scan = StageWork(1, 8, int(80_000 * machine), {"scan": 1e10})
    join = StageWork(2, 8, int(8_000 * join_seconds * machine), {"shuffle_read": join_seconds * 1e9})
    ms = scan.core_ms + join.core_ms
    query = replace(query, executor_cpu_ms=ms, executor_run_ms=ms, work=QueryWork((scan, join)))
    return replace(one, outcome=replace(one.outcome, queries=(query,)))


def test_of_what_is_read_in_brief_the_same_is_told(tmp_path: Path) -> None:
    """The run's log told a gain, by the stages that no change reaches, and the panel a loss: the machine was slow."""
    slow = staged(run(2, {"q1": 32.0}, HINT), 1.8, 8.0)
    with Store.open(f"sqlite:///{tmp_path}/history.db") as store:
        for one in (*(staged(run(n, {"q1": 30.0}), 1.0, 20.0) for n in range(2)), slow):
            assert one.ended_at
            store.begin(replace(one, state=RunState.RUNNING, ended_at=None, outcome=None))
            store.finish(one.key, one.state, one.ended_at, one.outcome)
        whole, brief = (store.runs("etl", 60, brief=is_brief) for is_brief in (False, True))
    (gained,) = savings(brief)
    assert [gained] == savings(whole) and gained.seconds > 0
    assert baselines(brief) == baselines(whole)


@pytest.mark.parametrize("without", [1, 4])
def test_a_first_night_that_hung_gains_no_more_than_those_after_it(without: int) -> None:
    before = [computed(run(n, {"q1": 20.0}), 80) for n in range(without)]
    seconds = [600.0, *[10.0] * 8]
    tuned = [computed(run(n, {"q1": took}, HINT), 40) for n, took in enumerate(seconds, without)]
    first, *rest = (saving.seconds for saving in savings([*before, *tuned]))
    assert all(5 < gained < 10 for gained in rest)
    assert 5 < first < 10


def test_what_a_change_surely_loses_in_its_only_night_is_booked_whole() -> None:
    (lost,) = savings(
        [*(computed(run(n, {"q1": 20.0}), 80) for n in range(4)), computed(run(4, {"q1": 60.0}, HINT), 240)]
    )
    assert lost.seconds == pytest.approx(-40, rel=0.1)


def test_what_a_first_night_flattered_is_taken_back_as_runs_without_tell() -> None:
    nights = [run(0, {"q1": 20.0, "q2": 9.0}), *(run(n, {"q1": 10.0, "q2": 9.0}, HINT) for n in range(1, 6))]
    before = sum(by_change(savings(nights)).values())
    without = [run(n, {"q1": 12.0, "q2": 9.0}) for n in range(6, 8)]
    again = [run(n, {"q1": 10.0, "q2": 9.0}, HINT) for n in range(8, 10)]
    found = savings([*nights, *without, *again])
    after = sum(saving.seconds for saving in found if saving.run_key in {night.key for night in nights})
    assert before == pytest.approx(50, rel=0.05)
    assert after < 0.6 * before


@pytest.mark.parametrize("empty", [1, 2, 3])
def test_nights_that_found_nothing_to_read_gained_nothing_and_tell_nothing_of_others(empty: int) -> None:
    nights = [
        *(run(n, {"q1": 30.0, "q2": 10.0}) for n in range(3)),
        *(run(n, {"q1": 27.0, "q2": 10.0}, HINT) for n in range(3, 9)),
        *(late_upstream(n, HINT) for n in range(9, 9 + empty)),
        *(run(n, {"q1": 27.0, "q2": 10.0}, HINT) for n in range(9 + empty, 11 + empty)),
    ]
    found = savings(nights)
    assert {saving.run_key for saving in found} == {n.key for n in (*nights[3:9], *nights[9 + empty :])}
    assert [saving.seconds for saving in found] == pytest.approx([3.0] * 8, rel=0.05)


@pytest.mark.parametrize("seed", range(5))
def test_the_sum_is_what_a_control_bears_out(seed: int) -> None:
    """Each night runs twice, with the changes and without: what the runs with them claim is what the others took more."""
    chance = random.Random(seed)
    effects = {"q1": 0.5, "q2": 0.8, "q3": 1.0, "q4": 1.0}
    base = {"q1": 30.0, "q2": 20.0, "q3": 15.0, "q4": 10.0}

    def night(number: int, machine: float, steered: bool) -> dict[str, float]:
        times = {q: s * machine * math.exp(chance.gauss(0, 0.04)) for q, s in base.items()}
        return {q: s * (effects[q] if steered else 1) for q, s in times.items()}

    runs, took_more = [run(n, night(n, 1.0, False)) for n in range(2)], 0.0
    for n in range(2, 30):
        machine = math.exp(chance.gauss(0, 0.1))
        with_them, without = night(n, machine, True), night(n, machine, False)
        took_more += sum(without.values()) - sum(with_them.values())
        runs.append(run(n, with_them, HINT, OTHER))
    found = savings(runs)
    claimed = sum(by_change(found).values())
    unsure = Z_90 * math.hypot(*(sum(s.deviation for s in found if s.change_id == id_) for id_ in by_change(found)))
    assert abs(claimed - took_more) < 1.5 * unsure
    assert claimed == pytest.approx(took_more, rel=0.2)


@pytest.mark.parametrize(
    ("ratio", "each"),
    [
        (LogRatio(-1.0, 0.01), [LogRatio(-0.6, 0.02), LogRatio(-0.4, 0.02)]),
        (LogRatio(-1.0, 0.01), [LogRatio(-0.5, 0.02), LogRatio(-0.1, 0.08)]),
        (LogRatio(0.3, 0.01), [LogRatio(-0.5, 0.02), LogRatio(0.8, 0.02)]),
        (LogRatio(0.0, 0.01), [LogRatio(-0.5, 0.02), LogRatio(0.5, 0.02)]),
        (LogRatio(-4.0, 0.5), [LogRatio(-4.0, 0.5)]),
    ],
)
def test_parts_add_up_to_the_whole(ratio: LogRatio, each: list[LogRatio]) -> None:
    shares = shared_out(100.0, ratio, [(str(number), one) for number, one in enumerate(each)])
    assert sum(share.seconds for share in shares) == pytest.approx(100 * (1 - math.exp(ratio.mean)), abs=1e-6)


def test_the_less_sure_takes_the_more_of_what_does_not_add_up() -> None:
    sure, unsure = shared_out(100.0, LogRatio(-1.0, 0.01), [("a", LogRatio(-0.5, 0.02)), ("b", LogRatio(-0.1, 0.08))])
    assert sure.seconds == pytest.approx(unsure.seconds * 0.58 / 0.42)


def test_hours_are_those_of_the_cores_that_the_run_held() -> None:
    nights = [held(run(0, {"q1": 7200.0}), 4, 8), held(run(1, {"q1": 3600.0}, HINT), 4, 8)]
    (saving,) = savings(nights)
    assert saving.core_hours == pytest.approx(4 * saving.seconds / 3600)
    assert saving.gib_hours == pytest.approx(8 * saving.seconds / 3600)
    assert savings([run(0, {"q1": 20.0}), run(1, {"q1": 10.0}, HINT)])[0].core_hours is None


def elastic(one: Run, cores: float) -> Run:
    """A run of a job with dynamic allocation."""
    one = held(one, cores, 2 * cores)
    assert one.outcome
    return replace(one, outcome=replace(one.outcome, conf={DYNAMIC_ALLOCATION.property: "true"}))


@pytest.mark.parametrize(("without", "share"), [(3, 0.25), (20, 0.1)])
def test_seconds_that_more_cores_were_held_for_are_hardly_hours_saved(without: int, share: float) -> None:
    """The less so, the more runs tell."""
    nights = [elastic(run(n, {"q1": 1000.0}), 100) for n in range(without)]
    tuned = [elastic(run(n, {"q1": 800.0}, HINT), 125) for n in range(without, without + 10)]
    assert core_hours(nights[0]) == core_hours(tuned[0])
    saving = savings([*nights, *tuned])[0]
    assert saving.seconds == pytest.approx(200, rel=0.05)
    assert 0 <= (saving.core_hours or 0) < share * 125 * saving.seconds / 3600
    assert saving.gib_hours == pytest.approx(2 * (saving.core_hours or 0))
    fixed = [replace(one, outcome=replace(one.outcome, conf={})) for one in (*nights, *tuned) if one.outcome]
    assert savings(fixed)[0].core_hours == pytest.approx(125 * saving.seconds / 3600)


def test_more_cores_that_changes_take_are_no_hours_saved_once_executors_are_cut() -> None:
    nights = [elastic(run(n, {"q1": 1000.0}), 100) for n in range(20)]
    tuned = [elastic(run(n, {"q1": 800.0}, HINT), 125) for n in range(20, 30)]
    smaller = [elastic(run(n, {"q1": 800.0}, HINT), 62.5) for n in range(30, 32)]
    smaller = [replace(one, decision=replace(one.decision, cuts=(FEWER_ELASTIC,))) for one in smaller]
    found = [saving for saving in savings([*nights, *tuned, *smaller]) if saving.change_id == HINT.id]
    assert len(found) == 12
    for saving in found:
        assert 0 <= (saving.core_hours or 0) < 0.1 * 125 * saving.seconds / 3600


def test_cores_that_are_let_go_of_are_hours_saved_beside_the_seconds() -> None:
    nights = [elastic(run(n, {"q1": 1000.0}), 100) for n in range(3)]
    tuned = [elastic(run(n, {"q1": 800.0}, HINT), 62.5) for n in range(3, 13)]
    saving = savings([*nights, *tuned])[-1]
    by_clock = 62.5 * saving.seconds / 3600
    assert 2.5 * by_clock < (saving.core_hours or 0) <= core_hours(nights[0]) - core_hours(tuned[0])


@pytest.mark.parametrize("seed", range(5))
def test_what_executors_happen_to_hold_is_no_hour_of_a_change_that_gains_little(seed: int) -> None:
    """Of 2 % on the clock, where what they hold differs by a fifth from night to night."""
    chance = random.Random(seed)
    nights = [elastic(run(n, {"q1": 1000.0}), 100 * math.exp(chance.gauss(0, 0.2))) for n in range(3)]
    tuned = [elastic(run(n, {"q1": 980.0}, HINT), 100 * math.exp(chance.gauss(0, 0.2))) for n in range(3, 13)]
    saved = sum(saving.core_hours or 0 for saving in savings([*nights, *tuned]))
    assert saved == pytest.approx(10 * 100 * 20 / 3600, rel=0.5)


def test_hours_count_once_for_queries_that_run_at_once() -> None:
    queries = [f"q{number}" for number in range(8)]
    everywhere = decided(conf(), Standing.PROMOTED, queries=queries)
    nights = [held(at_once(run(n, dict.fromkeys(queries, 100.0))), 8, 32) for n in range(3)]
    tuned = [held(at_once(run(n, dict.fromkeys(queries, 50.0), everywhere)), 8, 32) for n in range(3, 8)]
    saving = savings([*nights, *tuned])[-1]
    assert saving.seconds == pytest.approx(400, rel=0.03)
    assert saving.core_hours == pytest.approx(core_hours(nights[0]) - core_hours(tuned[0]), rel=0.03)
    assert saving.gib_hours == pytest.approx(32 * 50 / 3600, rel=0.03)


@pytest.mark.parametrize("slower", [1.0, 1.05, 1.5, 2.0, 3.0])
def test_fewer_executors_save_no_more_where_they_make_a_run_slower(slower: float) -> None:
    nights = [held(run(n, {"q1": 1000.0}), 16, 64) for n in range(3)]
    fewer = [cut(run(n, {"q1": 1000.0 * slower}), 8, 32) for n in range(3, 6)]
    found = savings([*nights, *fewer])
    assert [saving.change_id for saving in found] == [OF_SIZES] * 3
    for saving in found:
        assert saving.core_hours == pytest.approx(core_hours(nights[0]) - core_hours(fewer[0]), abs=1e-6)
        assert saving.gib_hours == pytest.approx(4 * (saving.core_hours or 0), abs=1e-6)


def test_fewer_executors_that_slow_a_run_are_told_from_a_change_that_hastens_it() -> None:
    nights = [held(run(n, {"q1": 1000.0}), 16) for n in range(3)]
    slowed = [cut(run(n, {"q1": 1500.0}), 8) for n in range(3, 6)]
    hastened = [cut(run(n, {"q1": 750.0}, HINT), 8) for n in range(6, 12)]
    found = [saving for saving in savings([*nights, *slowed, *hastened]) if saving.change_id == OF_SIZES]
    assert [saving.core_hours for saving in found[:3]] == pytest.approx([(16 - 8 * 1.5) * 1000 / 3600] * 3)


def test_a_night_that_hung_says_nothing_of_fewer_executors() -> None:
    nights = [held(run(n, {"q1": 1000.0}), 16) for n in range(3)]
    fewer = [cut(run(n, {"q1": 20_000.0 if n == 6 else 1000.0}), 8) for n in range(3, 9)]
    found = savings([*nights, *fewer])
    assert [saving.core_hours for saving in found] == pytest.approx([8 * 1000 / 3600] * 6)


def test_what_a_run_takes_longer_for_more_data_is_not_held_against_fewer_executors() -> None:
    nights = [held(run(n, {"q1": 1000.0}, input_bytes=10**9), 16) for n in range(3)]
    fewer = [cut(run(n, {"q1": 2500.0}, input_bytes=3 * 10**9), 8) for n in range(3, 6)]
    found = savings([*nights, *fewer])
    assert [saving.core_hours for saving in found] == pytest.approx([8 * 2500 / 3600] * 3)


def test_fewer_executors_and_faster_queries_are_counted_apart() -> None:
    before, after = held(run(0, {"q1": 7200.0}), 4, 8), held(run(1, {"q1": 3600.0}, HINT), 2, 4)
    after = replace(after, decision=Decision(Mode.AUTO, (HINT,), cuts=(FEWER,)))
    of_hint, of_sizes = savings([before, after])
    assert (of_hint.change_id, of_sizes.change_id, of_sizes.seconds) == (HINT.id, OF_SIZES, 0.0)
    assert of_hint.core_hours == pytest.approx(4 * of_hint.seconds / 3600), "by what the job asks for"
    assert of_sizes.core_hours == pytest.approx(2.0) and of_sizes.gib_hours == pytest.approx(4.0)
    assert (of_hint.core_hours or 0) + 2.0 == pytest.approx(8 - 2, rel=0.05)


def asking(one: Run, executors: int, **more: str) -> Run:
    """A run whose author asks for so many executors, as its log tells."""
    assert one.outcome
    had = {FEWER.property: str(executors), **more, **{size.property: size.value for size in one.decision.sizes}}
    return replace(one, outcome=replace(one.outcome, conf=had))


@pytest.mark.parametrize("later", [1, 12])
def test_what_an_author_asks_for_later_is_nothing_that_earlier_nights_saved_or_lost(later: int) -> None:
    nights = [asking(held(run(n, {"q1": 3600.0}), 4, 16), 4) for n in range(3)]
    fewer = [asking(cut(run(n, {"q1": 3600.0}), 2, 8), 4) for n in range(3, 8)]
    found = savings([*nights, *fewer])
    assert [(s.core_hours, s.gib_hours) for s in found] == [(2.0, 8.0)] * 5
    since = [asking(held(run(n, {"q1": 3600.0}), later, 4 * later), later) for n in range(8, 20)]
    assert savings([*nights, *fewer, *since]) == found
    assert savings([*fewer, *since]) == [], "no run tells what he asked for then"


def test_what_changes_make_a_run_hold_less_is_nothing_that_sizes_saved() -> None:
    """With dynamic allocation; a smaller heap does not hold fewer cores."""
    heap = SizeChange("spark.executor.memory", "2048m", "4096m", Reason(ReasonCode.SIZE_CUT, {}))
    nights = [asking(held(run(n, {"q1": 3600.0}), 40, 160), 40, **{heap.property: "4g"}) for n in range(12)]
    changed = [asking(held(run(n, {"q1": 3600.0}, HINT), 20, 80), 40, **{heap.property: "4g"}) for n in range(12, 18)]
    smaller = [held(run(n, {"q1": 3600.0}, HINT), 20, 40) for n in range(18, 22)]
    smaller = [asking(replace(one, decision=replace(one.decision, cuts=(heap,))), 40) for one in smaller]
    found = [saving for saving in savings([*nights, *changed, *smaller]) if saving.change_id == OF_SIZES]
    assert [(s.core_hours, s.gib_hours) for s in found] == [(0.0, 40.0)] * 4


def test_nights_that_found_nothing_to_read_do_not_tell_how_long_a_job_takes_with_its_own_sizes() -> None:
    nights = [held(run(n, {"q1": 3600.0}), 4, 16) for n in range(3)]
    idle = [held(late_upstream(n), 4, 16) for n in range(3, 7)]
    fewer = [cut(run(n, {"q1": 3600.0}), 2, 8) for n in range(7, 12)]
    found = savings([*nights, *idle, *fewer, cut(late_upstream(12), 2, 8)])
    assert [(s.run_key, s.core_hours, s.gib_hours) for s in found] == [(one.key, 2.0, 8.0) for one in fewer]


def test_a_run_that_a_change_made_fail_lost_all_that_it_took() -> None:
    trial = replace(HINT, standing=Standing.TRIAL)
    died = Failure(FailureKind.BROADCAST_OUT_OF_MEMORY, "not enough memory to build a broadcast", "q1")
    nights = [run(0, {"q1": 20.0}), run(1, {"q1": 90.0}, trial, state=RunState.FAILED, failed=["q1"], failure=died)]
    (lost,) = savings([*nights, run(2, {"q1": 20.0})])
    assert (lost.run_key, lost.change_id, lost.seconds, lost.failed) == (nights[1].key, HINT.id, -90.0, True)


def test_both_runs_that_showed_what_made_them_fail_are_lost() -> None:
    """With it the job fails, without it succeeds, and with it fails again: no one run tells that."""
    cohort = Cohort({"q1": 100.0, "q2": 10.0}, [recommend(hint("q1"))], {HINT.id: {"q1": 0.5}})
    cohort.nights(5)
    cohort.nights(6, fails=lambda decision: bool(decision.in_force))
    failed = [one.key for one in cohort.runs if one.state is RunState.FAILED]
    lost = [saving for saving in savings(cohort.runs) if saving.failed]
    assert [(s.run_key, s.change_id, s.seconds) for s in lost] == [(key, HINT.id, -60.0) for key in failed]
    assert len(failed) == 2
    later = [s.run_key for s in savings(cohort.runs[6:]) if s.failed]
    assert later == failed[1:], "where the first one is told of no more"


def test_runs_that_fail_in_the_same_way_without_a_change_were_not_made_by_it() -> None:
    unknown = Failure(FailureKind.UNKNOWN, "boom", "q1")
    first, again = (run(n, {"q1": 5.0}, HINT, state=RunState.FAILED, failure=unknown) for n in (1, 3))
    why = Reason(ReasonCode.RUN_FAILED, {"run": again.key, "making": "failed_twice"})
    out = replace(HINT, standing=Standing.ROLLED_BACK, why=why)
    nights = [run(0, {"q1": 20.0}), first, run(2, {"q1": 20.0}), again]
    alike = run(4, {"q1": 5.0}, out, state=RunState.FAILED, failure=unknown)
    assert [s.run_key for s in savings([*nights, run(4, {"q1": 20.0}, out)]) if s.failed] == [first.key, again.key]
    assert not [s for s in savings([*nights, alike]) if s.failed]


def test_a_run_that_died_with_less_memory_lost_all_that_it_took_until_it_dies_alike_with_all_of_it() -> None:
    heap = SizeChange("spark.executor.memory", "2048m", "4096m", Reason(ReasonCode.SIZE_CUT, {}))
    died = Failure(FailureKind.EXECUTOR_OUT_OF_MEMORY, "an executor ran out of memory", "q1")
    with_less, again = (run(n, {"q1": 90.0}, state=RunState.FAILED, failed=["q1"], failure=died) for n in (3, 4))
    with_less = replace(with_less, decision=replace(with_less.decision, cuts=(heap,)))
    nights = [*(run(n, {"q1": 100.0}) for n in range(3)), with_less]
    for later in ([], [run(4, {"q1": 100.0})], [replace(again, decision=with_less.decision)]):
        lost = [(s.run_key, s.change_id, s.seconds, s.failed) for s in savings([*nights, *later])]
        assert lost[0] == (with_less.key, OF_SIZES, -90.0, True)
    assert savings([*nights, again]) == savings([*nights, again, run(5, {"q1": 200.0})]) == []


def dead(one: Run, clock_s: float, outcome: Outcome) -> Run:
    """A run that its driver died in `clock_s` after it began, with what its log tells up to there."""
    return replace(one, ended_at=one.started_at + timedelta(seconds=clock_s), outcome=outcome)


def test_a_run_whose_log_has_no_end_lost_what_its_driver_took_with_what_the_job_holds() -> None:
    """Its driver was killed for want of memory: a broadcast that is on trial is known to make that."""
    trial = replace(HINT, standing=Standing.TRIAL)
    died = Failure(FailureKind.DRIVER_OUT_OF_MEMORY, "the driver ran out of memory", "q1")
    failed = run(1, {"q1": 30.0}, trial, state=RunState.FAILED, failed=["q1"], failure=died)
    assert failed.outcome
    broken_off = replace(failed.outcome, duration_ms=None)
    (lost,) = savings([held(run(0, {"q1": 3600.0}), 4, 8), dead(failed, 1800, broken_off)])
    assert (lost.seconds, lost.failed) == (-1800.0, True)
    assert (lost.core_hours, lost.gib_hours) == (-2.0, -4.0)


def test_a_death_that_is_noticed_late_lost_no_more_than_the_longest_run_took() -> None:
    """Its worker was lost, and the task was cleared a week later."""
    trial = replace(HINT, standing=Standing.TRIAL)
    died = Failure(FailureKind.DRIVER_OUT_OF_MEMORY, "the driver ran out of memory", "q1")
    failed = run(2, {"q1": 30.0}, trial, state=RunState.FAILED, failed=["q1"], failure=died)
    assert failed.outcome
    nights = [run(0, {"q1": 600.0}), run(1, {"q1": 700.0})]
    (lost,) = savings([*nights, dead(failed, 7 * 86400, replace(failed.outcome, duration_ms=None))])
    assert lost.seconds == -700.0
    (lost,) = savings([dead(failed, 7 * 86400, replace(failed.outcome, duration_ms=None))])
    assert lost.seconds == -30.0, "by its log, where none succeeded"
    (lost,) = savings([dead(failed, 7 * 86400, replace(failed.outcome, duration_ms=None, queries=()))])
    assert lost.seconds == 0.0


def test_a_run_that_failed_from_outside_is_nobodys_loss() -> None:
    killed = Failure(FailureKind.STOPPED, "somebody stopped it", None)
    nights = [run(0, {"q1": 20.0}), run(1, {"q1": 5.0}, HINT, state=RunState.FAILED, failed=["q1"], failure=killed)]
    assert savings(nights) == []


def test_other_clusters_are_told_apart() -> None:
    nights = [run(0, {"q1": 20.0}), *(run(n, {"q1": 10.0}, HINT) for n in range(1, 4))]
    other = run(4, {"q1": 5.0}, HINT)
    assert other.outcome
    other = replace(other, outcome=replace(other.outcome, cluster=Cluster(cores=8, driver_memory_bytes=64 << 30)))
    bigger = [*nights[:1], *nights[1:], other]
    found = savings(bigger)
    assert {saving.run_key for saving in found} >= {night.key for night in nights[1:]}


@pytest.mark.parametrize("nights", [1, 6])
def test_bounds_hold_what_a_propertys_queries_are_off_by_together(nights: int) -> None:
    """Twenty queries that take a fifth less from the second run on; each is off by 0.06, and so is the machine."""
    names = [f"q{i}" for i in range(20)]
    property_ = decided(conf(), Standing.PROMOTED, queries=names)

    def last_of(seed: int) -> Saving:
        chance, runs = random.Random(seed), list[Run]()
        for number in range(nights + 1):
            usual = 60 * (0.8 if number else 1.0) * math.exp(chance.gauss(0, 0.06))
            seconds = {name: usual * math.exp(chance.gauss(0, 0.06)) for name in names}
            runs.append(run(number, seconds, *([property_] if number else [])))
        return savings(runs)[-1]

    found = [last_of(seed) for seed in range(60)]
    assert all(saving.variance_of_run == pytest.approx(saving.deviation**2) for saving in found)
    held = sum(abs(saving.seconds - 20 * 12) < Z_90 * saving.deviation for saving in found)
    assert 0.8 * len(found) < held < 0.98 * len(found), "of 90 % intervals"
