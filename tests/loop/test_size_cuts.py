"""Less memory where a job never needs what it asks for, through the loop: what is submitted, stored and said, and taken back."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.nightly import START_MS, Nightly, Spark
from tuner.loop.log_lines import turn_lines
from tuner.loop.loop import complete
from tuner.model.decision import Mode
from tuner.model.objective import Objective
from tuner.model.size_change import Resources
from tuner.policy import cut_steps
from tuner.steering.directives import Steering
from tuner.steering.submit_conf import EVENT_LOG_DIR, EVENT_LOG_ENABLED
from tuner.units import MIB

HEAP, POLLING = "spark.executor.memory", "spark.executor.metrics.pollingInterval"
HEAP_SPACE = (
    "Job aborted due to stage failure: Lost task 0.0 in stage 1.0 (TID 3): java.lang.OutOfMemoryError: Java heap space"
)


def nightly(tmp_path: Path, **more: Any) -> Nightly:
    own = {HEAP: "8g", "spark.master": "spark://master:7077"}
    return Nightly(tmp_path, user_conf=own, **{"resources": Resources.TUNE} | more)


@pytest.fixture
def far_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    """A month's end is among any two nights."""
    monkeypatch.setattr(cut_steps, "A_MONTH", timedelta(0))


def night(job: Nightly, number: int, try_number: int = 1, *, error: str | None = None) -> dict[str, str]:
    """What a night's run had in place of the author's sizes, in its log and the XCom, too."""
    turn = job.prepare(f"etl/{number}/{try_number}")
    start = START_MS + number * 86_400_000 + try_number * 3_600_000
    Spark(firm_bytes=700 * MIB, start_ms=start, error=error).run(turn, turn.directives.sizes)
    report = complete(turn, job.url, failed=error is not None)
    lowered = report.as_json()["lowered"]
    assert {one["property"]: one["value"] for one in lowered} == turn.directives.sizes  # type: ignore[attr-defined]
    return turn.directives.sizes


def test_nights_of_less_than_a_month_go_down_to_half(tmp_path: Path) -> None:
    job = nightly(tmp_path)
    assert [night(job, n).get(HEAP) for n in range(6)] == [None] * 3 + ["4096m"] * 3


@pytest.mark.usefixtures("far_apart")
def test_three_nights_are_looked_at_then_each_has_half_down_to_what_is_needed(tmp_path: Path) -> None:
    job = nightly(tmp_path)
    assert job.prepare("etl/0/1").conf[POLLING] == "1000"
    assert [night(job, n) for n in range(3)] == [{}, {}, {}]
    lines = turn_lines(job.prepare("etl/3/1"))
    assert "spark.executor.memory=4096m instead of 8192m" in lines[0]
    assert any("none of 3 runs needed more than 734 MB at once" in line for line in lines)
    assert [night(job, n).get(HEAP) for n in range(3, 7)] == ["4096m", "2048m", "1024m", "1024m"]
    assert job.stored("etl/4/1").decision.cuts[0].was == "8192m"


@pytest.mark.usefixtures("far_apart")
def test_the_retry_after_a_death_has_its_authors_size_and_nights_after_it_what_worked(tmp_path: Path) -> None:
    job = nightly(tmp_path)
    for number in range(4):
        night(job, number)
    assert night(job, 4, error=HEAP_SPACE) == {HEAP: "2048m"}
    assert night(job, 4, 2) == {}
    assert [night(job, n) for n in range(5, 8)] == [{HEAP: "4096m"}] * 3


@pytest.mark.parametrize(
    "more",
    [
        {"resources": Resources.OBSERVE},
        {"resources": Resources.RAISE},
        {"mode": Mode.OBSERVE},
        {"mode": Mode.SUGGEST},
        {"steering": Steering.OFF},
    ],
)
def test_nothing_is_taken_where_a_person_wants_none(tmp_path: Path, more: dict[str, Any]) -> None:
    job = nightly(tmp_path)
    for number in range(4):
        night(job, number)
    for name, value in more.items():
        setattr(job, name, value)
    assert night(job, 4) == {}


