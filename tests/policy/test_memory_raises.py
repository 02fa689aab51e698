"""More memory after a death for want of it: as much as is lacking, no more, within limits, and never for another cause."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from random import Random

import pytest

from tests.conftest import AT_LENGTH
from tuner.eventlog.failure_rules import recognise
from tuner.model.decision import DecidedChange, Standing
from tuner.model.failure import Failure, FailureKind
from tuner.model.query import QueryStatus, ShuffleExchange
from tuner.model.reason import Reason, ReasonCode
from tuner.model.resource_use import UNKNOWN_USE, ResourceUse
from tuner.model.run import Run, RunState
from tuner.model.size_change import MemoryLimits, SizeChange
from tuner.policy.memory_raises import memory_raises
from tuner.policy.remedies import HEALED
from tuner.spark.container import executor_container_bytes
from tuner.spark.knobs import (
    ADAPTIVE_BROADCAST_THRESHOLD,
    ADVISORY_PARTITION_SIZE,
    BROADCAST_THRESHOLD,
    COALESCE_INITIAL_PARTITIONS,
    COALESCE_PARTITIONS,
    DRIVER_MAX_RESULT_SIZE,
    DRIVER_MEMORY,
    DRIVER_MEMORY_OVERHEAD,
    EXECUTOR_CORES,
    EXECUTOR_MEMORY,
    EXECUTOR_MEMORY_OVERHEAD,
    OFF_HEAP,
    OFF_HEAP_SIZE,
    PYSPARK_MEMORY,
    SHUFFLE_PARTITIONS,
    TASK_CPUS,
)
from tuner.spark.settings import Settings
from tuner.units import GIB, MIB
from tuner.words.reasons import reason_words

from .histories import conf, decided, hint, run

HEAP, OVERHEAD = EXECUTOR_MEMORY.property, EXECUTOR_MEMORY_OVERHEAD.property
DRIVER, RESULTS = DRIVER_MEMORY.property, DRIVER_MAX_RESULT_SIZE.property
DRIVER_OVERHEAD = DRIVER_MEMORY_OVERHEAD.property
CORES, OFF = EXECUTOR_CORES.property, OFF_HEAP_SIZE.property
PARTITIONS, PYTHON = SHUFFLE_PARTITIONS.property, PYSPARK_MEMORY.property
STATIC, ADAPTIVE = BROADCAST_THRESHOLD.property, ADAPTIVE_BROADCAST_THRESHOLD.property
NO_LIMITS = MemoryLimits()
YARN = {"spark.master": "yarn"}


def ended(
    number: int,
    had: dict[str, str],
    kind: FailureKind | None = None,
    raises: Sequence[SizeChange] = (),
    in_force: Sequence[DecidedChange] = (),
    ran: bool = True,
) -> Run:
    """A run with these properties, which succeeded, or failed in this way."""
    state = RunState.SUCCEEDED if kind is None else RunState.FAILED
    failure = Failure(kind, "an executor ran out of memory") if kind else None
    found = run(number, {"q1": 10}, *in_force, state=state, failure=failure)
    assert found.outcome is not None
    decision = replace(found.decision, raises=tuple(raises))
    use = ResourceUse(task_ms=60_000 if ran else 0, gc_ms=1)
    return replace(found, decision=decision, outcome=replace(found.outcome, conf={**YARN, **had}, resources=use))


CLUSTER_MODE = {"spark.submit.deployMode": "cluster"}


def given(*runs: Run, own: dict[str, str] | None = None, limits: MemoryLimits = NO_LIMITS) -> dict[str, str]:
    return {one.property: one.value for one in memory_raises(runs, {**YARN, **(own or {})}, limits)}


HEAP_DEATH = FailureKind.EXECUTOR_OUT_OF_MEMORY


@pytest.mark.parametrize(
    ("kind", "had", "expected"),
    [
        (HEAP_DEATH, {HEAP: "2g"}, {HEAP: "4096m"}),
        (FailureKind.TASK_MEMORY, {}, {HEAP: "2048m"}),
        (FailureKind.EXECUTOR_OVER_LIMIT, {HEAP: "2g"}, {OVERHEAD: "768m"}),
        (FailureKind.EXECUTOR_OVER_LIMIT, {HEAP: "8g", OVERHEAD: "1g"}, {OVERHEAD: "2048m"}),
        (FailureKind.PYTHON_OUT_OF_MEMORY, {HEAP: "2g", PYTHON: "512"}, {PYTHON: "1024m"}),
        (FailureKind.DRIVER_OUT_OF_MEMORY, {DRIVER: "3g"}, {DRIVER: "6144m"}),
        (FailureKind.DRIVER_OVER_LIMIT, {DRIVER: "2g"}, {DRIVER_OVERHEAD: "768m"}),
        (FailureKind.DRIVER_OVER_LIMIT, {DRIVER: "8g", DRIVER_OVERHEAD: "1g"}, {DRIVER_OVERHEAD: "2048m"}),
        (FailureKind.BROADCAST_OUT_OF_MEMORY, {}, {DRIVER: "2048m"}),
        (FailureKind.RESULT_TOO_LARGE, {RESULTS: "512m", DRIVER: "4g"}, {RESULTS: "1024m"}),
        (FailureKind.RESULT_TOO_LARGE, {RESULTS: "1g", DRIVER: "2g"}, {RESULTS: "2048m", DRIVER: "4096m"}),
        # Of so small a heap results may not take more.
        (FailureKind.RESULT_TOO_LARGE, {}, {}),
    ],
)
def test_each_death_gets_more_of_what_it_lacked(
    kind: FailureKind, had: dict[str, str], expected: dict[str, str]
) -> None:
    assert given(ended(0, had, kind), own={**had, **CLUSTER_MODE}) == expected


@pytest.mark.parametrize("kind", [HEAP_DEATH, FailureKind.TASK_MEMORY, FailureKind.DRIVER_OUT_OF_MEMORY])
def test_in_local_mode_there_is_one_heap_the_drivers(kind: FailureKind) -> None:
    local = {"spark.master": "local[4]", DRIVER: "2g", HEAP: "9g"}
    assert given(ended(0, local, kind), own=local, limits=MemoryLimits(driver_bytes=8 * GIB)) == {DRIVER: "4096m"}


def test_a_driver_beside_others_is_raised_only_within_a_limit_that_somebody_set() -> None:
    died = ended(0, {DRIVER: "2g"}, FailureKind.DRIVER_OUT_OF_MEMORY)
    assert given(died, own={DRIVER: "2g"}) == {}
    assert given(died, own={DRIVER: "2g"}, limits=MemoryLimits(driver_bytes=3 * GIB)) == {DRIVER: "3072m"}
    assert given(died, own={DRIVER: "2g", **CLUSTER_MODE}) == {DRIVER: "4096m"}


@pytest.mark.parametrize("told", [{}, {DRIVER: "16g"}])
def test_a_driver_is_raised_from_the_heap_that_it_had(told: dict[str, str]) -> None:
    """Where its conf tells none, or its program sets another, which comes too late for its JVM."""

    def had(run: Run, heap_bytes: int) -> Run:
        assert run.outcome is not None
        cluster = replace(run.outcome.cluster, driver_memory_bytes=heap_bytes)
        return replace(run, outcome=replace(run.outcome, cluster=cluster))

    died = had(ended(0, told, FailureKind.DRIVER_OUT_OF_MEMORY), 6 * GIB)
    raises = memory_raises([died], {**YARN, **CLUSTER_MODE}, NO_LIMITS)
    assert [(one.property, one.value, one.was) for one in raises] == [(DRIVER, "12288m", "6144m")]
    worked = had(ended(1, told, raises=raises), 12 * GIB)
    assert given(died, worked, own=CLUSTER_MODE) == {DRIVER: "12288m"}


@pytest.mark.parametrize("kind", sorted(set(FailureKind) - HEALED))
def test_no_other_death_is_fed(kind: FailureKind) -> None:
    assert given(ended(0, {HEAP: "2g"}, kind)) == {}


def test_what_worked_stays_and_says_where_it_did() -> None:
    died = ended(0, {HEAP: "2g"}, HEAP_DEATH)
    (raised,) = memory_raises([died], {HEAP: "2g"}, NO_LIMITS)
    assert reason_words(raised.why) == "run etl/0/1 died with 2048m: an executor ran out of memory"
    worked = ended(1, {HEAP: "4g"}, raises=[raised])
    (kept,) = memory_raises([died, worked], {HEAP: "2g"}, NO_LIMITS)
    assert (kept.value, kept.was) == ("4096m", "2048m")
    assert reason_words(kept.why).endswith("; it worked in run etl/1/1")
    again = ended(2, {HEAP: "4g"}, raises=[kept])
    assert memory_raises([worked, again], {HEAP: "2g"}, NO_LIMITS) == (kept,)


def test_a_later_run_that_did_with_less_shows_that_no_more_is_needed() -> None:
    died, later = ended(0, {HEAP: "2g"}, HEAP_DEATH), ended(1, {HEAP: "2g"})
    assert given(died, later, own={HEAP: "2g"}) == {}
    # But for one that was under way meanwhile.
    beside = replace(later, started_at=died.started_at)
    assert given(died, beside, own={HEAP: "2g"}) == {HEAP: "4096m"}


def test_what_worked_goes_when_its_author_asks_for_another_size_or_the_platform_for_less() -> None:
    died = ended(0, {HEAP: "2g"}, HEAP_DEATH)
    raised = memory_raises([died], {**YARN, HEAP: "2g"}, NO_LIMITS)
    runs = [died, ended(1, {HEAP: "4g"}, raises=raised)]
    assert given(*runs, own={HEAP: "1g"}) == given(*runs, own={HEAP: "3g"}) == {}
    assert given(*runs, own={HEAP: "2g"}, limits=MemoryLimits(executor_bytes=4 * GIB)) == {HEAP: "3712m"}
    refused = [replace(ended(n, {HEAP: "4g"}, FailureKind.UNKNOWN, raised), outcome=None) for n in (2,)]
    assert given(*runs, *refused, own={HEAP: "2g"}) == {}


def test_heap_and_overhead_together_keep_to_the_limit() -> None:
    own, limits = {HEAP: "5g", OVERHEAD: "3g"}, MemoryLimits(executor_bytes=12 * GIB)
    both = given(ended(0, own, HEAP_DEATH), ended(1, own, FailureKind.EXECUTOR_OVER_LIMIT), own=own, limits=limits)
    assert executor_container_bytes({**YARN, **own, **both}) <= 12 * GIB
    assert both[HEAP] == "9216m"


def test_an_overhead_that_is_not_told_is_never_made_less() -> None:
    pods = {HEAP: "8g", "spark.master": "k8s://host", "spark.submit.deployMode": "cluster"}
    (raised,) = memory_raises([ended(0, pods, FailureKind.EXECUTOR_OVER_LIMIT)], pods, MemoryLimits(64 * GIB))
    assert Settings({OVERHEAD: raised.value})[EXECUTOR_MEMORY_OVERHEAD] == int(2 * 0.4 * 8192) * MIB + MIB
    old = {HEAP: "8g", "spark.yarn.executor.memoryOverhead": "4g"}
    assert given(ended(0, {HEAP: "8g"}, FailureKind.EXECUTOR_OVER_LIMIT), own=old) == {}
    standalone = {HEAP: "8g", "spark.master": "spark://host:7077"}
    assert given(ended(0, standalone, FailureKind.EXECUTOR_OVER_LIMIT), own=standalone) == {}


def test_a_death_of_an_earlier_version_did_not_tell_a_heap_from_a_container() -> None:
    died = ended(0, {HEAP: "2g"}, HEAP_DEATH)
    assert died.outcome is not None
    old = replace(died, outcome=replace(died.outcome, resources=UNKNOWN_USE))
    assert given(old, own={HEAP: "2g"}) == {}


@pytest.mark.parametrize("kind", [HEAP_DEATH, FailureKind.EXECUTOR_OVER_LIMIT, FailureKind.PYTHON_OUT_OF_MEMORY])
def test_executors_that_a_stage_asked_for_itself_are_not_healed_by_the_sizes_of_others(kind: FailureKind) -> None:
    own = {HEAP: "2g", CORES: "4", PYTHON: "1g"}
    died = ended(0, own, kind)
    assert died.outcome is not None

    def then(use: ResourceUse) -> dict[str, str]:
        return given(replace(died, outcome=replace(died.outcome, resources=use)), own=own)

    assert then(ResourceUse(task_ms=1, has_profiles=True, failed_in_profile=True)) == {}
    assert then(ResourceUse(task_ms=1, has_profiles=True)) != {}, "it died in the application's own"


def test_what_an_earlier_version_raised_for_executors_of_a_stages_own_is_no_longer_tried() -> None:
    own = {HEAP: "2g"}
    died = ended(0, own, HEAP_DEATH)
    raises = memory_raises([died], {**YARN, **own}, NO_LIMITS)
    again = ended(1, {HEAP: "4g"}, HEAP_DEATH, raises)
    assert again.outcome is not None
    use = ResourceUse(task_ms=1, has_profiles=True, failed_in_profile=True)
    assert given(died, replace(again, outcome=replace(again.outcome, resources=use)), own=own) == {}


def test_an_overhead_is_never_less_than_the_raised_heap_has_by_itself() -> None:
    over = ended(0, {HEAP: "6g"}, FailureKind.EXECUTOR_OVER_LIMIT)
    raised = memory_raises([over], {**YARN, HEAP: "6g"}, MemoryLimits(64 * GIB))
    assert [(one.property, one.value) for one in raised] == [(OVERHEAD, "1229m")]
    full = ended(1, {HEAP: "6g", OVERHEAD: "1229m"}, HEAP_DEATH, raised)
    assert given(over, full, own={HEAP: "6g"}, limits=MemoryLimits(64 * GIB)) == {HEAP: "12288m"}


def test_an_author_who_asks_for_as_much_is_given_nothing() -> None:
    died = ended(0, {HEAP: "2g"}, HEAP_DEATH)
    assert given(died, own={HEAP: "4g"}) == {}
    assert given(died, own={HEAP: "3g"}) == {HEAP: "4096m"}


def test_a_size_that_only_the_cluster_sets_is_taken_from_the_log() -> None:
    assert memory_raises([ended(0, {HEAP: "6g"}, HEAP_DEATH)], YARN, NO_LIMITS)[0].was == "6144m"


def test_results_without_a_limit_are_given_none() -> None:
    died = ended(0, {RESULTS: "512m", DRIVER: "4g"}, FailureKind.RESULT_TOO_LARGE)
    assert given(died, own={RESULTS: "0", DRIVER: "4g"}) == {}


def test_a_limit_is_of_the_whole_container_and_what_is_left_is_given() -> None:
    died = ended(0, {HEAP: "4g"}, HEAP_DEATH)
    limits = MemoryLimits(executor_bytes=6 * GIB)
    (raised,) = memory_raises([died], {**YARN, HEAP: "4g"}, limits)
    had = {**YARN, HEAP: raised.value}
    assert 5 * GIB < Settings(had)[EXECUTOR_MEMORY] < executor_container_bytes(had) <= 6 * GIB
    # What is left of it is no step.
    assert given(died, own={HEAP: "4g"}, limits=MemoryLimits(executor_bytes=5 * GIB)) == {}


def test_without_a_limit_it_gets_twice_what_its_author_asks_for_and_no_more() -> None:
    own = {HEAP: "2g"}
    died = [ended(0, own, HEAP_DEATH)]
    raised = memory_raises(died, {**YARN, **own}, NO_LIMITS)
    died.append(ended(1, {HEAP: "4g"}, HEAP_DEATH, raised))
    # It has not helped: the next one is as its author has it.
    assert given(*died, own=own) == {}
    assert given(*died, own=own, limits=MemoryLimits(executor_bytes=100 * GIB)) == {HEAP: "8192m"}
    died.append(ended(2, own, HEAP_DEATH))
    assert given(*died, own=own) == {}


# What ends a run before it asks for executors.
BEFORE = {
    FailureKind.INPUT_MISSING,
    FailureKind.ACCESS_DENIED,
    FailureKind.UNREACHABLE,
    FailureKind.CODE,
    FailureKind.DATA_OR_CODE,
    FailureKind.OWN_EXIT,
}


@pytest.mark.parametrize("kind", sorted(set(FailureKind) - HEALED - BEFORE))
def test_what_a_cluster_refuses_or_never_grants_is_not_asked_for_again(kind: FailureKind) -> None:
    own = {HEAP: "2g"}
    died = ended(0, own, HEAP_DEATH)
    raised = memory_raises([died], {**YARN, **own}, NO_LIMITS)
    waited = ended(1, {HEAP: "4g"}, kind, raised, ran=False)
    assert given(died, waited, own=own) == {}
    assert given(died, replace(waited, outcome=None), own=own) == {}
    assert given(died, waited, ended(2, own, HEAP_DEATH), own=own) == {}
    # Of more that its author asks for himself, that says nothing.
    assert given(died, waited, ended(2, {HEAP: "6g"}, HEAP_DEATH), own={HEAP: "6g"}) == {HEAP: "12288m"}
    # One that ran, had all that it asked for; of one whose log breaks off nobody knows.
    assert given(died, ended(1, {HEAP: "4g"}, kind, raised), own=own) == {HEAP: "4096m"}
    # So had one that got executors, though its log lacks tasks that had ended (Spark has compacted it).
    assert waited.outcome is not None
    got = replace(waited, outcome=replace(waited.outcome, cluster=replace(waited.outcome.cluster, executors=2)))
    assert given(died, got, own=own) == {HEAP: "4096m"}
    broken = replace(waited, state=RunState.PARTIAL, outcome=replace(waited.outcome, failure=None))
    assert given(died, broken, own=own) == {HEAP: "4096m"}


@pytest.mark.parametrize("kind", sorted(BEFORE))
def test_what_ends_a_run_before_its_tasks_says_nothing_of_sizes(kind: FailureKind) -> None:
    own = {HEAP: "2g"}
    died = ended(0, own, HEAP_DEATH)
    raised = memory_raises([died], {**YARN, **own}, NO_LIMITS)
    missed = ended(1, {HEAP: "4g"}, kind, raised, ran=False)
    assert given(died, missed, own=own) == {HEAP: "4096m"}


def test_a_try_that_got_executors_was_not_refused() -> None:
    own = {HEAP: "2g"}
    died = ended(0, own, HEAP_DEATH)
    raised = memory_raises([died], {**YARN, **own}, NO_LIMITS)
    killed = ended(1, {HEAP: "4g"}, FailureKind.KILLED, raised, ran=False)
    assert killed.outcome is not None
    had_some = replace(killed, outcome=replace(killed.outcome, resources=ResourceUse(executor_ms=5000)))
    assert given(died, had_some, own=own) == {HEAP: "4096m"}


def test_a_try_that_nobody_saw_is_made_once_more() -> None:
    """Its submission may have failed for what passes, or its log be lost."""
    own = {HEAP: "2g"}
    died = ended(0, own, HEAP_DEATH)
    raised = memory_raises([died], {**YARN, **own}, NO_LIMITS)
    unseen = [
        replace(ended(n, {HEAP: "4g"}, FailureKind.UNKNOWN, raised), outcome=None, state=RunState.LOST) for n in (1, 2)
    ]
    assert given(died, unseen[0], own=own) == {HEAP: "4096m"}
    assert given(died, *unseen, own=own) == {}
    succeeded = ended(3, {HEAP: "4g"}, raises=raised)
    assert given(died, unseen[0], succeeded, unseen[1], own=own) == {HEAP: "4096m"}


@pytest.mark.parametrize("kind", [FailureKind.KILLED, FailureKind.UNKNOWN])
def test_what_worked_goes_where_no_executor_of_that_size_is_to_be_had_any_more(kind: FailureKind) -> None:
    own = {HEAP: "2g"}
    died = ended(0, own, HEAP_DEATH)
    raised = memory_raises([died], {**YARN, **own}, NO_LIMITS)
    worked = ended(1, {HEAP: "4g"}, raises=raised)
    waited = ended(2, {HEAP: "4g"}, kind, raised, ran=False)
    assert given(died, worked, own=own) == {HEAP: "4096m"}
    assert given(died, worked, waited, own=own) == {}


@pytest.mark.parametrize("own_now", [{HEAP: "8g", OVERHEAD: "1g"}, {HEAP: "2g"}])
def test_an_author_who_asks_for_another_overhead_or_heap_is_heeded(own_now: dict[str, str]) -> None:
    own = {HEAP: "8g"}
    died = ended(0, own, FailureKind.EXECUTOR_OVER_LIMIT)
    raised = memory_raises([died], {**YARN, **own}, NO_LIMITS)
    worked = ended(1, {**own, OVERHEAD: "1639m"}, raises=raised)
    assert given(died, worked, own=own) == {OVERHEAD: "1639m"}
    assert given(died, worked, own=own_now) == {}


def test_a_size_that_the_jobs_program_sets_is_not_given_again_and_the_next_remedy_is() -> None:
    own = {HEAP: "2g", CORES: "4"}
    died = ended(0, own, HEAP_DEATH)
    raised = memory_raises([died], {**YARN, **own}, NO_LIMITS)
    again = ended(1, own, HEAP_DEATH, raised)
    assert given(died, again, own=own) == {CORES: "2"}


def test_a_size_that_the_jobs_program_sets_has_not_worked_where_a_run_did_with_less() -> None:
    own = {HEAP: "2g"}
    died = ended(0, own, HEAP_DEATH)
    raised = memory_raises([died], {**YARN, **own}, NO_LIMITS)
    assert given(died, ended(1, {HEAP: "4g"}, raises=raised), own=own) == {HEAP: "4096m"}
    assert given(died, ended(1, own, raises=raised), own=own) == {}
    # In some runs alone, what worked in the others stays.
    assert given(died, ended(1, {HEAP: "4g"}, raises=raised), ended(2, own, raises=raised), own=own) == {HEAP: "4096m"}
    # What a program sets of a driver's heap comes too late to count, though its log tells that.
    driver = {DRIVER: "2g", **CLUSTER_MODE}
    died = ended(0, driver, FailureKind.DRIVER_OUT_OF_MEMORY)
    raised = memory_raises([died], {**YARN, **driver}, NO_LIMITS)
    assert given(died, ended(1, driver, raises=raised), own=driver) == {DRIVER: "4096m"}


def test_a_driver_that_comes_to_be_beside_others_has_what_its_author_asks_for() -> None:
    own = {DRIVER: "2g"}
    died = ended(0, {**own, **CLUSTER_MODE}, FailureKind.DRIVER_OUT_OF_MEMORY)
    raised = memory_raises([died], {**YARN, **own, **CLUSTER_MODE}, NO_LIMITS)
    worked = ended(1, {DRIVER: "4g", **CLUSTER_MODE}, raises=raised)
    assert given(died, worked, own={**own, **CLUSTER_MODE}) == {DRIVER: "4096m"}
    assert given(died, worked, own={**own, "spark.submit.deployMode": "client"}) == {}


def test_a_services_driver_is_no_larger_than_its_containers() -> None:
    own = {DRIVER: "14g", "spark.driver.cores": "4"}
    died = ended(0, own, FailureKind.DRIVER_OUT_OF_MEMORY)
    limits = MemoryLimits(shapes=((1, 8 * GIB), (4, 30 * GIB)), is_driver_apart=True)
    # Of 30 GiB an eleventh is its overhead.
    assert given(died, own=own, limits=limits) == {DRIVER: "27927m"}


def test_an_overhead_that_logs_do_not_tell_of_is_not_raised() -> None:
    own = {HEAP: "8g", "spark.yarn.executor.memoryOverhead": "1g"}
    assert OVERHEAD not in given(ended(0, {HEAP: "8g"}, FailureKind.EXECUTOR_OVER_LIMIT), own=own)


def test_a_drivers_overhead_is_raised_only_where_it_has_a_container_that_may_grow() -> None:
    over, own = FailureKind.DRIVER_OVER_LIMIT, {DRIVER: "8g"}

    def then(more: dict[str, str], limits: MemoryLimits = NO_LIMITS) -> dict[str, str]:
        return given(ended(0, {**own, **more}, over), own={**own, **more}, limits=limits)

    assert then(CLUSTER_MODE) == then({}, MemoryLimits(is_driver_apart=True)) == {DRIVER_OVERHEAD: "1639m"}
    # Beside spark-submit it has none, whatever its heap may be.
    assert then({}) == then({}, MemoryLimits(driver_bytes=32 * GIB)) == {}
    standalone = {"spark.master": "spark://master:7077"}
    assert then({**CLUSTER_MODE, **standalone}) == {}
    assert then({**CLUSTER_MODE, "spark.yarn.driver.memoryOverhead": "1g"}) == {}
    # A limit of its heap is one of its container, too.
    assert then(CLUSTER_MODE, MemoryLimits(driver_bytes=8 * GIB)) == {}
    assert then(CLUSTER_MODE, MemoryLimits(driver_bytes=16 * GIB)) == {DRIVER_OVERHEAD: "1639m"}
    shapes = MemoryLimits(shapes=((1, 9 * GIB),), is_driver_apart=True)
    assert then({}, shapes) == {DRIVER_OVERHEAD: "1024m"}
    large = {DRIVER: "30g", "spark.master": "k8s://host", "spark.kubernetes.memoryOverheadFactor": "0.1"}
    assert then({**large, **CLUSTER_MODE}) == {}


def test_a_drivers_overhead_that_worked_is_kept_until_its_author_asks_for_another() -> None:
    own = {DRIVER: "2g", **CLUSTER_MODE}
    died = ended(0, own, FailureKind.DRIVER_OVER_LIMIT)
    raised = memory_raises([died], {**YARN, **own}, NO_LIMITS)
    assert [(one.property, one.value, one.was) for one in raised] == [(DRIVER_OVERHEAD, "768m", "384m")]
    worked = ended(1, {**own, DRIVER_OVERHEAD: "768m"}, raises=raised)
    assert given(died, worked, own=own) == given(worked, own=own) == {DRIVER_OVERHEAD: "768m"}
    assert given(died, worked, own={**own, DRIVER_OVERHEAD: "512m"}) == {}
    again = ended(1, {**own, DRIVER_OVERHEAD: "768m"}, FailureKind.DRIVER_OVER_LIMIT, raises=raised)
    assert given(died, again, own=own) == {DRIVER_OVERHEAD: "1536m"}
    # A larger heap brings an overhead of its own.
    assert given(died, worked, own={**own, DRIVER: "16g"}) == {}


@pytest.mark.parametrize(("factor", "raised"), [("0.1", "3277m"), ("0.4", "13108m")])
def test_an_overhead_of_kubernetes_is_raised_from_what_its_driver_was_told(factor: str, raised: str) -> None:
    own = {HEAP: "16g", "spark.master": "k8s://host", "spark.submit.deployMode": "cluster"}
    told = own | {"spark.submit.deployMode": "client", "spark.kubernetes.memoryOverheadFactor": factor}
    died = ended(0, told, FailureKind.EXECUTOR_OVER_LIMIT)
    assert given(died, own=own, limits=MemoryLimits(64 * GIB)) == {OVERHEAD: raised}


def test_a_failing_upstream_takes_nothing_of_it_away() -> None:
    own = {HEAP: "2g"}
    died = ended(0, own, HEAP_DEATH)
    raised = memory_raises([died], {**YARN, **own}, NO_LIMITS)
    missing = ended(1, {HEAP: "4g"}, FailureKind.INPUT_MISSING, raised)
    assert given(died, missing, own=own) == {HEAP: "4096m"}
    worked = ended(2, {HEAP: "4g"}, raises=raised)
    killed = ended(3, {HEAP: "4g"}, FailureKind.KILLED, raised)
    assert given(died, worked, killed, own=own) == {HEAP: "4096m"}


def test_a_death_that_the_tuner_is_suspected_of_takes_its_changes_away_first() -> None:
    broadcast = decided(hint("q1"))
    died = ended(0, {HEAP: "2g"}, HEAP_DEATH, in_force=[broadcast])
    assert given(died, own={HEAP: "2g"}) == {}
    without = ended(1, {HEAP: "2g"}, HEAP_DEATH)
    assert given(died, without, own={HEAP: "2g"}) == {HEAP: "4096m"}


def test_a_pinned_change_is_a_persons_and_does_not_stand_in_the_way() -> None:
    pinned = decided(conf(), Standing.PINNED)
    assert given(ended(0, {HEAP: "2g"}, HEAP_DEATH, in_force=[pinned]), own={HEAP: "2g"}) == {HEAP: "4096m"}


@dataclass
class Cluster:
    """Runs a job night after night, with one retry: it dies below what it needs."""

    needed: int
    own: dict[str, str]
    limits: MemoryLimits = NO_LIMITS
    runs: list[Run] = field(default_factory=list)
    healthy: bool = True

    def night(self) -> list[RunState]:
        states: list[RunState] = []
        while len(states) < 2 and states[-1:] != [RunState.SUCCEEDED]:
            raises = memory_raises(self.runs, {**YARN, **self.own}, self.limits)
            had = {**self.own, **{one.property: one.value for one in raises}}
            died = Settings(had)[EXECUTOR_MEMORY] < self.needed
            one = ended(len(self.runs), had, HEAP_DEATH if died else None, raises)
            self.runs.append(replace(one, started_at=one.started_at + timedelta(hours=len(self.runs))))
            states.append(one.state)
        return states

    @property
    def heap(self) -> int:
        conf = self.runs[-1].outcome.conf if self.runs[-1].outcome else {}
        return Settings(conf)[EXECUTOR_MEMORY]


@pytest.mark.parametrize("seed", range(50 if AT_LENGTH else 10))
def test_drawn_jobs_succeed_in_their_first_retry_with_less_than_twice_their_need_and_then_at_once(seed: int) -> None:
    draw = Random(seed)
    asked = draw.randrange(512, 16_384)
    needed = int(asked * draw.uniform(0.3, 2.0)) * MIB
    cluster = Cluster(needed, {HEAP: f"{asked}m"})
    first = cluster.night()
    if needed <= asked * MIB:
        assert first == [RunState.SUCCEEDED]
        assert cluster.heap == asked * MIB
    else:
        assert first == [RunState.FAILED, RunState.SUCCEEDED]
        assert needed <= cluster.heap < 2 * needed
    for _ in range(3):
        assert cluster.night() == [RunState.SUCCEEDED]


def test_data_that_grows_is_followed_up_to_the_limit() -> None:
    cluster = Cluster(3 * GIB, {HEAP: "2g"}, MemoryLimits(executor_bytes=12 * GIB))
    assert cluster.night() == [RunState.FAILED, RunState.SUCCEEDED]
    cluster.needed = 5 * GIB
    assert cluster.night() == [RunState.FAILED, RunState.SUCCEEDED]
    assert cluster.night() == [RunState.SUCCEEDED]
    cluster.needed = 100 * GIB
    assert cluster.night() == [RunState.FAILED, RunState.FAILED]
    assert executor_container_bytes({**YARN, HEAP: f"{cluster.heap // MIB}m"}) <= 12 * GIB
    # Of what worked before nothing is taken away.
    cluster.needed = 5 * GIB
    assert cluster.night() == [RunState.SUCCEEDED]


FOUR = {HEAP: "2g", CORES: "4"}


def nights(
    own: dict[str, str], kind: FailureKind, tries: int, limits: MemoryLimits = NO_LIMITS
) -> list[dict[str, str]]:
    """What each run gets, where all die in the same way."""
    runs, found = list[Run](), list[dict[str, str]]()
    for number in range(tries):
        raises = memory_raises(runs, {**YARN, **own}, limits)
        found.append({one.property: one.value for one in raises})
        runs.append(ended(number, {**own, **found[-1]}, kind, raises))
    return found


def test_where_there_is_no_more_memory_fewer_tasks_share_it() -> None:
    assert nights(FOUR, HEAP_DEATH, 6) == [
        {},
        {HEAP: "4096m"},
        {HEAP: "4096m", CORES: "2"},
        {HEAP: "4096m", CORES: "1"},
        {},
        {},
    ]
    within = MemoryLimits(executor_bytes=2 * GIB + 512 * MIB)
    assert nights(FOUR, HEAP_DEATH, 3, within) == [{}, {CORES: "2"}, {CORES: "1"}]
    assert nights({HEAP: "2g"}, HEAP_DEATH, 3, within) == [{}, {}, {}]
    of_overhead = nights({**FOUR, OVERHEAD: "1g"}, FailureKind.EXECUTOR_OVER_LIMIT, 3, MemoryLimits(4 * GIB))
    assert of_overhead == [{}, {OVERHEAD: "2048m"}, {OVERHEAD: "2048m", CORES: "2"}]


def shuffled(died: Run, gigabytes: float, partitions: int, adjustable: bool = True) -> Run:
    """The same run, whose query had shuffled so much, as compressed, before it died."""
    assert died.outcome is not None
    written = int(gigabytes * GIB)
    exchange = ShuffleExchange(partitions, 3 * written, written, 1000, 10, adjustable)
    queries = tuple(replace(q, shuffles=(exchange,), status=QueryStatus.FAILED) for q in died.outcome.queries)
    return replace(died, outcome=replace(died.outcome, queries=queries))


def test_where_there_is_no_more_memory_large_partitions_become_small_ones_before_cores_idle() -> None:
    within = MemoryLimits(executor_bytes=2 * GIB + 512 * MIB)
    first = shuffled(ended(0, FOUR, HEAP_DEATH), 100, 200)
    (one,) = memory_raises([first], {**YARN, **FOUR}, within)
    assert (one.property, one.value, one.was) == (PARTITIONS, "1600", ""), "64 MiB each, as AQE aims at"
    # They were no larger than that: what else a task holds is shared by fewer.
    second = shuffled(ended(1, {**FOUR, PARTITIONS: "1600"}, HEAP_DEATH, [one]), 100, 1600)
    assert given(first, second, own=FOUR, limits=within) == {PARTITIONS: "1600", CORES: "2"}
    healed = ended(2, {**FOUR, PARTITIONS: "1600"}, None, [one])
    assert given(first, healed, own=FOUR, limits=within) == {PARTITIONS: "1600"}
    assert given(first, healed, own={**FOUR, PARTITIONS: "3000"}, limits=within) == {}


@pytest.mark.parametrize(
    ("own", "gigabytes", "partitions", "adjustable", "wanted"),
    [
        ({}, 100, 200, True, {PARTITIONS: "1600"}),
        ({}, 14, 200, True, {PARTITIONS: "400"}),
        ({}, 9_000, 200, True, {PARTITIONS: "20000"}),
        ({ADVISORY_PARTITION_SIZE.property: "1g"}, 100, 200, True, {CORES: "2"}),
        ({}, 12, 200, True, {CORES: "2"}),
        ({"spark.sql.adaptive.enabled": "false"}, 12, 200, True, {PARTITIONS: "576"}),
        ({COALESCE_PARTITIONS.property: "false"}, 12, 200, True, {PARTITIONS: "576"}),
        ({}, 100, 200, False, {CORES: "2"}),
        ({COALESCE_INITIAL_PARTITIONS.property: "500"}, 100, 500, True, {CORES: "2"}),
        ({PARTITIONS: "20000"}, 9_000, 20_000, True, {CORES: "2"}),
    ],
)
def test_partitions_are_made_smaller_only_where_their_bytes_ask_for_it(
    own: dict[str, str], gigabytes: float, partitions: int, adjustable: bool, wanted: dict[str, str]
) -> None:
    asked = {**FOUR, **own}
    died = shuffled(ended(0, asked, HEAP_DEATH), gigabytes, partitions, adjustable)
    assert given(died, own=asked, limits=MemoryLimits(executor_bytes=2 * GIB + 512 * MIB)) == wanted


def test_fewer_cores_stay_once_they_worked_until_the_author_asks_for_others() -> None:
    first, second, third = (ended(n, FOUR, HEAP_DEATH) for n in range(3))
    raises = memory_raises([first, second, third], {**YARN, **FOUR}, MemoryLimits(2 * GIB + 512 * MIB))
    (one,) = raises
    assert (one.property, one.value, one.was) == (CORES, "2", "4")
    assert (
        reason_words(one.why) == "run etl/2/1 died, and there is no more memory to give: an executor ran out of memory"
    )
    healed = ended(3, {**FOUR, CORES: "2"}, None, raises)
    limits = MemoryLimits(2 * GIB + 512 * MIB)
    assert given(third, healed, own=FOUR, limits=limits) == {CORES: "2"}
    assert given(third, healed, own={**FOUR, CORES: "8"}, limits=limits) == {}
    assert given(third, healed, ended(4, FOUR), own=FOUR, limits=limits) == {CORES: "2"}


def lasting(found: Run, minutes: int) -> Run:
    assert found.outcome is not None
    return replace(found, outcome=replace(found.outcome, duration_ms=minutes * 60_000))


@pytest.mark.parametrize("kind", [FailureKind.KILLED, FailureKind.STOPPED, FailureKind.DRIVER_LOST])
@pytest.mark.parametrize("has_worked", [False, True])
def test_fewer_cores_go_where_a_run_with_them_was_ended_that_took_longer_than_those_without(
    kind: FailureKind, has_worked: bool
) -> None:
    within = MemoryLimits(2 * GIB + 512 * MIB)
    usual, died = lasting(ended(0, FOUR), 60), ended(1, FOUR, HEAP_DEATH)
    raises = memory_raises([usual, died], {**YARN, **FOUR}, within)
    halved = {**FOUR, CORES: "2"}
    before = [usual, died, *([lasting(ended(2, halved, None, raises), 80)] if has_worked else [])]
    assert given(*before, own=FOUR, limits=within) == {CORES: "2"}

    def then(minutes: int, *later: Run) -> dict[str, str]:
        slow = lasting(ended(3, halved, kind, raises), minutes)
        return given(*before, slow, *later, own=FOUR, limits=within)

    assert then(90) == {}
    assert then(50) == {CORES: "2"}, "it may have been ended for something else"
    assert then(70) == ({CORES: "2"} if has_worked else {}), "one with them took longer, and came to its end"
    assert then(90, ended(4, FOUR, HEAP_DEATH)) == {}, "nor are they taken again"
    # Nothing shows that the job does without them.
    assert given(died, *before[2:], lasting(ended(3, halved, kind, raises), 90), own=FOUR, limits=within) == {
        CORES: "2"
    }


def test_broadcasts_are_no_longer_off_where_a_run_without_them_took_too_long() -> None:
    died = ended(1, {}, FailureKind.BROADCAST_TOO_LARGE)
    before = [lasting(ended(0, {}), 60), died]
    raises = memory_raises(before, YARN, NO_LIMITS)
    assert given(*before) == {STATIC: "-1"}
    assert given(*before, lasting(ended(2, {STATIC: "-1"}, FailureKind.KILLED, raises), 90)) == {}


def test_an_executor_keeps_the_cores_of_one_task_and_those_that_nobody_said() -> None:
    two = {**FOUR, TASK_CPUS.property: "2"}
    assert nights(two, HEAP_DEATH, 4)[-1] == {}
    assert nights(two, HEAP_DEATH, 3)[-1] == {HEAP: "4096m", CORES: "2"}
    alone = {"spark.master": "spark://host:7077", HEAP: "2g"}
    assert nights(alone, HEAP_DEATH, 3) == [{}, {HEAP: "4096m"}, {}]
    local = {"spark.master": "local[4]", DRIVER: "2g", CORES: "4"}
    assert nights(local, HEAP_DEATH, 3, MemoryLimits(None, 4 * GIB)) == [{}, {DRIVER: "4096m"}, {}]


def test_memory_off_the_heap_is_what_tasks_lack_where_they_take_it_there() -> None:
    own = {**FOUR, OFF_HEAP.property: "true", OFF: "1g"}
    died = ended(0, own, FailureKind.TASK_MEMORY)
    assert given(died, own=own) == {OFF: "2048m"}
    # 2 GiB of heap and its overhead of 384 MiB leave so much of the container.
    assert given(died, own=own, limits=MemoryLimits(4 * GIB)) == {OFF: f"{4096 - 2048 - 384}m"}
    assert given(ended(0, own, HEAP_DEATH), own=own) == {HEAP: "4096m"}
    assert given(ended(0, {**own, OFF_HEAP.property: "false"}, FailureKind.TASK_MEMORY)) == {HEAP: "4096m"}


@pytest.mark.parametrize(
    "text",
    [
        "ThrowOnOomMemoryTarget$OutOfMemoryException: Not enough spark off-heap execution memory. Acquired: 8.0 MiB",
        "CometNativeException: Resources exhausted: Failed to acquire 8192 bytes, only got 0 bytes. Reserved: 64 bytes",
    ],
)
def test_what_native_engines_lack_is_memory_off_the_heap(text: str) -> None:
    own = {**FOUR, OFF_HEAP.property: "true", OFF: "1g"}
    assert given(ended(0, own, recognise(text)[0]), own=own) == {OFF: "2048m"}


def test_in_local_mode_memory_off_the_heap_is_beside_others_too() -> None:
    local = {"spark.master": "local[4]", DRIVER: "4g", OFF_HEAP.property: "true", OFF: "2g"}
    died = ended(0, local, FailureKind.TASK_MEMORY)
    assert given(died, own=local) == {}
    assert given(died, own=local, limits=MemoryLimits(driver_bytes=7 * GIB)) == {OFF: "3072m"}
    (raised,) = memory_raises([died], local, MemoryLimits(driver_bytes=16 * GIB))
    assert raised.value == "4096m"
    worked = ended(1, {**local, OFF: "4g"}, raises=[raised])
    assert given(died, worked, own=local, limits=MemoryLimits(driver_bytes=7 * GIB)) == {OFF: "3072m"}
    assert given(died, worked, own=local) == {}


OF_PYTHON = FailureKind.PYTHON_OUT_OF_MEMORY


def test_what_python_workers_may_have_is_part_of_the_container_that_is_limited() -> None:
    own = {HEAP: "2g", PYTHON: "1g"}
    died = ended(0, own, OF_PYTHON)
    # 2 GiB of heap and its overhead of 384 MiB leave so much of the container.
    assert given(died, own=own, limits=MemoryLimits(4 * GIB)) == {PYTHON: f"{4096 - 2048 - 384}m"}
    assert given(died, own=own, limits=MemoryLimits(3 * GIB + 512 * MIB)) == {}
    both = given(died, ended(1, own, HEAP_DEATH), own=own, limits=MemoryLimits(6 * GIB))
    assert set(both) == {HEAP, PYTHON}
    assert executor_container_bytes({**YARN, **own, **both}) <= 6 * GIB
    pods = {HEAP: "20g", PYTHON: "8g", "spark.master": "k8s://host"}
    # 20 GiB of heap, and a tenth of it.
    assert given(ended(0, pods, OF_PYTHON), own=pods) == {PYTHON: "10240m"}


def test_where_python_workers_can_have_no_more_fewer_share_it() -> None:
    own = {**FOUR, PYTHON: "2g"}
    assert nights(own, OF_PYTHON, 5) == [
        {},
        {PYTHON: "4096m"},
        {PYTHON: "4096m", CORES: "2"},
        {PYTHON: "4096m", CORES: "1"},
        {},
    ]
    # Its worker there has all of it, and counts it as nobody's.
    alone = {"spark.master": "spark://host:7077", HEAP: "2g", PYTHON: "1g"}
    assert nights(alone, OF_PYTHON, 3) == [{}, {PYTHON: "2048m"}, {}]


def test_in_local_mode_python_workers_are_beside_others_too() -> None:
    local = {"spark.master": "local[4]", DRIVER: "4g", PYTHON: "2g", CORES: "4"}
    died = ended(0, local, OF_PYTHON)
    assert given(died, own=local) == {}
    assert given(died, own=local, limits=MemoryLimits(driver_bytes=7 * GIB)) == {PYTHON: "3072m"}
    (raised,) = memory_raises([died], local, MemoryLimits(driver_bytes=16 * GIB))
    assert raised.value == "4096m"
    worked = ended(1, {**local, PYTHON: "4g"}, raises=[raised])
    assert given(died, worked, own=local, limits=MemoryLimits(driver_bytes=16 * GIB)) == {PYTHON: "4096m"}
    assert given(died, worked, own=local) == {}


def test_what_a_python_worker_lacked_is_not_what_a_smaller_heap_took() -> None:
    own = {HEAP: "4g", PYTHON: "1g"}
    died = ended(0, {**own, HEAP: "2g"}, OF_PYTHON)
    why = Reason(ReasonCode.RAISE_WORKED, {"run": "etl/0/1"})
    cut = replace(died, decision=replace(died.decision, cuts=(SizeChange(HEAP, "2048m", "4096m", why),)))
    assert given(cut, own=own) == {PYTHON: "2048m"}


def test_what_cannot_be_broadcast_is_shuffled() -> None:
    died = ended(0, {}, FailureKind.BROADCAST_TOO_LARGE)
    assert given(died) == {STATIC: "-1"}
    own = {STATIC: "64MB", ADAPTIVE: "100MB"}
    (static, adaptive) = memory_raises([ended(0, own, FailureKind.BROADCAST_TOO_LARGE)], {**YARN, **own}, NO_LIMITS)
    assert [(one.property, one.value, one.was) for one in (static, adaptive)] == [
        (STATIC, "-1", "64MB"),
        (ADAPTIVE, "-1", "100MB"),
    ]
    # A hint of the author's has made it: no threshold helps.
    again = ended(1, {**own, STATIC: "-1", ADAPTIVE: "-1"}, FailureKind.BROADCAST_TOO_LARGE, (static, adaptive))
    assert given(ended(0, own, FailureKind.BROADCAST_TOO_LARGE), again, own=own) == {}
    # What worked stays, and hinders nothing else.
    healed = ended(1, {**own, STATIC: "-1", ADAPTIVE: "-1"}, None, (static, adaptive))
    assert given(healed, own=own) == {STATIC: "-1", ADAPTIVE: "-1"}
    assert given(healed, ended(2, {**own, HEAP: "2g"}, HEAP_DEATH), own=own)[HEAP] == "4096m"
    # Its driver has room first, in cluster mode.
    of_driver = FailureKind.BROADCAST_OUT_OF_MEMORY
    assert nights(CLUSTER_MODE, of_driver, 3) == [{}, {DRIVER: "2048m"}, {DRIVER: "2048m", STATIC: "-1"}]
    client = {"spark.submit.deployMode": "client"}
    assert nights(client, of_driver, 3) == [{}, {STATIC: "-1"}, {}]


SHAPES = MemoryLimits(shapes=((2, 8 * GIB), (4, 16 * GIB)))


def test_a_service_gives_no_more_than_its_largest_container_of_so_many_cores() -> None:
    own = {HEAP: "12g", CORES: "4"}
    # 16 GiB less a tenth of the heap.
    assert nights(own, HEAP_DEATH, 4, SHAPES) == [{}, {HEAP: "14894m"}, {}, {}]
    assert given(ended(0, {HEAP: "6g", CORES: "4"}, HEAP_DEATH), own={HEAP: "6g", CORES: "4"}, limits=SHAPES) == {
        HEAP: "12288m"
    }
    # Two cores have their place in a container of 8 GiB, three in none.
    small = nights({HEAP: "7g", CORES: "4"}, HEAP_DEATH, 3, MemoryLimits(8 * GIB, shapes=SHAPES.shapes))
    assert small == [{}, {CORES: "2"}, {}]
    assert nights({HEAP: "2g", CORES: "3"}, HEAP_DEATH, 2, SHAPES) == [{}, {}]


def test_a_driver_of_a_service_is_beside_nobody() -> None:
    died = ended(0, {DRIVER: "2g"}, FailureKind.DRIVER_OUT_OF_MEMORY)
    assert given(died, own={DRIVER: "2g"}) == {}
    assert given(died, own={DRIVER: "2g"}, limits=MemoryLimits(is_driver_apart=True)) == {DRIVER: "4096m"}


def test_a_run_that_got_no_executor_shows_nothing_of_what_it_was_given() -> None:
    """It waited until somebody ended it, before any query."""
    own = {HEAP: "40g"}
    died = ended(0, own, HEAP_DEATH)
    raised = memory_raises([died], {**YARN, **own}, NO_LIMITS)
    waited = ended(1, {HEAP: "80g"}, raises=raised, ran=False)
    (again,) = memory_raises([died, waited], {**YARN, **own}, NO_LIMITS)
    assert again.why == raised[0].why, "it has not worked"
    waited_on = ended(2, {HEAP: "80g"}, FailureKind.KILLED, raised, ran=False)
    assert given(died, waited, waited_on, own=own) == {}
    # One in the author's size that found nothing to do has not shown that no more is needed.
    assert given(died, ended(1, own, ran=False), own=own) == {HEAP: "81920m"}


@pytest.mark.parametrize("master", ["k8s://https://api:6443", "spark://master:7077"])
def test_where_a_cluster_waits_for_room_containers_grow_no_larger_than_most_machines_hold(master: str) -> None:
    def then(heap: str, limits: MemoryLimits = NO_LIMITS, **more: str) -> dict[str, str]:
        own = {"spark.master": master, HEAP: heap, CORES: "4", OVERHEAD: "2g", **more}
        return given(ended(0, own, HEAP_DEATH), own=own, limits=limits)

    assert then("2g") == {HEAP: "4096m"}
    assert then("12g") == {HEAP: "24576m"}
    # Nobody knows whether any node has room for more: what is there is shared by fewer tasks.
    assert then("48g") == {CORES: "2"}
    assert then("48g", MemoryLimits(executor_bytes=110 * GIB)) == {HEAP: "98304m"}
    (rest,) = then("20g").values()
    assert rest == ("32768m" if master.startswith("spark") else "30720m")


def test_a_driver_in_a_pod_grows_no_larger_than_most_machines_hold() -> None:
    def then(heap: str, master: str) -> dict[str, str]:
        own = {"spark.master": master, DRIVER: heap, **CLUSTER_MODE}
        return given(ended(0, own, FailureKind.DRIVER_OUT_OF_MEMORY), own=own)

    assert then("4g", "k8s://host") == {DRIVER: "8192m"}
    assert then("48g", "k8s://host") == {}
    assert then("48g", "yarn") == {DRIVER: "98304m"}
    # Results may have half of what it has.
    own = {"spark.master": "k8s://host", DRIVER: "48g", RESULTS: "8g", **CLUSTER_MODE}
    assert given(ended(0, own, FailureKind.RESULT_TOO_LARGE), own=own) == {RESULTS: "16384m"}


def test_an_overhead_that_the_platform_alone_sets_is_its_own_after_a_raise() -> None:
    """Defaults of EMR Serverless, or of an image's spark-defaults."""
    platform, own = {HEAP: "14g", OVERHEAD: "3g"}, {HEAP: "14g"}
    died = ended(0, platform, FailureKind.EXECUTOR_OVER_LIMIT)
    runs = [died]
    for night in range(1, 4):
        raised = memory_raises(runs, {**YARN, **own}, MemoryLimits(64 * GIB))
        assert [(one.property, one.value, one.was) for one in raised] == [(OVERHEAD, "6144m", "3072m")], night
        runs = [*runs, ended(night, {**platform, OVERHEAD: "6144m"}, raises=raised)]
    # Nor is it forgotten with the runs before.
    assert given(*runs[-2:], own=own, limits=MemoryLimits(64 * GIB)) == {OVERHEAD: "6144m"}
    assert given(*runs, own={**own, OVERHEAD: "2g"}, limits=MemoryLimits(64 * GIB)) == {}


