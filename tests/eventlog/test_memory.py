"""Memory does not grow with a log's bytes."""

from __future__ import annotations

import itertools
import resource
import tracemalloc
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import zstandard

from tuner.eventlog import application_fold as folding
from tuner.eventlog.events import decode_event
from tuner.model.application import Completeness, Work
from tuner.units import MIB

from .samples import (
    ROWS,
    accumulators,
    application_end,
    event,
    execution_end,
    execution_start,
    fold,
    head,
    job_start,
    plan,
    read,
    replan,
    stage_submitted,
    task_end,
    write,
)
from .test_allocation import added, removed
from .test_resources import held

LOG_BYTES = 60 << 20
HELD_BYTES = 6 << 20


def test_a_long_log_is_read_as_a_stream(tmp_path: Path) -> None:
    # AQE re-plans, two thirds of a real log's bytes, and tasks, two thirds of its lines.
    bulky = replan(0, plan("Scan orc ", text="x" * 60_000))
    block = bulky + b"".join(task_end(i, partition=i) for i in range(20))
    path, blocks, size = tmp_path / "local-1.zstd", 0, 0
    with path.open("wb") as file:
        opening = b"".join([*head(), execution_start(), job_start(), stage_submitted()])
        file.write(zstandard.compress(opening, 1))
        while size < LOG_BYTES:
            file.write(zstandard.compress(block, 1))
            blocks, size = blocks + 1, size + len(block)
        file.write(zstandard.compress(execution_end() + application_end(), 1))

    peak_before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    tracemalloc.start()
    application = read(path)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - peak_before) << 10

    assert application.status is Completeness.COMPLETE, application.problems
    assert accumulators(application) == {ROWS: 20 * 50}
    assert application.stages[0].executor_run_time_ms == blocks * 20 * 10
    assert peak < HELD_BYTES
    assert grown < 4 * HELD_BYTES


def status(path: Path, lines: Sequence[bytes], entries: int, monkeypatch: pytest.MonkeyPatch) -> Completeness:
    """Of a log that is read where no more entries than these may be open."""
    monkeypatch.setattr(folding, "_MAX_OPEN_BYTES", entries * 200)
    return read(write(path, [*head(), *lines, application_end()])).status


def test_caches_that_fill_on_many_executors_take_little(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of 3,000 executors, a hundred: each keeps 8 MiB more every second."""
    filling = [held(str(name), at, 9000, 8 * at) for at in range(1, 301) for name in range(100)]
    found = status(tmp_path / "local-1", filling, 100 * 80, monkeypatch)
    assert found is Completeness.COMPLETE


def test_executors_that_are_gone_take_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As on spot machines, of which an application of hours sees tens of thousands."""
    lives = [line for n in range(1, 5001) for line in (added(str(n), n), held(str(n), n, 500), removed(str(n), n))]
    found = status(tmp_path / "local-1", lives, 12_000, monkeypatch)
    assert found is Completeness.COMPLETE


def test_of_executors_that_are_gone_the_most_that_was_firm_is_known() -> None:
    lives = [(number, 4000 if number == 7 else 500) for number in range(3000)]
    lines = [line for n, heap in lives for line in (added(str(n), 2000), held(str(n), n, heap), removed(str(n), 3000))]
    found = fold([*head(), *lines, application_end()]).resources
    assert found.firm_bytes == 4000 * MIB


def test_large_queries_at_once_take_little(monkeypatch: pytest.MonkeyPatch) -> None:
    """As on a busy server, a hundredth as large: plans whose text is as long again, planned anew three times."""
    monkeypatch.setattr(folding, "_MAX_RAW_BYTES", 1 << 20)
    monkeypatch.setattr(folding, "_MAX_OPEN_BYTES", 3 << 19)
    found: list[tuple[str, str]] = []
    taken = folding.ApplicationFold("log", lambda work: found.append(final_plan(work)))

    def add(line: bytes) -> None:
        decoded = decode_event(line)
        assert decoded is not None
        taken.add_long(decoded, len(line))

    tracemalloc.start()
    for number in range(64):
        add(execution_start(number, sparkPlanInfo=plan(text="y" * 20_000), physicalPlanDescription="z" * 200_000))
    for text, number in itertools.product("abc", range(64)):
        add(replan(number, plan(f"Scan {number}", text=text * 100_000)))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    for number in range(64):
        add(execution_end(number))
    taken.close()
    assert sorted(found) == sorted((f"Scan {number}", "c") for number in range(64))
    assert peak < HELD_BYTES


@pytest.mark.parametrize(
    "added_up",
    [{"Name": "texts", "Value": "x" * MIB}, {"Name": "x" * MIB, "Value": 1}, {"Metadata": "sql", "Value": "9" * MIB}],
    ids=["a value", "a name", "digits"],
)
def test_what_a_job_adds_up_itself_is_not_kept(added_up: dict[str, Any]) -> None:
    """As a CollectionAccumulator has it, of stages of an execution that goes on."""
    taken = folding.ApplicationFold("log", lambda work: None)

    def add(line: bytes) -> None:
        decoded = decode_event(line)
        assert decoded is not None
        taken.add_long(decoded, len(line))

    add(execution_start())
    tracemalloc.start()
    for number in range(30):
        info = {"Stage ID": number, "Completion Time": 7000, "Accumulables": [{"ID": number, **added_up}]}
        add(event("SparkListenerStageSubmitted", Stage_Info=info, Properties={"spark.sql.execution.id": "0"}))
        add(event("SparkListenerStageCompleted", Stage_Info=info))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < HELD_BYTES


def final_plan(work: Work) -> tuple[str, str]:
    assert work.execution and work.execution.final_plan
    return work.execution.final_plan.name, work.execution.final_plan.text[:1]


def test_of_storage_that_rises_in_many_steps_hardly_less_is_known_to_be_held_all_the_time() -> None:
    def firm(*storage: int) -> int:
        """Of a long task that began in the middle of this, in MiB."""
        short = [held("1", at, kept + 100, kept) for at, kept in enumerate(storage, 1)]
        long = held("1", len(storage) + 1, 9000, 8000, took=len(storage) / 2)
        return fold([*head(), *short, long, short[-1], application_end()]).resources.firm_bytes // MIB

    whole = 9000 - 4 * 501
    assert whole <= firm(*range(4, 4001, 4)) <= whole + 4000 / 32
