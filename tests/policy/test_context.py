"""Another Spark or another cluster: what was measured before does not count, and what was proven is proven anew."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tuner.model.cluster import Cluster
from tuner.model.decision import DecidedChange, Decision, Mode, Standing
from tuner.model.failure import Failure, FailureKind
from tuner.model.run import Run, RunState
from tuner.model.verdict import Ruling
from tuner.policy.baseline import baselines, query_baselines
from tuner.policy.context import ByContext, Context, context_of, context_to_come
from tuner.policy.decide import decide
from tuner.policy.ledger import read_ledger

from .histories import conf, decided, hint, outcome, recommend, reorder, run, situation, standings, told, verdict

ACTION = reorder()
GIB = 1 << 30
FAILED = RunState.FAILED
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


def test_the_first_run_that_is_submitted_to_another_runtime_is_observed() -> None:
    """Which Spark that has, only its log tells."""

    def submitted(ran: Run, runtime: str) -> Run:
        return replace(ran, decision=replace(ran.decision, runtime=runtime))

    def to_come(runtime: str) -> Context:
        return Context((4, 2), SMALL, runtime)

    proven = [submitted(ran, "15.4.x") for ran in PROVEN]
    assert standings(next_one(*proven, to_come=to_come("15.4.x"))) == {ACTION.id: Standing.PROMOTED}
    found = next_one(*proven, to_come=to_come("16.1.x"))
    assert not found.in_force and "first run with 16.1.x instead of 15.4.x: observed" in told(found.changes[0])
    untold = [*proven, by_spark("4.2.1", 2, 10)]
    assert not next_one(*untold, to_come=to_come("16.1.x")).in_force, "it may have been by the old one"
    same_spark = [*proven, submitted(by_spark("4.2.3", 2, 10), "16.1.x")]
    assert standings(next_one(*same_spark, to_come=to_come("16.1.x"))) == {ACTION.id: Standing.PROMOTED}
    another = [*proven, submitted(by_spark("4.3.0", 2, 10), "16.1.x")]
    of_another = Context((4, 3), SMALL, "16.1.x")
    assert standings(next_one(*another, to_come=of_another)) == {ACTION.id: Standing.TRIAL}
    assert standings(next_one(*PROVEN, to_come=to_come("16.1.x"))) == {ACTION.id: Standing.PROMOTED}, "none told before"
    older = by("4.1.0", SMALL, -1, {"q1": 10, "q2": 20})
    assert standings(next_one(older, *PROVEN, to_come=to_come("16.1.x"))) == {ACTION.id: Standing.PROMOTED}, "long ago"


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


def test_what_loses_in_one_of_two_contexts_in_turns_is_in_force_in_the_other_alone() -> None:
    """Weekends have larger heaps, with which it is twice as slow; on weekdays it halves the query."""
    larger, runs, taken = replace(SMALL, executor_memory_bytes=16 * GIB), list[Run](), []
    for night in range(42):
        cluster = larger if night % 7 in (5, 6) else SMALL
        decision = next_one(*runs, to_come=Context((4, 2), cluster))
        factor = (2.0 if cluster is larger else 0.5) if decision.in_force else 1.0
        runs.append(by("4.2.1", cluster, night, {"q1": 20 * factor, "q2": 20}, *decision.changes))
        taken.append(bool(decision.in_force))
        (loss,) = read_ledger(runs)[ACTION.id].losses if night >= 6 else [None]
        assert loss is None or not loss.context.difference(Context((4, 2), larger))
    assert [night for night, took in enumerate(taken) if took] == [
        night for night in range(1, 42) if night % 7 not in (5, 6) or night == 6
    ]
    asked = verdict(ACTION, Ruling.APPROVE, night=34.5)
    larger_night = situation(
        Mode.AUTO,
        1,
        runs[:40],
        [recommend(ACTION)],
        [asked],
        drivable=frozenset({ACTION.kind}),
        to_come=Context((4, 2), larger),
    )
    assert standings(decide(larger_night)) == {ACTION.id: Standing.TRIAL}, "a person asked for it since it lost there"


def test_one_run_in_another_context_puts_nothing_on_trial_again_where_it_was_proven() -> None:
    """A mapped instance that was tried again with more memory: of the next DAG run's, all but the first would be without."""
    larger = replace(SMALL, executor_memory_bytes=16 * GIB)
    nights = [*PROVEN, *(by_spark("4.2.1", n, 5, PROMOTED) for n in range(2, 6))]
    retried = by("4.2.1", larger, 6, {"q1": 10, "q2": 10})
    assert standings(next_one(*nights, retried, to_come=Context((4, 2), SMALL))) == {ACTION.id: Standing.PROMOTED}
    assert read_ledger([*nights, retried])[ACTION.id].standing is Standing.TRIAL
    there = next_one(*nights, retried, to_come=Context((4, 2), larger))
    assert standings(there) == {ACTION.id: Standing.TRIAL}, "there it was never in force"