def test_cores_that_the_program_sets_itself_are_no_remedy_and_all_is_given_back() -> None:
    runs, found = list[Run](), list[dict[str, str]]()
    for number in range(5):
        raises = memory_raises(runs, {**YARN, HEAP: "2g"}, NO_LIMITS)
        found.append({one.property: one.value for one in raises})
        runs.append(ended(number, {HEAP: "2g", **found[-1], CORES: "4"}, HEAP_DEATH, raises))
    assert found == [{}, {HEAP: "4096m"}, {HEAP: "4096m", CORES: "2"}, {}, {}]


def test_partitions_that_the_program_sets_itself_are_tried_once() -> None:
    within = MemoryLimits(executor_bytes=2 * GIB + 512 * MIB)
    runs, found = list[Run](), list[dict[str, str]]()
    for number in range(5):
        raises = memory_raises(runs, {**YARN, **FOUR}, within)
        found.append({one.property: one.value for one in raises})
        # As spark.conf.set has it, which no log of properties tells.
        runs.append(shuffled(ended(number, {**FOUR, **found[-1]}, HEAP_DEATH, raises), 20, 200))
    assert found == [
        {},
        {PARTITIONS: "400"},
        {PARTITIONS: "400", CORES: "2"},
        {PARTITIONS: "400", CORES: "1"},
        {},
    ]
