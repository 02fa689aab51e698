"""The order that JoinReorderDP ends with: exact for a sum, one plan for each set for a ratio, and what it leaves alone."""

from __future__ import annotations

import random

import pytest

from tests.cost.join_graphs import SHAPES, filtered_keys
from tuner.cost.join_edges import Edge
from tuner.cost.join_order import best_order
from tuner.cost.join_tree import tree_cost
from tuner.cost.order_objective import WeightedSum
from tuner.cost.size import Size
from tuner.cost.spark_order import spark_order
from tuner.model.join_graph import Condition, GraphRelation, JoinGraph, Predicate, RelationKind
from tuner.spark.order_cost import Cost, weighted_ratio, weighted_sum

SUM, RATIO, RELATIVE_SUM = (3, 1, 1), (3, 5, 0), (3, 0, 3)


def graph(count: int, edges: list[Edge], conditions: tuple[Condition, ...] = ()) -> JoinGraph:
    relations = tuple(GraphRelation(str(i), (str(i),), RelationKind.SCAN) for i in range(count))
    return JoinGraph("block", relations, tuple(Predicate(a, b, "k", "k") for a, b in edges), conditions, {}, 0)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("seed", range(3))
def test_by_a_sum_it_is_the_best_there_is(shape: str, seed: int) -> None:
    rng = random.Random(seed)
    edges = SHAPES[shape](6)
    sized = filtered_keys(6, edges, rng).size_of()

    def size_of(mask: int) -> Size:
        size = sized(mask)
        return Size(round(size.rows), round(size.bytes))

    best = best_order(6, edges, size_of, WeightedSum())
    found = spark_order(graph(6, edges), size_of, version=SUM)
    assert found is not None
    assert weighted_sum(tree_cost(found)) == pytest.approx(weighted_sum(best.cost))
    by_ratio = spark_order(graph(6, edges), size_of, version=RATIO)
    assert by_ratio is not None
    exact = best_order(6, edges, size_of)
    assert weighted_ratio(tree_cost(by_ratio), exact.cost) >= 1 - 1e-9


def test_a_ratio_of_rows_and_one_of_bytes_are_weighed_as_each_version_does() -> None:
    """By the sum, 30 rows less of 40 drown in bytes; by ratios they count more than bytes by a quarter."""
    sizes = {0b011: Size(10, 1_000), 0b110: Size(40, 800)}
    given = graph(3, [(1, 2), (2, 4)])
    shapes = {
        version: str(spark_order(given, lambda m: sizes.get(m, Size(1, 1)), version=version))
        for version in (SUM, RATIO, RELATIVE_SUM)
    }
    assert shapes == {SUM: "((1 2) 0)", RATIO: "((0 1) 2)", RELATIVE_SUM: "((0 1) 2)"}


def test_the_weight_decides_between_rows_and_bytes() -> None:
    sizes = {0b011: Size(10, 1_000), 0b110: Size(40, 500)}
    given = graph(3, [(1, 2), (2, 4)])
    found = [str(spark_order(given, lambda m: sizes.get(m, Size(1, 1)), weight=w)) for w in (0.0, 1.0)]
    assert found == ["((1 2) 0)", "((0 1) 2)"]


@pytest.mark.parametrize(
    "given",
    [
        pytest.param(graph(2, [(1, 2)]), id="two items"),
        pytest.param(graph(13, SHAPES["chain"](13)), id="more than the threshold"),
        pytest.param(graph(3, [(1, 2)]), id="only a cross product joins all"),
    ],
)
def test_what_it_leaves_alone(given: JoinGraph) -> None:
    assert spark_order(given, lambda _: Size(10, 100)) is None


def test_any_condition_connects() -> None:
    assert spark_order(graph(3, [(1, 2)], (Condition(0b110, "a < b"),)), lambda _: Size(10, 100)) is not None


def test_costs_of_nothing_are_never_improved_on() -> None:
    """JoinPlan.betterThan: the first plan found stays."""
    found = spark_order(
        graph(3, [(1, 2), (2, 4)]), lambda mask: Size(mask.bit_count() - 2.0, 0) if mask else Size(0, 0)
    )
    assert found is not None
    assert weighted_ratio(Cost(0, 0), Cost(0, 0)) == 1
