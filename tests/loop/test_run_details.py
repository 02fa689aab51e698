"""What a finished run has for people to look at."""

from __future__ import annotations

from pathlib import Path

from tests.eventlog.samples import (
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
)
from tuner.eventlog.find import find_logs
from tuner.eventlog.read import read_application
from tuner.loop.run_details import run_details

GOLDEN = Path(__file__).parents[1] / "golden" / "logs" / "4.1.4"


def test_pictures_have_the_seconds_of_each_step() -> None:
    pictures = run_details(read_application(next(iter(find_logs(GOLDEN)))), None).pictures
    assert pictures
    for picture in pictures:
        timed = [step.seconds for step in picture.steps if step.seconds is not None]
        assert sum(timed) > 0 and min(timed) >= 0


def test_of_a_micro_batch_the_picture_is_that_of_its_sinks_execution_which_has_the_rows() -> None:
    batch = [execution_start(0, time=2000), execution_start(1, time=2100)]
    ran = [job_start(1), stage_submitted(), task_end(0, partition=0), task_end(1, partition=1), stage_completed()]
    ended = [job_end(), execution_end(1, time=7900), execution_end(0, time=8000), application_end()]
    (picture,) = run_details(fold([*head(), *batch, *ran, *ended]), None).pictures
    assert [step.rows for step in picture.steps] == [100]
