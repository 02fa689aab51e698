"""Another Spark or another cluster: what was measured before does not count, and what was proven is proven anew."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tuner.model.cluster import Cluster
from tuner.model.decision import DecidedChange, Decision, Mode, Standing
from tuner.model.run import Run
from tuner.policy.baseline import baselines, query_baselines
from tuner.policy.context import ByContext, Context, context_of, context_to_come
from tuner.policy.decide import decide
from tuner.policy.ledger import read_ledger

from .histories import conf, decided, outcome, recommend, reorder, run, situation, standings, told

ACTION = reorder()
GIB = 1 << 30
SMALL = Cluster(cores=8, executors=4, cores_per_executor=2, executor_memory_bytes=4 * GIB, driver_memory_bytes=2 * GIB)


def by(version: str, cluster: Cluster, night: int, seconds: dict[str, float], *actions: DecidedChange) -> Run:
    found = run(night, seconds, *actions)
    assert found.outcome
    return replace(found, outcome=replace(found.outcome, spark_version=version, cluster=cluster))


def by_spark(version: str, night: int, q1: float, *actions: DecidedChange) -> Run:
    return by(version, SMALL, night, {"q1": q1, "q2": 10}, *actions)


PROVEN = (by_spark("4.2.1", 0, 10), by_spark("4.2.1", 1, 5, decided(ACTION)))
PROMOTED = decided(ACTION, Standing.PROMOTED)


def next_one(*runs: Run, to_come: Context | None = None) -> Decision:
    return decide(
        situation(Mode.AUTO, 1, runs, [recommend(ACTION)], drivable=frozenset({ACTION.kind}), to_come=to_come)
    )


@pytest.mark.parametrize(
    ("version", "cluster", "difference"),
    [
        ("4.2.9", SMALL, ""),
        ("", SMALL, ""),
        ("4.3.0", SMALL, "Spark 4.3 instead of 4.2"),
        ("4.2.1", Cluster(), ""),
        ("4.2.1", replace(SMALL, cores=15), ""),
        ("4.2.1", replace(SMALL, cores=64), ""),
        ("4.2.1", replace(SMALL, executor_memory_bytes=2 * GIB), "executors of 2.1 GB instead of 4.3 GB"),
        ("4.2.1", replace(SMALL, driver_memory_bytes=8 * GIB), "a driver of 8.6 GB instead of 2.1 GB"),
        ("4.2.1", replace(SMALL, cores_per_executor=4), "4 cores for each executor instead of 2"),
    ],
)
def test_a_context_is_another_where_spark_or_the_cluster_is(version: str, cluster: Cluster, difference: str) -> None:
    base, other = (
        context_of(replace(outcome({}), spark_version=v, cluster=c)) for v, c in (("4.2.1", SMALL), (version, cluster))
    )
    assert other.difference(base) == difference
    kept = ByContext[list[str]](list)
    for number, context in enumerate((base, other, base)):
        kept.of(by(version if context is other else "4.2.1", context.cluster, number, {})).append(str(number))
    assert kept.of(by("4.2.1", SMALL, 3, {})) == (["0", "2"] if difference else ["0", "1", "2"])


def test_a_submission_tells_the_context_before_the_run() -> None:
    latest = replace(outcome({}), spark_version="4.2.1", cluster=SMALL)
    assert context_to_come(latest, "", {}) == context_of(latest)
    assert context_to_come(latest, "4.3.0", {}).version == (4, 3)
    asked = {"spark.executor.memory": "1g", "spark.driver.memory": "512", "spark.executor.cores": "4"}
    cluster = context_to_come(latest, "", asked).cluster
    assert (cluster.executor_memory_bytes, cluster.driver_memory_bytes, cluster.cores_per_executor) == (
        GIB,
        GIB // 2,
        4,
    )
    local = replace(latest, cluster=replace(SMALL, local=True))
    assert context_to_come(local, "", {"spark.driver.memory": "6g"}).cluster.executor_memory_bytes == 6 * GIB


def test_the_first_run_by_another_spark_is_observed() -> None:
    assert standings(next_one(*PROVEN)) == {ACTION.id: Standing.PROMOTED}
    found = next_one(*PROVEN, to_come=Context((4, 3), SMALL))
    assert not found.in_force
    assert "first run with Spark 4.3 instead of 4.2: observed" in told(found.changes[0])


def test_what_was_proven_is_tried_anew_then_against_runs_of_the_new_spark() -> None:
    """4.3 is twice as slow at everything: only its own runs tell what the change does there."""
    observed = by("4.3.0", SMALL, 2, {"q1": 20, "q2": 20})
    assert standings(next_one(*PROVEN, observed)) == {ACTION.id: Standing.TRIAL}
    gains = by("4.3.0", SMALL, 3, {"q1": 10, "q2": 20}, decided(ACTION))
    assert standings(next_one(*PROVEN, observed, gains)) == {ACTION.id: Standing.PROMOTED}
    loses = by("4.3.0", SMALL, 3, {"q1": 30, "q2": 20}, decided(ACTION))
    assert standings(next_one(*PROVEN, observed, loses)) == {ACTION.id: Standing.ROLLED_BACK}


def test_a_cluster_that_changed_unforeseen_is_observed_once_and_then_tuned() -> None:
    larger = replace(SMALL, executor_memory_bytes=16 * GIB)
    surprise = by("4.2.1", larger, 2, {"q1": 1, "q2": 2}, PROMOTED)
    assert read_ledger([*PROVEN, surprise])[ACTION.id].standing is Standing.TRIAL
    assert not next_one(*PROVEN, surprise).in_force
    observed = by("4.2.1", larger, 3, {"q1": 2, "q2": 2})
    assert standings(next_one(*PROVEN, surprise, observed)) == {ACTION.id: Standing.TRIAL}


def test_a_job_that_changes_its_cluster_every_night_is_observed_once_in_each() -> None:
    larger = replace(SMALL, executor_memory_bytes=16 * GIB)
    runs = [*PROVEN, by("4.2.1", larger, 2, {"q1": 2, "q2": 2})]
    for night in range(3, 9):
        cluster = larger if night % 2 == 0 else SMALL
        decision = next_one(*runs, to_come=Context((4, 2), cluster))
        assert decision.in_force, night
        runs.append(
            by(
                "4.2.1",
                cluster,
                night,
                {"q1": 1, "q2": 2} if night % 2 == 0 else {"q1": 5, "q2": 10},
                *decision.changes,
            )
        )


def test_what_lost_is_tried_again_in_another_context() -> None:
    lost = (PROVEN[0], by_spark("4.2.1", 1, 20, decided(ACTION)))
    assert not next_one(*lost).in_force
    assert standings(next_one(*lost, by_spark("4.3.0", 2, 10))) == {ACTION.id: Standing.TRIAL}
    again = by_spark("4.3.0", 3, 20, decided(ACTION))
    assert not next_one(*lost, by_spark("4.3.0", 2, 10), again).in_force
    assert not next_one(*lost, by_spark("4.3.0", 2, 10), again, by_spark("4.2.1", 4, 10)).in_force


def test_what_a_person_pinned_stays_in_any_context() -> None:
    pinned = decided(conf(), Standing.PINNED)
    runs = [by_spark("4.2.1", 0, 10), by_spark("4.2.1", 1, 5, pinned)]
    found = decide(situation(Mode.AUTO, 1, runs, to_come=Context((4, 3), SMALL)))
    assert standings(found) == {conf().id: Standing.PINNED}


def test_bands_are_of_the_same_context() -> None:
    runs = [by_spark("4.2.1", 0, 10), by_spark("4.3.0", 1, 30), by_spark("4.3.0", 2, 30)]
    found = baselines(runs)
    assert set(found) == {runs[2].key}
    assert found[runs[2].key].expected == pytest.approx(40)
    assert query_baselines(runs) == {"q1": 30, "q2": 10}