def test_what_was_on_trial_for_another_context_is_none_where_it_is_proven() -> None:
    """The runs without it, which told that it gains, are too long ago to be read."""
    larger = replace(SMALL, executor_memory_bytes=16 * GIB)
    nights = [by_spark("4.2.1", n, 5, PROMOTED) for n in range(9)]
    surprise = by("4.2.1", larger, 9, {"q1": 5, "q2": 10}, PROMOTED)
    assert read_ledger([*nights, surprise])[ACTION.id].standing is Standing.TRIAL
    as_if_larger = by_spark("4.2.1", 10, 5, decided(ACTION, Standing.TRIAL))
    assert read_ledger([*nights, surprise, as_if_larger])[ACTION.id].standing is Standing.PROMOTED


def test_what_a_decision_for_another_context_took_out_is_not_out_in_the_one_that_came() -> None:
    larger = replace(SMALL, executor_memory_bytes=16 * GIB)
    lost = by("4.2.1", larger, 3, {"q1": 40, "q2": 10}, decided(ACTION))
    nights = [*PROVEN, by("4.2.1", larger, 2, {"q1": 10, "q2": 10}), lost]
    as_if_larger = next_one(*nights)
    assert standings(as_if_larger) == {ACTION.id: Standing.ROLLED_BACK}
    for ended in (by_spark("4.2.1", 4, 10, *as_if_larger.changes), run(4, None, *as_if_larger.changes, state=FAILED)):
        found = next_one(*nights, ended, to_come=Context((4, 2), SMALL))
        assert standings(found) == {ACTION.id: Standing.PROMOTED}
        found = next_one(*nights, ended, to_come=Context((4, 2), larger))
        assert standings(found) == {ACTION.id: Standing.ROLLED_BACK}


def test_what_made_a_run_of_one_context_fail_does_not_come_back_there() -> None:
    """Weekends have smaller heaps, too small for its broadcast; that a run is one of these is not always known before it."""
    smaller, broadcast = replace(SMALL, executor_memory_bytes=GIB), recommend(hint("q1"))

    def next_with(cluster: Cluster, *runs: Run) -> Decision:
        return decide(situation(Mode.AUTO, 1, runs, [broadcast], to_come=Context((4, 2), cluster)))

    proven = decided(hint("q1"), Standing.PROMOTED)
    nights = [PROVEN[0], by_spark("4.2.1", 1, 5, decided(hint("q1"))), by("4.2.1", smaller, 2, {"q1": 10, "q2": 10})]
    nights += [by_spark("4.2.1", 3, 5, proven), by("4.2.1", smaller, 4, {"q1": 1}, proven)]
    too_large = Failure(FailureKind.BROADCAST_OUT_OF_MEMORY, "too large", "q1")
    assert nights[-1].outcome
    nights[-1] = replace(nights[-1], state=FAILED, outcome=replace(nights[-1].outcome, failure=too_large))
    retry = by("4.2.1", smaller, 5, {"q1": 10, "q2": 10})
    for later in ([], [retry], [retry, by_spark("4.2.1", 6, 10)]):
        assert not next_with(smaller, *nights, *later).in_force
    assert len(read_ledger(nights)[hint("q1").id].losses) == 2


def test_what_is_left_out_of_a_run_to_compare_waits_for_one_of_its_context() -> None:
    larger = replace(SMALL, executor_memory_bytes=16 * GIB)
    nights = [*PROVEN, by_spark("4.2.1", 2, 5, PROMOTED), by_spark("4.2.1", 3, 40, PROMOTED)]
    assert standings(next_one(*nights)) == {ACTION.id: Standing.HELD}
    nights.append(by("4.2.1", larger, 4, {"q1": 10, "q2": 10}))
    assert standings(next_one(*nights, to_come=Context((4, 2), SMALL))) == {ACTION.id: Standing.HELD}
    nights.append(by_spark("4.2.1", 5, 10))
    assert standings(next_one(*nights)) == {ACTION.id: Standing.PROMOTED}


def test_unclear_trials_by_another_spark_are_none_of_those_that_it_is_given_up_after() -> None:
    """Else one night with it, and one without, decide by what is likely."""
    tried = [by_spark("4.2.1", n, q1, decided(ACTION)) for n, q1 in ((1, 9.6), (2, 10.1), (3, 9.8))]
    since = [by_spark("4.3.0", 4, 10), by_spark("4.3.0", 5, 9.6, decided(ACTION))]
    found = read_ledger([by_spark("4.2.1", 0, 10), *tried, *since])[ACTION.id]
    assert (found.standing, found.trials, found.held_out) == (Standing.TRIAL, 1, None)


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
