"""More memory after a death for want of it, through the loop: what is submitted, stored, said and taken up the night after."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.nightly import Nightly, Spark
from tuner.history.failure import Ending
from tuner.loop.log_lines import turn_lines
from tuner.loop.loop import JobToRun, complete
from tuner.model.decision import Mode
from tuner.model.run import Origin, RunState
from tuner.model.size_change import MemoryLimits, Resources
from tuner.steering.directives import Steering
from tuner.units import GIB

DRIVER = "spark.driver.memory"
HEAP_SPACE = (
    "Job aborted due to stage failure: Lost task 0.0 in stage 1.0 (TID 3): java.lang.OutOfMemoryError: Java heap space"
)
DIES = Spark(error=HEAP_SPACE)


def nightly(tmp_path: Path, of: type[Nightly] = Nightly, **more: Any) -> Nightly:
    own = {DRIVER: "4g", "spark.master": "local[2]"}
    raising = {"resources": Resources.RAISE, "memory_limits": MemoryLimits(driver_bytes=16 * GIB)}
    return of(tmp_path, user_conf=own, **raising | more)


def raised(job: Nightly, key: str, spark: Spark, *, failed: bool = False) -> dict[str, str]:
    """What a night's run had in place of the author's sizes, in its log, too."""
    turn = job.prepare(key)
    spark.run(turn, turn.directives.sizes)
    report = complete(turn, job.url, failed=failed)
    assert [one["value"] for one in report.as_json()["raised"]] == list(turn.directives.sizes.values())  # type: ignore[union-attr, index]
    return turn.directives.sizes


def test_the_retry_has_more_and_so_have_the_nights_after_it(tmp_path: Path) -> None:
    job = nightly(tmp_path)
    assert raised(job, "etl/1/1", DIES, failed=True) == {}
    assert job.stored("etl/1/1").state is RunState.FAILED
    lines = turn_lines(job.prepare("etl/1/2"))
    assert "; spark.driver.memory=8192m instead of 4096m" in lines[0]
    said = "spark.driver.memory=8192m instead of 4096m"
    assert lines[1] == f"spark-tuner: {said}: run etl/1/1 died with 4096m: a task ran out of memory"
    assert raised(job, "etl/1/2", Spark()) == {DRIVER: "8192m"}
    assert job.stored("etl/1/2").decision.raises[0].was == "4096m"
    # Taken up from what was decided when the last run ended.
    assert raised(job, "etl/2/1", Spark()) == {DRIVER: "8192m"}
    assert any("it worked in run etl/1/2" in line for line in turn_lines(job.prepare("etl/3/1")))


def test_the_retry_of_one_whose_log_landed_late_has_more(tmp_path: Path) -> None:
    job = nightly(tmp_path, of=Late)
    turn = job.prepare("etl/1/1")
    complete(turn, job.url, failed=True)
    DIES.run(turn)
    assert raised(job, "etl/1/2", Spark()) == {DRIVER: "8192m"}
    assert raised(job, "etl/2/1", Spark()) == {DRIVER: "8192m"}


def test_the_retry_of_one_whose_drivers_container_was_killed_has_a_larger_one(tmp_path: Path) -> None:
    job = nightly(tmp_path, memory_limits=MemoryLimits())
    job.user_conf = {DRIVER: "4g", "spark.master": "yarn", "spark.submit.deployMode": "cluster"}
    turn = job.prepare("etl/1/1")
    Spark(ended=False).run(turn)
    said = "Diagnostics: AM Container is running beyond physical memory limits. 4.6 GB of 4.5 GB physical memory used"
    complete(turn, job.url, failed=True, ending=Ending(1, said))
    lines = turn_lines(job.prepare("etl/1/2"))
    assert "; spark.driver.memoryOverhead=820m instead of 410m" in lines[0]
    assert raised(job, "etl/1/2", Spark()) == {"spark.driver.memoryOverhead": "820m"}
    assert raised(job, "etl/2/1", Spark()) == {"spark.driver.memoryOverhead": "820m"}


def test_a_job_without_retries_has_more_in_its_next_run(tmp_path: Path) -> None:
    job = nightly(tmp_path)
    raised(job, "etl/1/1", DIES, failed=True)
    assert raised(job, "etl/2/1", Spark()) == {DRIVER: "8192m"}


@pytest.mark.parametrize(
    "more",
    [
        {"resources": Resources.OBSERVE},
        {"mode": Mode.OBSERVE},
        {"mode": Mode.SUGGEST},
        {"steering": Steering.OFF},
        {"memory_limits": MemoryLimits(driver_bytes=4 * GIB)},
    ],
)
def test_nothing_is_raised_where_a_person_wants_none(tmp_path: Path, more: dict[str, Any]) -> None:
    job = nightly(tmp_path, **more)
    raised(job, "etl/1/1", DIES, failed=True)
    assert raised(job, "etl/1/2", Spark()) == {}


def test_another_failure_raises_nothing(tmp_path: Path) -> None:
    job = nightly(tmp_path)
    raised(job, "etl/1/1", Spark(error="[DIVIDE_BY_ZERO] Division by zero. SQLSTATE: 22012"), failed=True)
    assert raised(job, "etl/1/2", Spark()) == {}


def test_a_person_who_switches_it_off_is_heeded_at_once(tmp_path: Path) -> None:
    job = nightly(tmp_path)
    raised(job, "etl/1/1", DIES, failed=True)
    assert raised(job, "etl/1/2", Spark()) == {DRIVER: "8192m"}
    job.resources = Resources.OBSERVE
    assert raised(job, "etl/2/1", Spark()) == {}


def test_of_mapped_instances_only_the_retry_of_the_one_that_died_has_more(tmp_path: Path) -> None:
    job = Mapped(
        tmp_path, user_conf={DRIVER: "4g"}, resources=Resources.RAISE, memory_limits=MemoryLimits(16 * GIB, 16 * GIB)
    )
    assert raised(job, "etl/1/load/3/1", DIES, failed=True) == {}
    assert raised(job, "etl/1/load/4/1", Spark()) == {}
    assert raised(job, "etl/1/load/3/2", Spark()) == {DRIVER: "8192m"}
    assert raised(job, "etl/2/load/3/1", Spark()) == {}


class Late(Nightly):
    """A job of a service that delivers logs after their runs."""

    def job(self, key: str) -> JobToRun:
        return replace(super().job(key), log_lands_late=True)


class Mapped(Nightly):
    """A task of many instances: the one before the last part of a key."""

    def job(self, key: str) -> JobToRun:
        dag, run, task, index, _ = key.split("/")
        return replace(super().job(key), origin=Origin(dag, run, task, int(index)))
