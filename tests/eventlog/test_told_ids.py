"""What a log tells twice, as one copied together does, counts once."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from tuner.eventlog.find import find_logs
from tuner.eventlog.read import read_application
from tuner.eventlog.told_ids import ENDED, RESUBMITTED, STARTED, ToldIds
from tuner.model.application import Application, Completeness, ProblemCode

from .samples import (
    ROWS,
    accumulators,
    application_end,
    execution_end,
    execution_start,
    fold,
    head,
    job_end,
    job_start,
    stage_completed,
    stage_submitted,
    task_end,
    task_start,
    with_field,
)
from .test_pieces import LATER, in_pieces, rolled

ENDS = [task_end(index, partition=index, task_id=40 + index) for index in (0, 1)]
TASKS = [task_start(task_id=40), task_start(task_id=41), *ENDS]
OPENING = [*head(), execution_start(), job_start(), stage_submitted()]
CLOSING = [stage_completed(), job_end(), execution_end()]
ONCE = [*OPENING, *TASKS, *CLOSING, application_end()]
LOST = with_field(task_end(0, partition=0, task_id=40, reason="Resubmitted"), ("Task Metrics",), None)


def counted(application: Application) -> tuple[object, ...]:
    """What is added up of tasks."""
    return application.stages, application.jobs, application.executions, application.resources


@pytest.mark.parametrize(
    "lines",
    [
        [*OPENING, *TASKS, *ENDS, *CLOSING, application_end()],
        [*OPENING, *TASKS, *TASKS, *CLOSING, application_end()],
        [*OPENING, *(line for line in TASKS for _ in range(2)), *CLOSING, application_end()],
        [*OPENING, *TASKS, *CLOSING, *TASKS, application_end()],
        [*OPENING, *TASKS, *CLOSING, *LATER, *TASKS, application_end()],
    ],
    ids=["ends", "tasks", "each at once", "after its job", "after its query was handed on"],
)
def test_a_task_that_a_log_tells_twice_counts_once(lines: list[bytes]) -> None:
    twice, once = fold(lines), fold(ONCE)
    assert counted(twice) == counted(once)
    assert once.stages[0].completed_tasks == 2 and accumulators(once) == {ROWS: 100}


def test_a_task_whose_output_was_lost_failed_later_and_ran_once() -> None:
    """Spark ends it again, as resubmitted, and another attempt runs in its place."""
    rerun = [task_start(task_id=42), task_end(0, partition=0, task_id=42)]
    for lost in ([LOST], [LOST, LOST]):
        (stage,) = fold([*OPENING, *TASKS, *lost, *rerun, *CLOSING, application_end()]).stages
        assert (stage.completed_tasks, stage.failed_tasks, stage.executor_run_time_ms) == (3, 1, 30)


def test_such_a_task_hides_no_other_that_runs() -> None:
    """What ended waits for its tasks: the second of them ends long after its job."""
    late = task_end(1, partition=1, task_id=41, reason="TaskKilled")
    lines = [*OPENING, *TASKS[:3], LOST, *CLOSING, *LATER, late, application_end()]
    (stage,) = fold(lines).stages
    assert (stage.completed_tasks, stage.failed_tasks, stage.killed_tasks) == (1, 1, 1)


def test_another_application_in_the_same_log_counts_anew() -> None:
    other = [*head("other"), job_start(None, [7], job_id=7), stage_submitted(7), task_end(0, stage_id=7, task_id=40)]
    assert [stage.completed_tasks for stage in fold([*ONCE[:-1], *other]).stages] == [2, 1]


@pytest.mark.parametrize("copies", [2, 3])
def test_a_log_that_was_copied_together_is_told_once_and_its_copy_is_said(copies: int) -> None:
    twice, once = fold([*ONCE, *LATER] * copies), fold(ONCE)
    assert counted(twice)[:3] == counted(once)[:3]
    assert twice.status is Completeness.PARTIAL
    assert {problem.code for problem in twice.problems} == {ProblemCode.MIXED_EVENTS}


def test_so_is_one_of_jobs_without_sql() -> None:
    job = [*head(), job_start(None), stage_submitted(), *TASKS, stage_completed(), job_end(), *LATER]
    twice, once = fold(job * 2), fold(job)
    assert counted(twice)[:3] == counted(once)[:3]
    assert {problem.code for problem in twice.problems} == {ProblemCode.MIXED_EVENTS}


def test_where_two_files_tell_of_a_task_it_is_said(tmp_path: Path) -> None:
    lines = [*OPENING, *TASKS, *ENDS, *CLOSING, application_end()]
    for cut in range(1, len(lines)):
        (source,) = find_logs(rolled(tmp_path, lines, [cut]))
        whole, pieces = read_application(source), in_pieces(tmp_path)
        assert whole.status is Completeness.COMPLETE and counted(whole) == counted(fold(ONCE)), cut
        if counted(pieces) != counted(whole):
            assert [problem.code for problem in pieces.problems] == [ProblemCode.MIXED_EVENTS], cut
        else:
            assert not pieces.problems, cut


def test_whatever_their_order_each_is_told_once() -> None:
    draw = Random(7)
    told = [(id_, what) for id_ in (*range(10_000), 1 << 40) for what in (STARTED, ENDED)]
    told += [(id_, RESUBMITTED) for id_ in range(0, 10_000, 1000)]
    late = sorted(told, key=lambda one: one[0] + draw.randrange(3000))
    tasks = ToldIds()
    assert all(tasks.is_first(*one) for one in late)
    assert not any(tasks.is_first(*one) for one in late)
    first, second = ToldIds(), ToldIds()
    assert all((first if draw.random() < 0.5 else second).is_first(*one) for one in late)
    assert not first.absorb(second)
    assert not any(first.is_first(*one) for one in late)
    assert first.absorb(second)


def test_those_without_an_id_are_each_another() -> None:
    tasks = ToldIds()
    assert all(tasks.is_first(-1, ENDED) for _ in range(3)) and not tasks.pages


def test_millions_of_tasks_take_no_memory() -> None:
    tasks = ToldIds()
    for task_id in range(100_000):
        assert tasks.is_first(task_id, STARTED)
        assert task_id < 5000 or tasks.is_first(task_id - 5000, ENDED)
    assert len({id(page) for page in tasks.pages.values()}) < 8


def test_a_wild_log_opens_so_many_pages_at_most() -> None:
    tasks = ToldIds()
    for number in range(20_000):
        assert tasks.is_first(number << 20, ENDED)
    assert len(tasks.pages) <= 1 << 14
