"""Whether a job that writes would make small files of its tasks."""

from __future__ import annotations

from dataclasses import replace

from tests.advice.joins import facts, inner, query, side
from tuner.advice.candidates.small_files import makes_small_files
from tuner.model.cluster import Cluster
from tuner.model.query import ShuffleExchange

CLUSTER = Cluster(cores=80, executors=20, cores_per_executor=4)


def test_tasks_that_read_both_sides_of_a_join_are_as_many_as_both_fill() -> None:
    """Each side of 20 GB as compressed fills 299 tasks, both fill 597: of 15 GB in 200 files each then writes 25 MB."""
    sides = [ShuffleExchange(200, (60 + n) * 10**9, 20 * 10**9, 10**9, 100, True) for n in range(2)]
    join = inner(*(side(f"t{n}", shuffle_bytes=shuffle.data_bytes) for n, shuffle in enumerate(sides)))
    apart = replace(query(shuffles=tuple(sides)), writes=True, output_bytes=15 * 10**9, output_files=200)
    assert makes_small_files(facts(replace(apart, joins=(join,)), cluster=CLUSTER), 200, 2000)
    assert not makes_small_files(facts(apart, cluster=CLUSTER), 200, 2000)
