"""Cores as tasks take them, which may be several each."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tuner.advice.facts import cores_for_tasks
from tuner.advice.steering_reach import Reach
from tuner.loop.next_decision import facts_of
from tuner.model.cluster import Cluster
from tuner.model.run import Outcome
from tuner.spark.knobs import TASK_CPUS

GIVEN = Cluster(cores=40, executors=10, cores_per_executor=4, executor_memory_bytes=8 << 30)


@pytest.mark.parametrize(
    ("cpus", "cores", "of_executor"),
    [("1", 40, 4), ("4", 10, 1), ("3", 10, 1), ("2", 20, 2), ("8", 10, 1), ("0", 40, 4), ("many", 40, 4)],
)
def test_a_task_takes_as_many_cores_as_it_is_given(cpus: str, cores: int, of_executor: int) -> None:
    expected = replace(GIVEN, cores=cores, cores_per_executor=of_executor)
    assert cores_for_tasks(GIVEN, {TASK_CPUS.property: cpus}) == expected


def test_what_is_not_known_stays_so() -> None:
    assert cores_for_tasks(Cluster(), {TASK_CPUS.property: "4"}) == Cluster()


def test_advice_counts_tasks_and_the_run_keeps_what_its_job_asks_for() -> None:
    run = Outcome("app", "4.0.1", 1000, GIVEN, (), {TASK_CPUS.property: "4"})
    facts = facts_of(run, (run,), None, Reach.CONF)
    assert facts.cluster.cores == facts.earlier[0].cluster.cores == 10
    one_each = facts_of(replace(run, conf={}), (), None, Reach.CONF)
    assert facts.task_cap_bytes == pytest.approx(4 * one_each.task_cap_bytes, rel=0.01)
    assert run.cluster.cores_per_executor == 4