def test_nothing_is_looked_at_every_second_where_nothing_may_be_taken(tmp_path: Path) -> None:
    assert POLLING not in nightly(tmp_path, resources=Resources.RAISE).prepare("etl/0/1").conf


@pytest.mark.usefixtures("far_apart")
def test_heaps_go_down_where_the_cluster_has_its_own_event_log_on_too(tmp_path: Path) -> None:
    (place := tmp_path / "logs").mkdir()
    job = nightly(tmp_path)
    job.user_conf = {**job.user_conf, EVENT_LOG_ENABLED: "true", EVENT_LOG_DIR: place.as_uri()}
    added = job.prepare("etl/0/1").conf
    assert added[POLLING] == "1000"
    assert not any(name.startswith("spark.eventLog.") for name in added)
    assert [night(job, n).get(HEAP) for n in range(5)] == [None] * 3 + ["4096m", "2048m"]
    job.user_conf = {**job.user_conf, POLLING: "500"}
    assert POLLING not in job.prepare("etl/5/1").conf


EXECUTORS = "spark.executor.instances"
# Where nothing is broadcast or hashed, nothing is tried.
YARN = {
    "spark.master": "yarn",
    "spark.sql.autoBroadcastJoinThreshold": "-1",
    "spark.sql.adaptive.maxShuffledHashJoinLocalMapThreshold": "0",
}


def idle(job: Nightly, number: int, seconds: float = 7.0) -> tuple[str, str]:
    """How many executors a night's run had of four, of which one task kept one busy, and its heap."""
    turn = job.prepare(f"etl/{number}/1")
    sizes = turn.directives.sizes
    executors = int(sizes.get(EXECUTORS, "4"))
    start = START_MS + number * 86_400_000
    Spark(seconds, firm_bytes=5000 * MIB, start_ms=start, executors=executors).run(turn, sizes)
    complete(turn, job.url, failed=False)
    return str(executors), sizes.get(HEAP, "8192m")


@pytest.mark.usefixtures("far_apart")
def test_executors_that_no_task_kept_busy_go_for_their_cost_one_step_at_a_time(tmp_path: Path) -> None:
    job = nightly(tmp_path, objective=Objective.COST, mode=Mode.AUTO)
    job.user_conf = {HEAP: "8g", EXECUTORS: "4", **YARN}
    assert [idle(job, n)[0] for n in range(6)] == ["4", "4", "4", "2", "1", "1"]
    said = "\n".join(turn_lines(job.prepare("etl/6/1")))
    assert "spark.executor.instances=1 instead of 4: with " in said
    assert " in place of 4 executors, tasks would have waited at most 2 % of the time in 3 runs" in said
    assert job.stored("etl/4/1").decision.cuts[-1].was == "4"
    job.objective = Objective.TIME
    assert idle(job, 7)[0] == "4"


def test_executors_that_are_missed_come_back(tmp_path: Path) -> None:
    job = nightly(tmp_path, objective=Objective.BALANCED)
    job.user_conf = {HEAP: "8g", EXECUTORS: "4", **YARN}
    assert [idle(job, n, 7.0 if n < 3 else 10.0)[0] for n in range(6)] == ["4", "4", "4", "2", "4", "4"]


def test_changes_that_are_proven_stay_so_in_a_smaller_heap(tmp_path: Path) -> None:
    job = nightly(tmp_path)
    said = []
    for number in range(7):
        turn = job.prepare(f"etl/{number}/1")
        is_steered = bool(turn.decision.in_force)
        start = START_MS + number * 86_400_000
        seconds = 4.0 if is_steered else 7.0
        Spark(seconds=seconds, broadcast=is_steered, firm_bytes=700 * MIB, start_ms=start).run(
            turn, turn.directives.sizes
        )
        complete(turn, job.url, failed=False)
        said.append(([d.standing.value for d in turn.decision.in_force], bool(turn.directives.sizes)))
    assert said[-1] == (["promoted"], True), said
    assert not any("new_trial" in str(line) for line in said)
