"""Logs recorded with many versions of Spark: none of their joins shares its shuffles, and their broadcasts stay as they were."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from tests.advice.joins import facts, inner, query, side
from tuner.advice.advisors.broadcast_hint import advise_broadcast_hints
from tuner.advice.candidates.spared_shuffles import repeated_seconds, spared_shuffle_core_seconds
from tuner.advice.facts import Facts
from tuner.advice.steering_reach import Reach
from tuner.cost.operator_seconds import shuffle_core_seconds
from tuner.cost.unit_costs import UnitCosts
from tuner.eventlog.find import find_logs
from tuner.eventlog.read import read_application
from tuner.model.action import Action
from tuner.model.cluster import Cluster
from tuner.model.join_site import JoinSide
from tuner.model.query import Query, ShuffleExchange
from tuner.model.strategy import BuildSide
from tuner.plan.queries import queries

GOLDEN = Path(__file__).parents[2] / "golden" / "logs"
CLUSTER = Cluster(8, 2, 4, 64 << 30, 64 << 30)
# The recorded tables are small: as if their data were so many times as much, in as many more tasks.
FACTOR = 100_000


@cache
def recorded(release: str) -> tuple[Query, ...]:
    return tuple(query for log in find_logs(GOLDEN / release) for query in queries(read_application(log)))


def grown(query: Query) -> Query:
    joins = tuple(
        replace(j, left=_larger(j.left), right=_larger(j.right), output_rows=_times(j.output_rows)) for j in query.joins
    )
    shuffles = tuple(replace(s, data_bytes=_times(s.data_bytes), map_tasks=_times(s.map_tasks)) for s in query.shuffles)
    return replace(query, joins=joins, shuffles=shuffles)


def _larger(side: JoinSide) -> JoinSide:
    sizes = {"rows": side.rows, "bytes": side.bytes, "shuffle_bytes": side.shuffle_bytes, "sort_ms": side.sort_ms}
    return replace(side, **{name: _times(size) for name, size in sizes.items()})


def _times(count: int | None) -> int | None:
    return count and count * FACTOR


def out_of_place(query: Query) -> Query:
    """The query as a store has it that knows nothing of the places of joins."""
    return replace(query, joins=tuple(replace(j, core_ms=None, tasks=None, reshuffle=None) for j in query.joins))


def advised(*found: Query) -> list[Action]:
    return [
        action
        for change in advise_broadcast_hints(Facts(found, CLUSTER, reach=Reach.AGENT))
        for action in change.actions
    ]


@pytest.mark.parametrize("release", sorted(path.name for path in GOLDEN.iterdir() if not path.name.startswith("2.")))
def test_ordinary_broadcasts_stay_advised(release: str) -> None:
    logged = recorded(release)
    joins = [join for query in logged for join in query.joins]
    assert any(join.tasks for join in joins)
    assert not any(join.reshuffle or join.left.readers > 1 or join.right.readers > 1 for join in joins)
    larger = [grown(query) for query in logged]
    actions = [advised(query) for query in larger]
    assert sum(map(len, actions)) > 0
    assert actions == [advised(out_of_place(query)) for query in larger]


@pytest.mark.parametrize(("readers", "spared", "made_again"), [(2, 1, 1), (3, 0, 2)], ids=["alone", "beside another"])
def test_a_shuffle_that_a_join_reads_twice_is_made_once_more_than_before(
    readers: int, spared: int, made_again: int
) -> None:
    """A self-join: one side is broadcast, the other made where it is probed."""
    users = replace(side("users", rows=100_000, shuffle_bytes=8_000_000), readers=readers)
    join, costs = inner(users, users), UnitCosts()
    written = ShuffleExchange(200, 8_000_000, 10**6, 100_000, 1, adjustable=True, map_core_ms=300)
    job = query(join, shuffles=(written,))
    found = spared_shuffle_core_seconds(join, BuildSide.LEFT, costs, shuffle_core_seconds)
    assert found == spared * shuffle_core_seconds(users, costs)
    assert repeated_seconds(facts(job), job, join, BuildSide.LEFT) == pytest.approx(made_again * 0.3)
