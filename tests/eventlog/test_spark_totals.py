"""Stages of which a log lacks ends of tasks, as it does where Spark's listener fell behind."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tuner.eventlog.find import find_logs
from tuner.eventlog.read import read_application
from tuner.model.application import Application, ProblemCode, Stage
from tuner.plan.lost_counters import lacks_ends, lost_counters

from .samples import (
    ROWS,
    accumulators,
    application_end,
    application_start,
    driver_updates,
    event,
    execution_end,
    execution_start,
    fold,
    job_end,
    job_start,
    log_start,
    stage_submitted,
    task_end,
    task_start,
    write,
)
from .test_pieces import in_pieces, rolled

# What four tasks as those of the samples add up to.
SUMS = {"executorRunTime": 40, "executorCpuTime": 40_000_000, "input.bytesRead": 4000, "input.recordsRead": 200}
SUMS |= {"shuffle.read.remoteBytesRead": 12, "shuffle.read.localBytesRead": 16, "shuffle.read.recordsRead": 20}
SUMS |= {"shuffle.write.bytesWritten": 24, "shuffle.write.recordsWritten": 28, "memoryBytesSpilled": 36}
SUMS |= {"diskBytesSpilled": 44, "output.bytesWritten": 32, "output.recordsWritten": 48}
KEPT = {"Use Disk": True, "Use Memory": False}


def completed(
    stage_id: int = 0, rows: Any = "200", sums: dict[str, Any] = SUMS, attempt: int = 0, **fields: Any
) -> bytes:
    """The end of a stage of four tasks, with what Spark added up of them."""
    found = [
        {"ID": 1000 + n, "Name": f"internal.metrics.{name}", "Value": v} for n, (name, v) in enumerate(sums.items())
    ]
    found.append({"ID": ROWS, "Name": "number of output rows", "Value": rows, "Metadata": "sql"})
    info = {"Stage ID": stage_id, "Stage Attempt ID": attempt, "Number of Tasks": 4}
    info |= {"Submission Time": 3000, "Completion Time": 7000}
    return event("SparkListenerStageCompleted", Stage_Info=info | {"Accumulables": found} | fields)


def lines(*ran: bytes, version: str = "3.5.9") -> list[bytes]:
    start = [log_start(version), application_start(), execution_start(), job_start(stage_ids=[0, 1])]
    return [*start, stage_submitted(tasks=4), *ran, job_end(), execution_end(), application_end()]


TOLD = [task_end(index, partition=index) for index in (0, 2)]
ENDED = [task_end(index, partition=index, task_id=index) for index in (0, 2)]


def only_stage(application: Application) -> Stage:
    (stage,) = application.stages
    return stage


@pytest.mark.parametrize("rows", ["200", 200])
def test_spark_has_added_up_what_the_log_lacks(rows: Any) -> None:
    application = fold(lines(*TOLD, completed(rows=rows)))
    whole = fold(lines(*(task_end(index, partition=index) for index in range(4)), completed(rows=rows)))
    found, all_told = only_stage(application), only_stage(whole)
    assert accumulators(application) == accumulators(whole) == {ROWS: 200}
    assert (found.completed_tasks, found.untold_tasks, all_told.untold_tasks) == (4, 2, 0)
    assert (found.executor_run_time_ms, found.shuffle_read_bytes, found.output_records) == (40, 28, 48)
    assert all(getattr(found, name) == getattr(all_told, name) for name in Stage.__slots__ if name != "untold_tasks")
    assert application.jobs == whole.jobs
    assert not lost_counters([found]) and not lacks_ends([found])


def test_tasks_that_all_began_once_are_added_up() -> None:
    began = [task_start(task_id=index) for index in range(4)]
    assert only_stage(fold(lines(*began, *ENDED, completed()))).untold_tasks == 2


@pytest.mark.parametrize(
    ("ran", "version"),
    [
        ([*TOLD, completed()], "2.4.8"),
        ([*TOLD, completed()], ""),
        ([*TOLD, completed(sums={})], "3.5.9"),
        ([*TOLD, completed(sums=SUMS | {"executorRunTime": 19})], "3.5.9"),
        ([*TOLD, completed(sums=SUMS | {"executorRunTime": "much"})], "3.5.9"),
        ([*TOLD, task_end(1, partition=1, reason="Resubmitted"), completed()], "3.5.9"),
        ([*TOLD, task_end(1, partition=1, reason="TaskKilled"), completed()], "3.5.9"),
        ([task_end(0, partition=0), task_end(4, partition=0), completed()], "3.5.9"),
        ([*(task_start(task_id=n) for n in range(5)), *ENDED, completed()], "3.5.9"),
        ([*TOLD, completed(**{"Failure Reason": "cancelled"})], "3.5.9"),
        ([*TOLD, completed(), stage_submitted(attempt=1), completed(attempt=1)], "3.5.9"),
        (TOLD, "3.5.9"),
    ],
    ids=[
        "sums that begin at -1",
        "of no known version",
        "no sums",
        "less than is told",
        "damage",
        "a task that ran again",
        "a copy",
        "two ends of a task",
        "more beginnings than tasks",
        "not all ran",
        "a stage that ran again",
        "no end",
    ],
)
def test_otherwise_what_the_log_lacks_is_lost(ran: list[bytes], version: str) -> None:
    stages = [stage for stage in fold(lines(*ran, version=version)).stages if stage.stage_id == 0]
    assert all(stage.untold_tasks == 0 for stage in stages)
    assert sum(stage.completed_tasks for stage in stages) == 2


@pytest.mark.parametrize(
    "ran",
    [
        [completed(rows="99")],
        [completed(rows=None)],
        [completed(), stage_submitted(1, tasks=4), *(task_end(n, partition=n, stage_id=1) for n in range(4))],
        [completed(), driver_updates(0, (ROWS, 7))],
        [completed(**{"RDD Info": [{"Storage Level": KEPT}]})],
    ],
    ids=["less than is told", "not told", "another stage counts", "the driver counts", "of another execution, too"],
)
def test_a_metric_that_has_not_this_stages_tasks_alone_in_it_is_lost(ran: list[bytes]) -> None:
    application = fold(lines(*TOLD, *ran))
    stage = application.stages[0]
    assert (stage.untold_tasks, stage.executor_run_time_ms, stage.partial_ids) == (2, 40, {ROWS})
    assert lost_counters(application.stages) == {ROWS} and not lacks_ends(application.stages)


def test_so_it_is_wherever_the_log_is_cut(tmp_path: Path) -> None:
    whole = lines(*TOLD, completed())
    for cut in range(1, len(whole)):
        (source,) = find_logs(rolled(tmp_path, whole, [cut]))
        application = read_application(source)
        assert accumulators(application) == {ROWS: 200}
        assert in_pieces(tmp_path) == application


@pytest.mark.parametrize(
    ("ran", "said"),
    [
        ([*TOLD, completed()], "ends of tasks: 2, in stages: 1;"),
        ([*TOLD, task_end(1, reason="TaskKilled"), completed()], "ends of tasks: 2, in stages: 1;"),
        ([*TOLD, completed(), stage_submitted(1, tasks=4), completed(1)], "ends of tasks: 6, in stages: 2;"),
        ([*TOLD, completed(**{"Failure Reason": "cancelled"})], ""),
        (TOLD, ""),
    ],
    ids=["one stage", "one of which nothing else is known", "two stages", "not all ran", "no end"],
)
def test_a_log_that_lacks_ends_of_tasks_alone_is_whole_and_says_so(tmp_path: Path, ran: list[bytes], said: str) -> None:
    (source,) = find_logs(write(tmp_path / "local-1", lines(*ran)))
    application = read_application(source)
    assert application.status == "complete"
    assert [(problem.code, said in problem.message) for problem in application.problems] == [
        (ProblemCode.DROPPED_EVENTS, True)
    ] * bool(said)


def test_ends_that_the_log_lost_are_not_said_to_be_dropped_by_spark(tmp_path: Path) -> None:
    whole = lines(*(task_end(index, partition=index) for index in range(4)), completed())
    first = whole.index(task_end(0, partition=0))
    rolled(tmp_path / "rolled", whole, [first + 1, first + 3])
    next((tmp_path / "rolled").rglob("events_2_*")).unlink()
    damaged = [*whole[: first + 1], whole[first + 1][:40] + b"\n", *whole[first + 2 :]]
    write(tmp_path / "local-1", damaged)
    for source in find_logs(tmp_path):
        application = read_application(source)
        assert application.status == "partial"
        assert ProblemCode.DROPPED_EVENTS not in {problem.code for problem in application.problems}
    assert len(list(find_logs(tmp_path))) == 2
