"""Whether a job that writes would make small files of its tasks."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.advice.joins import facts, inner, query, side
from tuner.advice.candidates.small_files import makes_small_files
from tuner.model.cluster import Cluster
from tuner.model.query import ShuffleExchange
from tuner.model.query_work import WorkInBrief

CLUSTER = Cluster(cores=80, executors=20, cores_per_executor=4)


def test_tasks_that_read_both_sides_of_a_join_are_as_many_as_both_fill() -> None:
    """Each side of 20 GB as compressed fills 299 tasks, both fill 597: of 15 GB in 200 files each then writes 25 MB."""
    sides = [ShuffleExchange(200, (60 + n) * 10**9, 20 * 10**9, 10**9, 100, True) for n in range(2)]
    join = inner(*(side(f"t{n}", shuffle_bytes=shuffle.data_bytes) for n, shuffle in enumerate(sides)))
    apart = replace(query(shuffles=tuple(sides)), writes=True, output_bytes=15 * 10**9, output_files=200)
    assert makes_small_files(facts(replace(apart, joins=(join,)), cluster=CLUSTER), 200, 2000)
    assert not makes_small_files(facts(apart, cluster=CLUSTER), 200, 2000)


@pytest.mark.parametrize(
    ("sides_feed", "last_feeds", "last", "small"),
    [
        pytest.param(False, True, 400, False, id="80 tasks read what comes after the join, and ten times that"),
        pytest.param(
            False, True, 2000, True, id="they would be more if each of more tasks wrote its part of all groups"
        ),
        pytest.param(None, None, 400, True, id="nothing tells which of them the tasks that write read"),
        pytest.param(True, False, 400, True, id="they read both sides"),
        pytest.param(False, False, 400, False, id="they read none"),
    ],
)
@pytest.mark.parametrize("in_brief", [False, True])
def test_files_are_as_many_as_tasks_after_the_shuffles_that_writers_read(
    *, sides_feed: bool | None, last_feeds: bool | None, last: int, small: bool, in_brief: bool
) -> None:
    sides = [ShuffleExchange(200, (60 + n) * 10**9, 20 * 10**9, 10**9, 100, True) for n in range(2)]
    after = ShuffleExchange(200, 3 * last * 10**6, last * 10**6, 10**7, 200, True, feeds_write=last_feeds)
    join = inner(*(side(f"t{n}", shuffle_bytes=shuffle.data_bytes) for n, shuffle in enumerate(sides)))
    shuffles = (*(replace(shuffle, feeds_write=sides_feed) for shuffle in sides), after)
    job = replace(query(join, shuffles=shuffles), writes=True, output_bytes=800 * 10**6, output_files=80)
    if in_brief:
        job = replace(job, joins=(), work_in_brief=WorkInBrief(100.0, 0))
    assert makes_small_files(facts(job, cluster=CLUSTER), 200, 2000) is small


@pytest.mark.parametrize(("in_brief", "small"), [(False, False), (True, True)])
def test_joins_before_are_read_each_by_itself_where_a_plan_tells_which(*, in_brief: bool, small: bool) -> None:
    """Each join's 10 GB fill 150 tasks; the 20 GB of both would fill 299."""
    sides = [ShuffleExchange(200, (20 + n) * 10**9, 5 * 10**9, 10**9, 100, True, feeds_write=False) for n in range(4)]
    after = ShuffleExchange(200, 3 * 10**9, 10**9, 10**7, 200, True, feeds_write=True)
    of = [side(f"t{n}", shuffle_bytes=shuffle.data_bytes) for n, shuffle in enumerate(sides)]
    joins = (inner(of[0], of[1]), inner(of[2], of[3]))
    job = replace(query(*joins, shuffles=(*sides, after)), writes=True, output_bytes=800 * 10**6, output_files=80)
    if in_brief:
        job = replace(job, joins=(), work_in_brief=WorkInBrief(100.0, 0))
    assert makes_small_files(facts(job, cluster=CLUSTER), 200, 2000) is small
