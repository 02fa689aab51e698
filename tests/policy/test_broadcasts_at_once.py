"""What executors store of broadcasts at once."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.advice.joins import inner, side
from tests.policy.histories import run
from tuner.model.query import Query
from tuner.policy.broadcasts_at_once import broadcasts_at_once
from tuner.units import MIB


def query(id_: int, start: int, took: int | None, *sizes: int, root: int | None = None) -> Query:
    """Of so many seconds, with joins whose relations, by their MiB, were broadcast."""
    outcome = run(0, {"q": 1}).outcome
    assert outcome is not None
    joins = tuple(
        inner(side("fact"), side(f"d{size}", rows=size, broadcast_bytes=size * MIB), occurrence=n)
        for n, size in enumerate(sizes)
    )
    duration = None if took is None else took * 1000
    return replace(
        outcome.queries[0],
        id=id_,
        root_id=id_ if root is None else root,
        start_ms=start * 1000,
        duration_ms=duration,
        joins=joins,
    )


def mib(*queries: Query, stored: int = 0) -> int:
    return broadcasts_at_once(queries, stored * MIB) // MIB


def test_those_of_one_query_count_together_and_each_relation_once() -> None:
    assert mib(query(0, 0, 10, 100, 50, 50)) == 150


def test_of_queries_one_after_another_the_most_counts_and_of_those_at_once_the_sum() -> None:
    assert mib(query(0, 0, 10, 100), query(1, 10, 10, 60), query(2, 20, 10, 90)) == 100
    assert mib(query(0, 0, 10, 100), query(1, 9, 2, 60), query(2, 10, 10, 90)) == 160
    assert mib(query(0, 0, None, 100), query(1, 500, 2, 60)) == 160
    assert mib(query(0, 0, 0, 100), query(1, 0, 0, 60)) == 160


def test_what_a_query_runs_for_another_one_has_its_relations() -> None:
    assert mib(query(0, 0, 10, 100), query(1, 1, 8, 100, 20, root=0)) == 120
    assert mib(query(0, 0, 10, 100), query(1, 1, 8, 100, 20)) == 220


@pytest.mark.parametrize(("stored", "found"), [(0, 100), (150, 100), (200, 100), (1200, 1100), (3000, 2900)])
def test_what_joins_do_not_account_for_is_the_jobs_own(stored: int, found: int) -> None:
    """Broadcasts of queries that ended may still be there: 160 MiB, and a quarter of it."""
    queries = query(0, 0, 10, 100), query(1, 10, 10, 60)
    assert mib(*queries, stored=stored) == found
