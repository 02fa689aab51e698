"""What real logs of jobs that died for want of memory tell, and what their next run gets (tests/golden/deaths.py)."""

from __future__ import annotations

import pytest
import zstandard

from tests.golden.deaths import DEATHS, LOGS
from tuner.eventlog.find import find_logs
from tuner.eventlog.read import read_application
from tuner.history.failure import failure_in
from tuner.history.outcome import outcome_of
from tuner.model.decision import Decision, Mode
from tuner.model.failure import FailureKind
from tuner.model.run import Run, RunState
from tuner.model.size_change import MemoryLimits
from tuner.plan.queries import queries
from tuner.policy.memory_raises import memory_raises
from tuner.spark.knobs import DRIVER_MAX_RESULT_SIZE, DRIVER_MEMORY, EXECUTOR_MEMORY, OFF_HEAP_SIZE, PYSPARK_MEMORY
from tuner.units import GIB

from .histories import MIDNIGHT

HEAP, DRIVER = EXECUTOR_MEMORY.property, DRIVER_MEMORY.property
RESULTS, OFF_HEAP = DRIVER_MAX_RESULT_SIZE.property, OFF_HEAP_SIZE.property
LIMITS = MemoryLimits(8 * GIB, 8 * GIB)
TOLD = {
    "heap": (FailureKind.EXECUTOR_OUT_OF_MEMORY, {HEAP: "1024m"}),
    "skew": (FailureKind.EXECUTOR_OUT_OF_MEMORY, {HEAP: "1024m"}),
    "driver": (FailureKind.DRIVER_OUT_OF_MEMORY, {DRIVER: "1024m"}),
    "results": (FailureKind.RESULT_TOO_LARGE, {RESULTS: "32m"}),
    "broadcast": (FailureKind.BROADCAST_OUT_OF_MEMORY, {DRIVER: "1024m"}),
    "hash_map": (FailureKind.TASK_MEMORY, {OFF_HEAP: "128m"}),
    "python": (FailureKind.PYTHON_OUT_OF_MEMORY, {PYSPARK_MEMORY.property: "1024m"}),
    # A local cluster gives executors no overhead.
    "killed": (FailureKind.EXECUTOR_OVER_LIMIT, {}),
}


def died(kind: str) -> Run:
    (log,) = find_logs(LOGS / f"{kind}.zstd")
    application = read_application(log)
    outcome = outcome_of(application, queries(application))
    assert failure_in(application.failures, outcome.queries) == outcome.failure
    decision = Decision(Mode.AUTO, ())
    return Run(kind, kind, 1, MIDNIGHT, RunState.FAILED, decision, "", ended_at=MIDNIGHT, outcome=outcome)


@pytest.mark.parametrize("kind", DEATHS)
def test_a_death_is_told_and_healed_by_its_kind(kind: str) -> None:
    run = died(kind)
    failure, raised = TOLD[kind]
    assert run.failure is not None
    assert run.failure.kind is failure
    assert {one.property: one.value for one in memory_raises([run], {}, LIMITS)} == raised


@pytest.mark.parametrize("kind", DEATHS)
def test_nothing_in_a_log_names_the_machine_that_wrote_it(kind: str) -> None:
    text = zstandard.ZstdDecompressor().decompress((LOGS / f"{kind}.zstd").read_bytes()).decode()
    assert len(text) > 1000
    for name in ("/work", "/root", "/home", "/tmp/", "site-packages"):
        assert name not in text, name
