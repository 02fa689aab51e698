"""Less memory where none of a job's runs came near to it: in steps, with room, and never at the price of a death."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from random import Random

import pytest

from tests.advice.joins import inner, side
from tests.conftest import AT_LENGTH
from tuner.model.decision import DecidedChange
from tuner.model.failure import Failure, FailureKind
from tuner.model.query_work import WorkInBrief
from tuner.model.resource_use import MemoryPeaks, ResourceUse
from tuner.model.run import Run, RunState
from tuner.model.size_change import MemoryLimits, SizeChange
from tuner.policy.context import context_of
from tuner.policy.cut_steps import LEAST_RUNS
from tuner.policy.failed_run import FailedRun, failed_by
from tuner.policy.memory_raises import memory_raises
from tuner.policy.size_cuts import LEAST_HEAP, size_cuts
from tuner.spark.knobs import EXECUTOR_MEMORY, EXECUTOR_MEMORY_OVERHEAD, EXECUTOR_METRICS_POLLING
from tuner.spark.memory import broadcast_cap
from tuner.units import GIB, MIB
from tuner.words.reasons import reason_words

from .histories import MIDNIGHT, decided, hint, of_relations, run

HEAP, OVERHEAD = EXECUTOR_MEMORY.property, EXECUTOR_MEMORY_OVERHEAD.property
STANDALONE = {"spark.master": "spark://master:7077"}
YARN = {"spark.master": "yarn"}
OWN = 8192
HEAP_DEATH = FailureKind.EXECUTOR_OUT_OF_MEMORY


def night(
    number: int,
    cuts: Sequence[SizeChange] = (),
    *,
    own: int = OWN,
    firm: int = 1000,
    execution: int = 0,
    on_heap: int | None = None,
    kind: FailureKind | None = None,
    gigabytes: float = 10,
    seconds: float = 100,
    gc_share: float = 0.02,
    conf: Mapping[str, str] = STANDALONE,
    polled: str = "1000",
    in_force: Sequence[DecidedChange] = (),
    has_log: bool = True,
    outside: int | None = 100,
    state: RunState | None = None,
    lost: tuple[FailureKind, ...] = (),
    days: float = 18,
) -> Run:
    """A run in the author's size, or with less, of which it needed `firm` MiB. Of three, so many days apart, one may have been
    at a month's end."""
    failure = Failure(kind, "an executor ran out of memory") if kind else None
    state = state or (RunState.SUCCEEDED if kind is None else RunState.FAILED)
    found = run(number, {"q1": 10}, *in_force, state=state, input_bytes=int(gigabytes * 1e9), failure=failure)
    found = replace(found, started_at=MIDNIGHT + timedelta(days=days * number))
    if state is RunState.RUNNING or not has_log:
        return replace(found, decision=replace(found.decision, cuts=tuple(cuts)), outcome=None)
    assert found.outcome is not None
    task_ms = int(seconds * 1000)
    process = 0 if outside is None else 1 << 40
    peaks = MemoryPeaks(own * MIB, execution * MIB, 0, 50 * MIB, process, (outside or 0) * MIB)
    if on_heap is not None:
        peaks = replace(peaks, on_heap_execution_bytes=on_heap * MIB, on_heap_storage_bytes=0)
    use = ResourceUse(
        task_ms=task_ms, gc_ms=int(task_ms * gc_share), executors=peaks, firm_bytes=firm * MIB, lost_executors=lost
    )
    had = {**conf, HEAP: f"{own}m", **{one.property: one.value for one in cuts}}
    if polled:
        had[EXECUTOR_METRICS_POLLING.property] = polled
    decision = replace(found.decision, cuts=tuple(cuts))
    return replace(found, decision=decision, outcome=replace(found.outcome, conf=had, resources=use))


def cuts(
    runs: Sequence[Run], *, own: int = OWN, may_step: bool = True, conf: Mapping[str, str] = STANDALONE
) -> tuple[SizeChange, ...]:
    return size_cuts(runs, {**conf, HEAP: f"{own}m"}, may_step=may_step)


