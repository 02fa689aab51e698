"""What a stream's checkpoint would keep is not tried."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tuner.model.decision import Mode, Standing
from tuner.model.run import Run
from tuner.policy.decide import decide
from tuner.spark.knobs import ADAPTIVE_BROADCAST_THRESHOLD, BROADCAST_THRESHOLD, SHUFFLE_PARTITIONS

from .histories import conf, decided, hint, in_force, recommend, run, situation, standings, told

OTHER = hint("q2")


def stateful(found: Run) -> Run:
    assert found.outcome is not None
    queries = [replace(query, keeps_state=query.fingerprint == "q1") for query in found.outcome.queries]
    return replace(found, outcome=replace(found.outcome, queries=tuple(queries)))


RUNS = [stateful(run(0, {"q1": 10, "q2": 10})), run(1, {"q2": 10})]


@pytest.mark.parametrize(
    "name", [SHUFFLE_PARTITIONS.property, BROADCAST_THRESHOLD.property, ADAPTIVE_BROADCAST_THRESHOLD.property]
)
def test_what_places_state_is_held_for_the_whole_job(name: str) -> None:
    placing = conf(name, "64")
    advice = [recommend(placing, queries=("q2",)), recommend(OTHER, queries=("q2",))]
    found = decide(situation(Mode.AUTO, 1, RUNS, advice))
    assert standings(found) == {placing.id: Standing.HELD, OTHER.id: Standing.TRIAL}
    held = next(told(one) for one in found.changes if one.standing is Standing.HELD)
    assert held.endswith(
        f"held: a stream of the job keeps state: {name} could say where that lies, for as long as its checkpoint is used"
    )


def test_a_stream_whose_plans_show_no_state_is_told_by_its_executors() -> None:
    first = run(0, {"q1": 10, "q2": 10})
    assert first.outcome is not None
    resources = replace(first.outcome.resources, keeps_state=True)
    runs = [replace(first, outcome=replace(first.outcome, resources=resources)), run(1, {"q2": 10})]
    placing = conf(SHUFFLE_PARTITIONS.property, "64")
    found = decide(situation(Mode.AUTO, 1, runs, [recommend(placing, queries=("q2",))]))
    assert standings(found) == {placing.id: Standing.HELD}


def test_what_says_nothing_of_places_is_tried() -> None:
    size = conf("spark.sql.files.maxPartitionBytes", "256m")
    assert in_force(decide(situation(Mode.AUTO, 1, RUNS, [recommend(size, queries=("q2",))]))) == {size.id}


def test_what_was_proven_before_a_stream_came_is_taken_back() -> None:
    proven = decided(conf(), Standing.PROMOTED, queries=("q2",))
    runs = [run(0, {"q2": 10}), run(1, {"q2": 4}, proven), stateful(run(2, {"q1": 9, "q2": 4}, proven))]
    assert in_force(decide(situation(Mode.AUTO, 1, runs))) == set()
