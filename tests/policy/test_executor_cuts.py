"""Fewer executors where tasks never kept the others busy: by what is foretold, in steps, back where it is slower or fails."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from random import Random

import pytest

from tuner.model.cluster import Cluster
from tuner.model.decision import DecidedChange
from tuner.model.failure import Failure, FailureKind
from tuner.model.objective import Objective
from tuner.model.resource_use import ResourceUse
from tuner.model.run import Run, RunState
from tuner.model.size_change import SizeChange, as_asked
from tuner.policy.cut_steps import LEAST_RUNS
from tuner.policy.executor_cuts import executor_cuts, executors_needed
from tuner.policy.measure import measured_queries
from tuner.spark.knobs import (
    CORES_MAX,
    DYNAMIC_ALLOCATION,
    DYNAMIC_ALLOCATION_INITIAL,
    DYNAMIC_ALLOCATION_MAX,
    DYNAMIC_ALLOCATION_MIN,
    EXECUTOR_CORES,
    EXECUTOR_INSTANCES,
)
from tuner.words.reasons import reason_words

from .histories import MIDNIGHT, decided, hint, of_relations, run

INSTANCES = EXECUTOR_INSTANCES.property
YARN = {"spark.master": "yarn", EXECUTOR_CORES.property: "4", INSTANCES: "16"}
MINUTE = 60_000
# Of ten minutes, two in which 12 tasks ran, which three executors of four cores hold, and four seconds with more.
QUIET = ((1, 3 * MINUTE), (12, 2 * MINUTE), (64, 4_000))
BUSY = ((4, MINUTE), (64, 9 * MINUTE))


def night(
    number: int,
    cuts: Sequence[SizeChange] = (),
    *,
    at_once: tuple[tuple[int, int], ...] = QUIET,
    minutes: float = 10,
    executors: int = 16,
    kind: FailureKind | None = None,
    gigabytes: float = 10,
    conf: Mapping[str, str] = YARN,
    in_force: Sequence[DecidedChange] = (),
    caches: bool = False,
    barriers: bool = False,
    profiles: bool = False,
    has_log: bool = True,
    state: RunState | None = None,
    days: float = 18,
) -> Run:
    """A run in the author's number, or with less. Of three, so many days apart, one may have been at a month's end."""
    failure = Failure(kind, "it failed") if kind else None
    state = state or (RunState.SUCCEEDED if kind is None else RunState.FAILED)
    found = run(number, {"q1": 10}, *in_force, state=state, input_bytes=int(gigabytes * 1e9), failure=failure)
    started_at = MIDNIGHT + timedelta(days=days * number)
    found = replace(found, started_at=started_at, decision=replace(found.decision, cuts=tuple(cuts)))
    if state is RunState.RUNNING or not has_log:
        return replace(found, outcome=None)
    assert found.outcome is not None
    had = {**conf, **{one.property: one.value for one in cuts}}
    measured = replace(
        found.outcome,
        duration_ms=int(minutes * MINUTE),
        conf=had,
        cluster=Cluster(4 * executors, executors, 4, 1 << 30, 1 << 30),
        resources=ResourceUse(tasks_at_once=at_once, caches=caches, has_barriers=barriers, has_profiles=profiles),
    )
    return replace(found, outcome=measured)


def cuts(
    runs: Sequence[Run],
    conf: Mapping[str, str] = YARN,
    *,
    objective: Objective = Objective.COST,
    may_step: bool = True,
) -> dict[str, str]:
    return {one.property: one.value for one in executor_cuts(runs, conf, objective, may_step=may_step)}


def given(runs: Sequence[Run], *, may_step: bool = True) -> int:
    return int(cuts(runs, may_step=may_step).get(INSTANCES, "16"))


def dynamic(**bounds: str) -> dict[str, str]:
    names = {"most": DYNAMIC_ALLOCATION_MAX, "least": DYNAMIC_ALLOCATION_MIN, "first": DYNAMIC_ALLOCATION_INITIAL}
    own = {names[name].property: value for name, value in bounds.items()}
    return {
        "spark.master": "k8s://host",
        EXECUTOR_CORES.property: "4",
        DYNAMIC_ALLOCATION.property: "true",
        INSTANCES: "5",
        **own,
    }


THREE = [night(n) for n in range(LEAST_RUNS)]


def fewer(number: int) -> tuple[SizeChange, ...]:
    (one,) = executor_cuts(THREE, YARN, Objective.COST, may_step=True)
    return (replace(one, value=str(number)),)


def test_three_nights_come_before_the_first_step_and_one_before_each_further() -> None:
    assert [given(THREE[:n]) for n in range(4)] == [16, 16, 16, 8]
    assert given([*THREE, night(3, fewer(8))]) == 4
    # With four, 64 tasks take four turns: twelve seconds of ten minutes, 2 %. With three it were 5.3 - 1 turns.
    assert given([*THREE, night(3, fewer(8)), night(4, fewer(4))]) == 4


def test_nights_whose_upstream_was_late_say_nothing() -> None:
    idle = [of_relations(night(n, gigabytes=0, minutes=0.1, at_once=((1, 6_000),))) for n in range(5)]
    assert given(idle) == 16
    assert given([*idle, *(of_relations(night(n)) for n in range(5, 7))]) == 16
    assert given([*idle, *(of_relations(night(n)) for n in range(5, 8))]) == 8
    # Of older runs a store tells in brief, without what their queries read.
    in_brief = [night(n, gigabytes=0, minutes=0.1, at_once=((1, 6_000),)) for n in range(5)]
    assert given([*in_brief, *(night(n) for n in range(5, 7))]) == 16
    assert given([*in_brief, *(night(n) for n in range(5, 8))]) == 8
    # A job of no relations never reads any.
    assert given([night(n, gigabytes=0) for n in range(3)]) == 8


def test_it_says_what_the_tasks_needed() -> None:
    (cut,) = executor_cuts(THREE, YARN, Objective.COST, may_step=True)
    assert (cut.property, cut.value, cut.was) == (INSTANCES, "8", "16")
    words = "with 4 in place of 16 executors, tasks would have waited at most 2 % of the time in 3 runs"
    assert reason_words(cut.why) == words


@pytest.mark.parametrize(
    ("at_once", "needed"),
    [
        (((64, 10 * MINUTE),), 16),
        (((65, 10 * MINUTE),), 16),
        (((1, 10 * MINUTE),), 1),
        # 8 % of the time in two turns instead of one are too long, 2 % are not.
        (((32, 48_000),), 8),
        (((32, 12_000),), 4),
        (((32, 12_001),), 8),
    ],
)
def test_tasks_take_turns_on_fewer_cores(at_once: tuple[tuple[int, int], ...], needed: int) -> None:
    assert executors_needed(at_once, 16, 4, 10 * MINUTE) == needed


def waits_ms(at_once: tuple[tuple[int, int], ...], cores: int, had: int) -> int:
    return sum(ms * (-(-min(tasks, had) // cores) - 1) for tasks, ms in at_once)


def test_the_fewest_that_are_enough_are_found() -> None:
    draw = Random(7)
    for _ in range(300):
        at_once = tuple((draw.randrange(1, 200), draw.randrange(1, 5 * MINUTE)) for _ in range(draw.randrange(1, 6)))
        had, slots, duration = draw.randrange(1, 30), draw.randrange(1, 9), sum(ms for _, ms in at_once)
        needed = executors_needed(at_once, had, slots, duration)
        assert needed == had or waits_ms(at_once, needed * slots, had * slots) <= 0.02 * duration
        assert needed == 1 or waits_ms(at_once, (needed - 1) * slots, had * slots) > 0.02 * duration


def test_a_job_that_keeps_its_executors_busy_keeps_them() -> None:
    assert given([night(n, at_once=BUSY) for n in range(6)]) == 16
    # One such night is enough.
    assert given([*THREE, night(3, at_once=BUSY), night(4)]) == 16


def test_for_time_alone_nothing_is_taken_and_what_was_comes_back() -> None:
    runs = [*THREE, night(3, fewer(8))]
    assert cuts(runs, objective=Objective.TIME) == {}
    assert cuts(runs, objective=Objective.BALANCED) == {INSTANCES: "4"}


def test_a_retry_takes_no_step_nor_does_one_beside_a_run_that_tries_it() -> None:
    assert given(THREE, may_step=False) == 16
    assert given([*THREE, night(3, fewer(8), state=RunState.RUNNING)]) == 16
    assert given([*THREE, night(3, fewer(8))], may_step=False) == 8


def test_two_slow_nights_take_a_step_back_for_good_and_one_that_is_much_slower() -> None:
    slow = [*THREE, night(3, fewer(8), minutes=11)]
    assert given(slow) == 8  # One night may have been slow for anything; no further step is taken from it.
    assert given([*slow, night(4, fewer(8))]) == 4
    assert given([*THREE, night(3, fewer(8)), night(4, fewer(4), minutes=11), night(5, fewer(4), minutes=11)]) == 8
    much = [*THREE, night(3, fewer(8), minutes=13)]
    assert given(much) == 16
    assert given([*much, *(night(n) for n in range(4, 9))]) == 16


def test_a_step_is_taken_where_runs_with_the_same_changes_can_tell_what_it_does() -> None:
    proven = decided(hint())
    ids = frozenset({proven.id})
    assert executor_cuts(THREE, YARN, Objective.COST, ids, may_step=True) == ()
    (cut,) = executor_cuts([*THREE, night(3, in_force=[proven])], YARN, Objective.COST, ids, may_step=True)
    assert cut.value == "8"


def test_a_slow_night_of_more_input_or_other_changes_tells_nothing() -> None:
    assert given([*THREE, night(3, fewer(8), minutes=20, gigabytes=11)]) < 16
    assert given([*THREE, night(3, fewer(8), minutes=20, in_force=[decided(hint())])]) < 16


@pytest.mark.parametrize(
    ("kind", "then"),
    [
        (FailureKind.LOCAL_DISK, 16),
        (FailureKind.EXECUTOR_LOST, 16),
        (FailureKind.TASK_MEMORY, 16),
        (FailureKind.KILLED, 16),  # It may have taken longer than it was let.
        (FailureKind.INPUT_MISSING, 8),
        (FailureKind.DATA_OR_CODE, 8),
        (FailureKind.PYTHON_OUT_OF_MEMORY, 8),
    ],
)
def test_a_failure_that_fewer_may_have_made_takes_the_step_back(kind: FailureKind, then: int) -> None:
    runs = [*THREE, night(3, fewer(8), kind=kind)]
    assert given(runs) == then
    assert given([*runs, *(night(n) for n in range(4, 8))]) == then


def test_what_worked_before_stays_after_one_failure_that_nothing_explains() -> None:
    worked = [*THREE, night(3, fewer(8)), night(4, fewer(4))]
    assert given([*worked, night(5, fewer(4), kind=FailureKind.UNKNOWN)]) == 4
    assert given([*worked, night(5, fewer(4), has_log=False, state=RunState.FAILED)]) == 4
    twice = [night(n, fewer(4), kind=FailureKind.UNKNOWN) for n in (5, 6)]
    assert given([*worked, *twice]) == 8


def test_inputs_that_grow_need_more() -> None:
    grown = [*THREE, night(3, fewer(8)), night(4, fewer(4), gigabytes=20)]
    # Twice as much, and twice as much once more: 48 tasks for two minutes.
    assert given(grown) == 12


def test_one_slow_night_in_the_authors_number_makes_no_slow_ones_usual() -> None:
    slow = [*THREE, night(3, minutes=30)]
    assert given([*slow, night(4, fewer(8), minutes=13)]) == 16


def test_a_number_that_two_runs_have_told_of_stays_under_new_changes_and_no_other_does() -> None:
    new = decided(hint())
    ids = frozenset({new.id})

    def then(*more: Run) -> tuple[SizeChange, ...]:
        return executor_cuts([*THREE, night(3, fewer(8)), *more], YARN, Objective.COST, ids, may_step=True)

    assert then() == ()
    assert [one.value for one in then(night(4, in_force=[new]))] == ["4"]
    assert [one.value for one in then(night(4, fewer(8)))] == ["8"]


def test_a_job_that_begins_to_keep_rows_in_memory_has_all_its_executors_from_then_on() -> None:
    caching = night(4, fewer(8), caches=True)
    assert given([*THREE, night(3, fewer(8)), caching]) == 16
    assert given([*THREE, night(3, fewer(8)), caching, night(5), night(6)]) == 16
    assert given([night(n, barriers=True) for n in range(4)]) == 16
    assert given([night(n, profiles=True) for n in range(4)]) == 16


def test_a_run_whose_log_lacks_starts_of_tasks_tells_how_long_it_took() -> None:
    slow = [night(n, fewer(8), minutes=14, at_once=()) for n in (3, 4)]
    assert given([*THREE, *slow, night(5)]) == 16


def test_what_the_program_sets_itself_is_left_as_it_is() -> None:
    # SparkConf beats --conf: the run had the program's own number.
    overruled = night(3, fewer(8))
    assert overruled.outcome is not None
    overruled = replace(overruled, outcome=replace(overruled.outcome, conf=dict(YARN)))
    assert given([*THREE, overruled]) == 16
    asked = dynamic(most="16")
    by_program = {**asked, DYNAMIC_ALLOCATION_MIN.property: "10"}
    assert cuts([night(n, conf=by_program) for n in range(3)], asked) == {DYNAMIC_ALLOCATION_MAX.property: "10"}


def test_tasks_that_need_other_resources_than_cores_keep_their_executors() -> None:
    conf = {**YARN, "spark.task.resource.gpu.amount": "1"}
    assert cuts([night(n) for n in range(4)], conf) == {}


def test_what_a_run_holds_less_of_is_no_gain_of_its_changes() -> None:
    (one,) = measured_queries(night(3, fewer(8), executors=8))
    (other,) = measured_queries(night(2))
    assert one.cores == other.cores == 64
    # With dynamic allocation a night that needs more has more.
    (more,) = measured_queries(night(3, fewer(8), executors=40))
    assert more.cores == 160


def test_what_is_kept_in_memory_keeps_its_executors() -> None:
    assert given([night(n, caches=True) for n in range(5)]) == 16
    assert given([night(n, at_once=()) for n in range(5)]) == 16


def test_an_author_who_asks_for_other_executors_is_heeded() -> None:
    runs = [*THREE, night(3, fewer(8))]
    assert cuts(runs, {**YARN, INSTANCES: "6"}) == {}
    later = [night(n, conf={**YARN, INSTANCES: "6"}, executors=6) for n in range(4, 7)]
    assert cuts([*runs, *later], {**YARN, INSTANCES: "6"}) == {INSTANCES: "3"}


def test_bounds_of_dynamic_allocation_go_down_together() -> None:
    conf = dynamic(most="16", least="10", first="12")
    found = cuts([night(n, conf=conf) for n in range(3)], conf)
    assert found == {
        DYNAMIC_ALLOCATION_MAX.property: "8",
        DYNAMIC_ALLOCATION_MIN.property: "8",
        DYNAMIC_ALLOCATION_INITIAL.property: "8",
    }
    sizes = executor_cuts([night(n, conf=conf) for n in range(3)], conf, Objective.COST, may_step=True)
    assert [one.was for one in sizes] == ["16", "10", "12"]
    assert as_asked({**conf, **found}, sizes) == conf
    after = night(3, sizes, conf=conf)
    assert cuts([*(night(n, conf=conf) for n in range(3)), after], conf) == {
        DYNAMIC_ALLOCATION_MAX.property: "8",
        DYNAMIC_ALLOCATION_MIN.property: "4",
        DYNAMIC_ALLOCATION_INITIAL.property: "4",
        INSTANCES: "4",
    }


def test_a_standalone_cluster_is_asked_for_cores() -> None:
    conf = {"spark.master": "spark://master:7077", EXECUTOR_CORES.property: "4"}
    nights = [night(n, conf=conf) for n in range(3)]
    assert cuts(nights, conf) == {CORES_MAX.property: "32"}
    sizes = executor_cuts(nights, conf, Objective.COST, may_step=True)
    assert cuts([*nights, night(3, sizes, conf=conf)], conf) == {CORES_MAX.property: "16"}
    unsaid = {"spark.master": "spark://master:7077"}
    assert cuts([night(n, conf=unsaid) for n in range(3)], unsaid) == {}
    local = {"spark.master": "local[8]"}
    assert cuts([night(n, conf=local) for n in range(3)], local) == {}


def test_no_more_are_set_than_their_author_asks_for() -> None:
    # One that is lost may be counted until it is known to be gone, when another is there in its place.
    replaced = {"executors": 6, "at_once": ((20, 5 * MINUTE), (1, 5 * MINUTE))}
    standalone = {"spark.master": "spark://master:7077", EXECUTOR_CORES.property: "4", CORES_MAX.property: "16"}
    for conf in (YARN | {INSTANCES: "4"}, dynamic(most="4") | {INSTANCES: "1"}, standalone):
        assert cuts([night(n, conf=conf, **replaced) for n in range(3)], conf) == {}
    (cut,) = executor_cuts(
        [night(n, conf=YARN | {INSTANCES: "4"}, executors=6, at_once=((8, MINUTE),)) for n in range(3)],
        YARN | {INSTANCES: "4"},
        Objective.COST,
        may_step=True,
    )
    assert (cut.value, cut.was) == ("2", "4")
    assert reason_words(cut.why).startswith("with 2 in place of 4 executors")


def test_until_a_month_was_seen_steps_go_down_to_half_and_no_further() -> None:
    daily = [night(n, days=1) for n in range(3)]
    assert given(daily) == 8
    halved = [*daily, *(night(n, fewer(8), days=1) for n in range(3, 36))]
    assert {given(halved[:n]) for n in range(4, 36)} == {8}
    assert given(halved) == 4
    # One that runs each hour is looked at for less than three days, and may have lost this number before.
    assert given([night(n, days=1 / 24) for n in range(60)]) == 16


def test_the_most_that_dynamic_allocation_may_ask_for_is_for_the_largest_night() -> None:
    most, least, first = (
        knob.property for knob in (DYNAMIC_ALLOCATION_MAX, DYNAMIC_ALLOCATION_MIN, DYNAMIC_ALLOCATION_INITIAL)
    )

    def then(**bounds: str) -> dict[str, str]:
        conf = dynamic(**bounds)
        return cuts([night(n, conf=conf) for n in range(3)], conf)

    # What it begins with is all that can go down.
    assert then() == then(most="200") == then(most="32") == {INSTANCES: "4"}
    assert then(most="200", least="10", first="12") == {least: "6", first: "6"}
    assert then(most="20", least="10") == {most: "10", least: "8"}
    assert then(most="16") == {most: "8"}
    conf = dynamic(most="200", least="10")
    nights = [night(n, conf=conf) for n in range(3)]
    sizes = executor_cuts(nights, conf, Objective.COST, may_step=True)
    assert as_asked({**conf, **{one.property: one.value for one in sizes}}, sizes) == conf
    # More were there when a night needed them, and the next step is taken.
    assert cuts([*nights, night(3, sizes, conf=conf, executors=40)], conf) == {least: "4", INSTANCES: "4"}
    slow = [*nights, *(night(n, sizes, conf=conf, minutes=11) for n in (3, 4))]
    assert cuts(slow, conf) == {}


def test_floors_go_down_where_nights_have_many_more_executors() -> None:
    conf = dynamic(most="200", least="10")
    nights = [night(n, conf=conf, executors=40, at_once=((16, 10 * MINUTE),)) for n in range(3)]
    sizes = executor_cuts(nights, conf, Objective.COST, may_step=True)
    assert [(one.property, one.value, one.was) for one in sizes] == [(DYNAMIC_ALLOCATION_MIN.property, "5", "10")]
    assert reason_words(sizes[0].why).startswith("with 4 in place of 40 executors")
    after = night(3, sizes, conf=conf, executors=40, at_once=((16, 10 * MINUTE),))
    assert cuts([*nights, after], conf) == {DYNAMIC_ALLOCATION_MIN.property: "4", INSTANCES: "4"}
    assert cuts(nights, conf, may_step=False) == {}
    # So they do once the most has.
    conf = dynamic(most="60", least="10")
    nights = [night(n, conf=conf, executors=40, at_once=((16, 10 * MINUTE),)) for n in range(3)]
    sizes = executor_cuts(nights, conf, Objective.COST, may_step=True)
    assert [(one.property, one.value) for one in sizes] == [(DYNAMIC_ALLOCATION_MAX.property, "30")]
    after = night(3, sizes, conf=conf, executors=30, at_once=((16, 10 * MINUTE),))
    both = {DYNAMIC_ALLOCATION_MAX.property: "30", DYNAMIC_ALLOCATION_MIN.property: "5"}
    assert cuts([*nights, after], conf) == both
    # Of none that are held nothing can be let go.
    bare = dynamic(most="200") | {INSTANCES: "0"}
    assert cuts([night(n, conf=bare, executors=40) for n in range(3)], bare) == {}


def test_a_most_that_is_half_of_its_authors_goes_no_further_down() -> None:
    conf = dynamic(most="16")
    nights = [night(n, conf=conf) for n in range(3)]
    sizes = executor_cuts(nights, conf, Objective.COST, may_step=True)
    after = [*nights, *(night(n, sizes, conf=conf, executors=8) for n in range(3, 6))]
    # The number that it begins with is above what it needs.
    assert cuts(after, conf) == {DYNAMIC_ALLOCATION_MAX.property: "8", INSTANCES: "4"}