def given(runs: Sequence[Run], *, own: int = OWN, may_step: bool = True) -> int:
    """MiB of heap that the next run has."""
    found = {one.property: one.value for one in cuts(runs, own=own, may_step=may_step)}
    return int(found.get(HEAP, f"{own}m").removesuffix("m"))


THREE = [night(n) for n in range(LEAST_RUNS)]


def less(size: int) -> tuple[SizeChange, ...]:
    return (replace(cuts(THREE)[0], value=f"{size}m"),)


def test_three_sampled_nights_come_before_the_first_step_and_one_before_each_further() -> None:
    assert [given(THREE[:n]) for n in range(4)] == [OWN, OWN, OWN, OWN // 2]
    (cut,) = cuts(THREE)
    assert reason_words(cut.why) == "none of 3 runs needed more than 1.0 GB at once (most in run etl/0/1)"
    assert (cut.property, cut.value, cut.was) == (HEAP, "4096m", "8192m")
    assert given([*THREE, night(3, less(4096))]) == 2048
    # 1,000 MiB and a quarter more, in steps of 64.
    assert given([*THREE, night(3, less(4096)), night(4, less(2048))]) == 1280


def test_a_cut_says_how_many_nights_it_rests_on_and_not_that_those_in_a_larger_heap_needed_no_more() -> None:
    three = [night(n, firm=3000) for n in range(LEAST_RUNS)]
    assert reason_words(cuts(three)[0].why) == "none of 3 runs needed more than 3.1 GB at once (most in run etl/0/1)"
    (cut,) = cuts([*three, night(3, less(4096))])
    assert reason_words(cut.why) == "none of 1 run needed more than 1.0 GB at once (most in run etl/3/1)"


def test_nights_whose_upstream_was_late_say_nothing() -> None:
    idle = [of_relations(night(n, gigabytes=0, firm=60)) for n in range(5)]
    assert given(idle) == OWN
    assert given([*idle, *(of_relations(night(n)) for n in range(5, 7))]) == OWN
    assert given([*idle, *(of_relations(night(n)) for n in range(5, 8))]) == OWN // 2
    # Of older runs a store tells in brief, without what their queries read.
    in_brief = [night(n, gigabytes=0, firm=60) for n in range(5)]
    assert given([*in_brief, *(night(n) for n in range(5, 7))]) == OWN
    assert given([*in_brief, *(night(n) for n in range(5, 8))]) == OWN // 2


def test_a_heap_that_the_program_sets_itself_is_left_as_it_is() -> None:
    # SparkConf beats --conf: the run had the program's own size, and the next would be told of less that it never has.
    def overruled(number: int, size: int = OWN) -> Run:
        found = night(number, less(4096))
        assert found.outcome is not None
        return replace(found, outcome=replace(found.outcome, conf={**found.outcome.conf, HEAP: f"{size}m"}))

    assert given([*THREE, overruled(3)]) == given([*THREE, overruled(3), night(4)]) == OWN
    assert given([*THREE, overruled(3, 2 * OWN)]) == OWN, "in some runs, by what it has to do"
    other = [night(n, own=2 * OWN) for n in range(4, 7)]
    assert given([*THREE, overruled(3), *other], own=2 * OWN) == OWN, "its author has thought again"


def test_a_step_that_takes_little_is_none() -> None:
    assert given([night(n, firm=5400) for n in range(3)]) == 6784
    assert given([night(n, firm=5600) for n in range(3)]) == OWN


def test_a_retry_and_a_night_beside_one_that_tries_the_step_take_none_of_their_own() -> None:
    assert given(THREE, may_step=False) == OWN
    running = night(3, less(4096), state=RunState.RUNNING)
    assert given([*THREE, running]) == OWN
    # One that was never heard of again holds nothing up.
    assert given([*THREE, running, night(4)]) == 4096
    proven = night(3, less(4096))
    assert given([*THREE, proven], may_step=False) == 4096
    assert given([*THREE, proven, night(4, less(4096), state=RunState.RUNNING)]) == 2048


@pytest.mark.parametrize("polled", ["", "0", "10000", "often"])
def test_what_was_sampled_too_seldom_tells_nothing(polled: str) -> None:
    assert given([night(n, polled=polled) for n in range(5)]) == OWN


def test_the_largest_night_counts_until_one_that_read_as_much_did_with_less() -> None:
    month_end = night(2, firm=4000, gigabytes=40)
    # It read four times as much as those before it, and so may the next.
    assert given([night(0), night(1), month_end]) == OWN
    grown = [night(0, gigabytes=40), month_end, night(1)]
    assert given(grown) == 5056
    small = night(3, less(5056))
    assert given([*grown, small]) == 5056
    assert given([*grown, small, night(4, less(5056), gigabytes=39)]) < 5056


def test_what_a_larger_night_needed_since_is_left() -> None:
    stepped = [*THREE, night(3, less(4096)), night(4, less(2048))]
    # Its first try died, and its retry had the author's size.
    died, retry = night(5, less(1280), kind=HEAP_DEATH, gigabytes=30), night(6, firm=3500, gigabytes=30)
    # 3,500 MiB and a half more, now that the room is doubled.
    assert given([*stepped, died, retry, night(7, less(5312))]) == 5312


@pytest.mark.parametrize("name", ["spark.executor.cores", "spark.task.cpus", "spark.memory.fraction"])
def test_an_author_who_has_more_done_in_a_heap_is_observed_afresh(name: str) -> None:
    more = {**STANDALONE, name: "0.8" if name.endswith("fraction") else "4"}
    assert cuts(THREE, conf=more) == ()
    assert given([*THREE, *(night(3 + n, conf=more) for n in range(2)), night(5)]) == OWN
    anew = [night(3 + n, conf=more) for n in range(3)]
    assert cuts([*THREE, *anew], conf=more) != ()


def test_room_for_as_much_growth_as_there_was() -> None:
    nights = [night(0, firm=2000), night(1, firm=2000, gigabytes=15), night(2, firm=2000)]
    assert given(nights) == 4096
    nights = [night(0, firm=3000), night(1, firm=3000, gigabytes=15), night(2, firm=3000)]
    # 3,000 MiB, a quarter more, and half more than that.
    assert given(nights) == 5632


def test_execution_and_broadcasts_keep_their_place_in_sparks_share_of_the_heap() -> None:
    nights = [night(n, firm=3000, execution=2900) for n in range(3)]
    # 2,900 MiB and a quarter more are six tenths of what is above 300 MiB.
    assert given(nights) == 6400


def test_what_spark_holds_off_the_heap_needs_no_place_in_it() -> None:
    off_heap = {**STANDALONE, "spark.memory.offHeap.enabled": "true", "spark.memory.offHeap.size": "8g"}
    (cut,) = cuts([night(n, execution=6144, on_heap=0, conf=off_heap) for n in range(3)], conf=off_heap)
    assert (cut.property, cut.value) == (HEAP, "4096m")
    # Of runs that an earlier version stored nobody knows where it was.
    assert cuts([night(n, execution=6144, conf=off_heap) for n in range(3)], conf=off_heap) == ()


@pytest.mark.parametrize("kind", [HEAP_DEATH, FailureKind.TASK_MEMORY, FailureKind.EXECUTOR_OVER_LIMIT])
def test_a_death_for_memory_takes_the_step_back_for_good_and_doubles_the_room(kind: FailureKind) -> None:
    died = [*THREE, night(3, less(4096)), night(4, less(2048), kind=kind)]
    assert given(died, may_step=False) == given(died) == 4096
    after = [*died, *(night(5 + n, less(4096), firm=900) for n in range(10))]
    assert given(after) == 4096
    first = [*THREE, night(3, less(4096), kind=kind)]
    assert given([*first, *(night(4 + n) for n in range(10))]) == OWN


def test_executors_that_died_in_a_run_that_went_on_are_deaths_too() -> None:
    for made_up in (
        night(3, less(4096), lost=(HEAP_DEATH,)),
        night(3, less(4096), kind=HEAP_DEATH, state=RunState.SUCCEEDED),
        # Whatever ended it in the end.
        night(3, less(4096), kind=FailureKind.INPUT_MISSING, lost=(FailureKind.EXECUTOR_PREEMPTED, HEAP_DEATH)),
    ):
        assert given([*THREE, made_up, night(4), night(5)]) == OWN
    assert given([*THREE, night(3, less(4096), lost=(FailureKind.EXECUTOR_PREEMPTED,))]) != OWN


@pytest.mark.parametrize(
    "option",
    [
        "-Xms6g -XX:+UseG1GC",
        "-XX:+UseG1GC -XX:InitialHeapSize=6144m",
        "-XX:MinHeapSize=6g",
        "-Xms1g -XX:+UseZGC -XX:SoftMaxHeapSize=6g",
    ],
)
def test_a_heap_is_never_so_small_that_its_jvm_does_not_start(option: str) -> None:
    def heap(options: str) -> str:
        (cut,) = cuts(THREE, conf={**STANDALONE, "spark.executor.extraJavaOptions": options})
        return cut.value

    assert heap(option) == "6144m"
    assert heap("-Xmsx -Xss6g") == "4096m"


def test_nothing_is_raised_after_a_death_of_what_was_taken() -> None:
    died = [*THREE, night(3, less(4096), kind=HEAP_DEATH)]
    limits = MemoryLimits(executor_bytes=64 * GIB)
    assert memory_raises(died, {**STANDALONE, HEAP: f"{OWN}m"}, limits) == ()
    # Of one that dies in its own size, too, the next has more.
    twice = [*died, night(4, kind=HEAP_DEATH)]
    (more,) = memory_raises(twice, {**STANDALONE, HEAP: f"{OWN}m"}, limits)
    assert (more.value, more.was) == ("16384m", "8192m")


@pytest.mark.parametrize(
    ("kind", "first", "proven"),
    [
        (FailureKind.UNKNOWN, OWN, 4096),
        (FailureKind.KILLED, OWN, 4096),
        (FailureKind.EXECUTOR_LOST, OWN, 4096),
        (FailureKind.DATA_OR_CODE, 4096, 4096),
        (FailureKind.PYTHON_OUT_OF_MEMORY, 4096, 4096),
        (FailureKind.INPUT_MISSING, 4096, 4096),
    ],
)
def test_a_failure_that_it_may_have_made_takes_back_what_never_worked(
    kind: FailureKind, first: int, proven: int
) -> None:
    assert given([*THREE, night(3, less(4096), kind=kind)]) == first
    assert given([*THREE, night(3, less(4096)), night(4, less(4096), kind=kind)], may_step=False) == proven


def test_a_failure_without_a_log_takes_it_back() -> None:
    lost = night(3, less(4096), state=RunState.FAILED, has_log=False)
    assert given([*THREE, lost, night(4), night(5)]) == OWN


def test_a_step_that_tasks_are_slower_with_is_taken_back() -> None:
    assert given([*THREE, night(3, less(4096), seconds=110)]) == OWN
    assert given([*THREE, night(3, less(4096), seconds=104)]) == 2048
    assert given([*THREE, night(3, less(4096), gc_share=0.15)]) == OWN
    # With more to read, or other changes in force, seconds say nothing; the collector does.
    assert given([*THREE, night(3, less(4096), seconds=150, gigabytes=15)]) < 4096
    other = [decided(hint())]
    assert given([*THREE, night(3, less(4096), seconds=150, in_force=other)]) == 2048


def test_an_author_who_asks_for_another_size_is_heeded_and_observed_afresh() -> None:
    settled = [*THREE, night(3, less(4096)), night(4, less(2048))]
    assert given(settled, own=6000) == 6000
    anew = [night(5 + n, own=6000) for n in range(3)]
    assert given([*settled, *anew[:2]], own=6000) == 6000
    assert given([*settled, *anew], own=6000) == 3000


def test_nothing_is_taken_in_local_mode_and_where_nobody_can_tell_the_overhead() -> None:
    for master in ("local[4]", "k8s://https://api:6443"):
        conf = {"spark.master": master}
        assert cuts([night(n, conf=conf) for n in range(4)], conf=conf) == ()
    sized = {"spark.master": "k8s://https://api:6443", OVERHEAD: "1g"}
    assert [c.property for c in cuts([night(n, conf=sized) for n in range(4)], conf=sized)] == [HEAP]


def test_nothing_is_taken_of_streams_that_keep_state() -> None:
    def stateful(run: Run) -> Run:
        assert run.outcome is not None
        return replace(run, outcome=replace(run.outcome, resources=replace(run.outcome.resources, keeps_state=True)))

    assert given([stateful(run) for run in THREE]) == OWN
    # One night of a job that takes a stream up tells it of the nights before.
    assert given([*THREE, stateful(night(3, less(4096)))]) == OWN


def test_an_overhead_that_follows_from_the_heap_stays_what_it_was() -> None:
    nights = [night(n, conf=YARN) for n in range(3)]
    heap, overhead = cuts(nights, conf=YARN)
    assert (heap.value, overhead.property, overhead.value, overhead.was) == ("4096m", OVERHEAD, "820m", "410m")
    again = cuts([*nights, night(3, (heap, overhead), conf=YARN)], conf=YARN)
    assert [(c.value, c.was) for c in again] == [("2048m", "8192m"), ("820m", "384m")]


def test_what_is_outside_of_a_heap_in_a_container_must_have_its_place_there() -> None:
    def found(outside: int | None, **had: str) -> list[str]:
        conf = YARN | had
        return [c.property for c in cuts([night(n, conf=conf, outside=outside) for n in range(3)], conf=conf)]

    assert found(700) == [HEAP, OVERHEAD]
    # With 50 MiB of the JVM's own that is more than a tenth of the heap.
    assert found(800) == found(None) == []
    assert found(800, **{OVERHEAD: "2g"}) == [HEAP]
    # What a container has for Spark's own memory off the heap is not free for others; what it has for Python is Python's.
    off_heap = {"spark.memory.offHeap.enabled": "true", "spark.memory.offHeap.size": "4g"}
    assert found(800, **off_heap) == []
    assert found(700, **off_heap) == found(800, **{"spark.executor.pyspark.memory": "4g"}) == [HEAP, OVERHEAD]
    unknown = [night(n, outside=None) for n in range(3)]
    assert [c.property for c in cuts(unknown)] == [HEAP]


def test_one_slow_night_in_a_size_that_worked_takes_nothing_back() -> None:
    nights = [*THREE, night(3, less(4096)), *(night(4 + n, less(4096), seconds=130) for n in range(3))]
    assert given(nights, may_step=False) == 4096


def test_the_context_of_a_run_is_that_of_the_size_its_author_asks_for() -> None:
    found = night(3, less(4096))
    assert found.outcome is not None
    smaller = replace(found.outcome.cluster, executor_memory_bytes=4 * GIB)
    asked = context_of(replace(found.outcome, cluster=smaller), found.decision.cuts).cluster
    assert asked.executor_memory_bytes == 8 * GIB


@pytest.mark.parametrize("seed", range(200 if AT_LENGTH else 20))
def test_jobs_of_any_kind_end_with_less_and_never_die_of_it(seed: int) -> None:
    """Live memory that varies from night to night by a tenth, and garbage that fills a share of the heap above it."""
    draw = Random(seed)
    own = draw.choice([2048, 4096, 8192, 30000])
    live, garbage = own * draw.uniform(0.05, 0.9), draw.uniform(0.1, 0.9)
    runs: list[Run] = []
    for number in range(25):
        now = cuts(runs, own=own)
        heap = int(now[0].value.removesuffix("m")) if now else own
        size = draw.uniform(0.9, 1.1)
        needs = live * size
        assert heap >= needs, f"night {number}"
        assert heap >= LEAST_HEAP / MIB
        firm = int(needs + (heap - needs) * garbage * draw.uniform(0.8, 1))
        runs.append(night(number, now, own=own, firm=firm, gigabytes=10 * size))
    heaps = [int(dict(r.outcome.conf)[HEAP].removesuffix("m")) for r in runs if r.outcome]
    # Down, and then up again by what nights needed in the smallest.
    bottom = heaps.index(min(heaps))
    assert heaps == sorted(heaps[: bottom + 1], reverse=True) + sorted(heaps[bottom + 1 :])
    assert heaps[-1] <= 2 * min(heaps)
    if live * 1.5 < own / 4 and garbage < 0.4:
        assert heaps[-1] <= 0.6 * own


def test_a_death_in_the_authors_own_size_leaves_it_for_good() -> None:
    assert given([*THREE, night(3, kind=HEAP_DEATH), *(night(4 + n) for n in range(3))]) == OWN
    made_up = [night(3 + n, kind=HEAP_DEATH, state=RunState.SUCCEEDED) for n in range(2)]
    assert given([*THREE, *made_up, night(5)]) == OWN


def test_a_second_failure_in_a_row_that_nothing_explains_takes_back_what_worked() -> None:
    worked = [*THREE, night(3, less(4096), firm=3000)]
    lost = [night(4 + n, less(4096), kind=FailureKind.EXECUTOR_LOST) for n in range(2)]
    assert given([*worked, lost[0]], may_step=False) == 4096
    assert given([*worked, *lost]) == OWN
    # Each night's retry had the author's size.
    assert given([*worked, lost[0], night(5), night(6, less(4096), kind=FailureKind.EXECUTOR_LOST)]) == OWN
    made_up = night(3, less(4096), kind=FailureKind.EXECUTOR_LOST, state=RunState.SUCCEEDED)
    assert given([*THREE, made_up]) == OWN


def test_a_log_that_breaks_off_after_a_death_tells_of_it() -> None:
    assert given([*THREE, night(3, less(4096), kind=HEAP_DEATH, state=RunState.PARTIAL)]) == OWN


def test_a_step_that_was_taken_back_does_not_come_again_by_a_run_that_was_under_way() -> None:
    assert given([*THREE, night(3, less(4096), kind=HEAP_DEATH), night(4, less(4096))]) == OWN


def test_what_was_learned_of_a_size_holds_when_its_author_comes_back_to_it() -> None:
    died = [*THREE, night(3, less(4096), kind=HEAP_DEATH), night(4, own=6000)]
    assert given([*died, *(night(5 + n) for n in range(4))]) == OWN


def test_the_collector_is_looked_at_whatever_else_is_in_force_and_against_the_authors_size() -> None:
    waits = night(3, less(4096), gc_share=0.9, in_force=[decided(hint())])
    assert given([*THREE, waits]) == OWN
    steps = [*THREE, night(3, less(4096), gc_share=0.09), night(4, less(2048), gc_share=0.17)]
    assert given(steps) == 4096


def test_slowness_does_not_add_up_over_steps() -> None:
    steps = [*THREE, night(3, less(4096), seconds=104), night(4, less(2048), seconds=108)]
    assert given(steps) == 4096


@pytest.mark.parametrize("size", ["8000000k", "8g", "8192", "8388608k"])
def test_sizes_in_any_unit_are_the_same_size_in_each_night(size: str) -> None:
    def sized(found: Run) -> Run:
        assert found.outcome is not None
        return replace(found, outcome=replace(found.outcome, conf={**found.outcome.conf, HEAP: size}))

    own = {**STANDALONE, HEAP: size}
    first = [sized(night(n)) for n in range(3)]
    (cut,) = size_cuts(first, own, may_step=True)
    died = [*first, night(3, (cut,), kind=HEAP_DEATH), *(sized(night(4 + n)) for n in range(4))]
    assert size_cuts(died, own, may_step=True) == ()


def test_an_overhead_by_its_old_name_is_its_authors() -> None:
    conf = {**YARN, "spark.yarn.executor.memoryOverhead": "4g"}
    assert cuts([night(n, conf=YARN) for n in range(3)], conf=conf) == ()


def test_a_broadcast_that_a_change_made_keeps_the_heap_that_it_was_allowed_for() -> None:
    def joined(found: Run) -> Run:
        assert found.outcome is not None
        made = inner(side("fact"), side("dim", rows=100_000, broadcast_bytes=400 * MIB))
        queries = tuple(replace(q, joins=(made,)) for q in found.outcome.queries)
        return replace(found, outcome=replace(found.outcome, queries=queries))

    plain = [joined(night(n)) for n in range(3)]
    assert given(plain) == 4096
    hinted = [joined(night(n, in_force=[decided(hint())])) for n in range(3)]
    left = given(hinted) * MIB
    assert left > given(plain) * MIB
    assert broadcast_cap(left, left).one_bytes >= 400 * MIB


def test_a_proven_change_is_not_blamed_for_a_death_in_less_than_its_authors_size() -> None:
    died = night(3, less(4096), kind=HEAP_DEATH, in_force=[decided(hint())])
    assert failed_by(FailedRun(died), died.decision.in_force) == {}
    own = night(3, kind=HEAP_DEATH, in_force=[decided(hint())])
    assert failed_by(FailedRun(own), own.decision.in_force) != {}


def test_of_a_larger_night_that_is_read_in_brief_all_storage_counts() -> None:
    def stored(found: Run, storage: int) -> Run:
        assert found.outcome is not None
        assert found.outcome.resources.executors is not None
        peaks = replace(found.outcome.resources.executors, storage_bytes=storage * MIB)
        use = replace(found.outcome.resources, executors=peaks)
        return replace(found, outcome=replace(found.outcome, resources=use))

    first = stored(night(0, gigabytes=40), 3000)
    assert given([first, night(1), night(2)]) == 6592
    as_large = night(3, less(6592), gigabytes=40)
    assert given([first, night(1), night(2), as_large]) == 3296


def test_all_storage_counts_of_a_night_of_more_queries_than_are_kept_whole() -> None:
    def joined(found: Run) -> Run:
        assert found.outcome is not None
        peaks = replace(found.outcome.resources.executors or MemoryPeaks(), storage_bytes=3000 * MIB)
        use = replace(found.outcome.resources, executors=peaks)
        (one,) = found.outcome.queries
        whole = replace(one, joins=(inner(side("fact"), side("dim", rows=10, broadcast_bytes=MIB)),))
        queries = (whole, replace(one, id=2, work_in_brief=WorkInBrief(1.0, 0)))
        return replace(found, outcome=replace(found.outcome, resources=use, queries=queries))

    assert given([joined(one) for one in THREE]) == 6592


def test_until_a_month_was_seen_steps_go_down_to_half_and_no_further() -> None:
    daily = [night(n, days=1) for n in range(3)]
    assert given(daily) == 4096
    halved = [*daily, *(night(n, less(4096), days=1) for n in range(3, 36))]
    assert {given(halved[:n]) for n in range(4, 36)} == {4096}
    assert given(halved) == 2048


def test_a_frequent_job_that_died_at_a_months_end_is_not_tried_again_each_month() -> None:
    """Its runs that are looked at go back for less than three days."""
    runs = [night(n, days=1 / 24) for n in range(3)]
    assert given(runs) == 4096
    runs += [night(n, less(4096), days=1 / 24) for n in range(3, 60)]
    assert given(runs[-60:]) == 4096
    runs += [night(60, less(4096), kind=HEAP_DEATH, days=1 / 24)]
    for number in range(61, 61 + 200):
        assert given(runs[-60:]) == OWN, number
        runs.append(night(number, days=1 / 24))


def test_months_ends_that_need_three_times_as_much_end_no_run_that_half_holds() -> None:
    runs, heaps = list[Run](), list[int]()
    for number in range(200):
        is_months_end = number % 30 == 29
        firm, gigabytes = (3000, 30) if is_months_end else (1000, 10)
        now = cuts(runs[-60:])
        heaps.append(int(now[0].value.removesuffix("m")) if now else OWN)
        assert heaps[-1] > firm, number
        runs.append(night(number, now, firm=firm, gigabytes=gigabytes, days=1))
    assert set(heaps[LEAST_RUNS:]) == {4096}
