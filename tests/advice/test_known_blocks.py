"""What executions measured of a block in other orders is found among many of them in time that grows with their number."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from tests.advice.blocks import AS_WRITTEN, DAYS, DAYS_FIRST, ITEMS, SALES, STOCK, block
from tests.advice.joins import facts, query
from tests.conftest import AT_LENGTH
from tuner.advice import known_blocks
from tuner.advice.facts import Facts, PastRun
from tuner.advice.known_blocks import MeasuredBlock
from tuner.model.join_graph import Joined, JoinGraph, MeasuredJoin
from tuner.model.query import Query, QueryStatus
from tuner.plan.merge_graphs import merge_graphs

_ORDERS = (AS_WRITTEN, DAYS_FIRST, Joined(Joined(Joined(SALES, ITEMS), DAYS), STOCK))


def _of_tenant(number: int, size: float, order: int = 0, **more: QueryStatus) -> Query:
    """A loop over tenants, each with data of its own."""
    graph = block(_ORDERS[order])
    relations = tuple(replace(one, rows=round((one.rows or 0) * size)) for one in graph.relations)
    measured = {joined: MeasuredJoin(round(found.rows * size)) for joined, found in graph.measured.items()}
    one = replace(graph, relations=relations, measured=measured)
    return replace(query(fingerprint="q", **more), graphs=(one,), literals=f"tenant {number}")


@pytest.fixture
def labelled(monkeypatch: pytest.MonkeyPatch) -> list[JoinGraph]:
    """The graphs whose labels were worked out."""
    found: list[JoinGraph] = []

    def noted(graph: JoinGraph) -> dict[tuple[str, ...], MeasuredJoin]:
        found.append(graph)
        return genuine(graph)

    genuine = known_blocks.measured_by_labels
    monkeypatch.setattr(known_blocks, "measured_by_labels", noted)
    return found


def test_each_execution_of_a_loop_is_looked_at_once_not_by_each_other(labelled: list[JoinGraph]) -> None:
    sizes = [2.0 ** (n / 8) for n in range(40)]
    *earlier, latest = (
        tuple(_of_tenant(n, size, order=night % 2) for n, size in enumerate(sizes)) for night in range(5)
    )
    job = replace(facts(*latest), earlier=tuple(map(PastRun, earlier)))
    assert all(len(graph.measured) == 5 for one in latest for graph in job.graphs_of(one))
    # All that are known, and each of this run's that asks.
    assert len(labelled) == 5 * 40 + 40
    assert [job.with_history(one, one.graphs[0]) for one in latest] == [job.graphs_of(one)[0] for one in latest]
    assert len(labelled) == 5 * 40 + 3 * 40


def test_of_those_that_joined_what_it_did_not_few_are_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    """None of the night before was as large as any of this."""
    looked_at: list[MeasuredBlock] = []
    genuine = MeasuredBlock.is_as_large_as

    def noted(now: MeasuredBlock, then: MeasuredBlock) -> bool:
        looked_at.append(then)
        return genuine(now, then)

    monkeypatch.setattr(MeasuredBlock, "is_as_large_as", noted)
    before, latest = (tuple(_of_tenant(n, 2 ** (n + night / 2), order=night) for n in range(40)) for night in range(2))
    job = replace(facts(*latest), earlier=(PastRun(before),))
    assert [job.graphs_of(one) for one in latest] == [one.graphs for one in latest]
    assert len(looked_at) <= 2 * 40


@pytest.mark.parametrize("seed", range(20 if AT_LENGTH else 5))
def test_the_newest_that_is_as_large_tells_what_an_execution_did_not_join(seed: int) -> None:
    chance = random.Random(seed)

    def execution(number: int) -> Query:
        status = chance.choice((QueryStatus.SUCCEEDED, QueryStatus.SUCCEEDED, QueryStatus.FAILED))
        one = _of_tenant(number, chance.choice((1.0, 1.1, 1.2, 2.0)), chance.randrange(3), status=status)
        (graph,) = one.graphs
        rows = [chance.choice((relation.rows, relation.rows, relation.rows, None)) for relation in graph.relations]
        counted = (replace(relation, rows=n) for relation, n in zip(graph.relations, rows, strict=True))
        return replace(one, graphs=(replace(graph, relations=tuple(counted)),))

    runs = [tuple(map(execution, range(4))) for _ in range(3)]
    job = replace(facts(*runs[-1]), earlier=tuple(map(PastRun, runs[:-1])))
    for one in runs[-1]:
        assert job.graphs_of(one) == _merged(job, one)


def _merged(job: Facts, one: Query) -> tuple[JoinGraph, ...]:
    """As told by all of them."""
    (graph,) = one.graphs
    known = (q.graphs[0] for run in job.of_all_runs for q in run if q.status is QueryStatus.SUCCEEDED)
    as_large = (other for other in known if MeasuredBlock(graph).is_as_large_as(MeasuredBlock(other)))
    return merge_graphs((*as_large, graph))
