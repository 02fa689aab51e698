"""Join orders: the exact search against every tree there is, heuristics against the exact search."""

from __future__ import annotations

import math
import random
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tuner.cost.join_edges import Edge, JoinEdges, edge
from tuner.cost.join_order import DEFAULT_PAIRS, best_order
from tuner.cost.join_tree import JoinTree, SizeOf, tree_cost, tree_of
from tuner.cost.order_objective import OrderObjective, Seconds, WeightedRatio, WeightedSum
from tuner.cost.size import Size
from tuner.spark.order_cost import Cost, weighted_ratio, weighted_sum

from .join_graphs import (
    SHAPES,
    STATISTICS,
    chain,
    clique,
    every_total,
    filtered_keys,
    left_deep,
    order_of,
    random_graph,
    random_tree,
    star,
    wild,
)


def any_sizes(seed: int, step: float) -> SizeOf:
    """A size for each set that has nothing to do with any other's; with a large step many are the same, or nothing."""

    def size_of(mask: int) -> Size:
        rng = random.Random(seed * 1_000_003 + mask)
        rows, width = 10 ** rng.uniform(0, 6), 10 ** rng.uniform(0, 3)
        return Size(rows // step * step, rows * width // step * step)

    return size_of


def any_seconds(seed: int) -> Callable[[int, int], float]:
    """A price for each pair of sets, the same either way round."""
    return lambda left, right: random.Random(seed * 1_000_003 + left * right).uniform(0, 100)


@st.composite
def graphs(draw: st.DrawFn, most: int = 6, wide: bool = True) -> tuple[int, list[Edge]]:
    """Relations 2 to `most`, joined in pairs and by predicates over more, connected or not."""
    n = draw(st.integers(2, most))
    relation = st.integers(0, n - 1)
    pairs = draw(st.lists(st.tuples(relation, relation).filter(lambda e: e[0] != e[1]), max_size=2 * n))
    edges = [edge(*pair) for pair in pairs]
    if wide:
        mask = st.integers(1, (1 << n) - 1)
        edges += draw(st.lists(st.tuples(mask, mask).filter(lambda e: not e[0] & e[1]), max_size=2))
    if draw(st.booleans()):
        edges += random_tree(n, random.Random(draw(st.integers(0, 1000))))
    return n, edges


_weights = st.sampled_from([0.0, 0.3, 0.7, 1.0])
_objectives: st.SearchStrategy[OrderObjective] = st.one_of(
    st.builds(WeightedSum, _weights),
    st.builds(WeightedRatio, _weights),
    st.builds(Seconds, st.integers().map(any_seconds)),
)
_sizes = st.builds(any_sizes, st.integers(0, 10**6), st.sampled_from([1e-9, 1.0, 1000.0, 1e5]))


def every_value(n: int, edges: list[Edge], size_of: SizeOf, objective: OrderObjective) -> list[float]:
    """The objective's number for every tree without cross products."""

    def of_join(left: int, right: int) -> tuple[float, float]:
        if isinstance(objective, Seconds):
            return objective.price(left, right), 0.0
        size = size_of(left | right)
        return (size.rows, size.bytes) if left | right != (1 << n) - 1 else (0.0, 0.0)

    totals = every_total(n, JoinEdges(n, edges).connect, of_join)
    if isinstance(objective, WeightedSum):
        return [weighted_sum(Cost(*total), objective.weight) for total in totals]
    if isinstance(objective, WeightedRatio):
        return [rows**objective.weight * size ** (1 - objective.weight) for rows, size in totals]
    return [seconds for seconds, _ in totals]


def assert_valid(tree: JoinTree, n: int, graph: JoinEdges, size_of: SizeOf) -> None:
    """Every relation exactly once, every size its set's; every join connected if the graph is."""
    assert sorted(tree.relations) == list(range(n))
    assert all(node.size == size_of(node.mask) for node in tree.walk())
    for join in tree.joins:
        left, right = join.children
        assert left.mask | right.mask == join.mask and not left.mask & right.mask
        assert len(graph.groups()) > 1 or graph.connect(left.mask, right.mask)


@given(graphs(), _sizes, _objectives)
def test_no_tree_of_all_is_cheaper(graph: tuple[int, list[Edge]], size_of: SizeOf, objective: OrderObjective) -> None:
    n, edges = graph
    found = best_order(n, edges, size_of, objective)
    values = every_value(n, edges, size_of, objective)
    assert_valid(found.tree, n, JoinEdges(n, edges), size_of)
    assert found.exact == bool(values)
    assert not values or found.value == pytest.approx(min(values))


@pytest.mark.parametrize("objective", [WeightedSum(), WeightedRatio()])
@pytest.mark.parametrize("shape", SHAPES)
def test_no_tree_of_seven_relations_is_cheaper(shape: str, objective: OrderObjective) -> None:
    edges = SHAPES[shape](7)
    for seed in range(3):
        size_of = any_sizes(seed, 1e-9)
        found = best_order(7, edges, size_of, objective)
        assert found.exact
        assert found.value == pytest.approx(min(every_value(7, edges, size_of, objective)))


def test_one_plan_per_set_would_miss_the_best_by_the_ratio() -> None:
    """To join {0, 1, 2}, (0 1) comes first; to join {0, 1, 2, 3}, (0 2) does: the products do not add up."""
    of_three = {0b0011: Size(10, 1000), 0b0101: Size(40, 200)}
    of_four = {**of_three, 0b0111: Size(1000, 1000)}
    many = Size(1e9, 1e9)
    assert str(best_order(3, star(3), lambda mask: of_three.get(mask, many)).tree) == "((0 1) 2)"
    assert str(best_order(4, star(4), lambda mask: of_four.get(mask, many)).tree) == "(((0 2) 1) 3)"


@given(graphs(), _sizes, _objectives)
def test_the_cost_is_the_sum_over_the_joins_but_the_last(
    graph: tuple[int, list[Edge]], size_of: SizeOf, objective: OrderObjective
) -> None:
    n, edges = graph
    found = best_order(n, edges, size_of, objective)
    outputs = [size_of(join.mask) for join in found.tree.joins if join is not found.tree]
    assert found.cost == Cost(sum(o.rows for o in outputs), sum(o.bytes for o in outputs))
    assert found.cost == tree_cost(found.tree)
    if isinstance(objective, WeightedSum):
        assert found.value == pytest.approx(weighted_sum(found.cost, objective.weight))
    elif isinstance(objective, Seconds):
        assert found.value == pytest.approx(
            sum(objective.price(*(c.mask for c in j.children)) for j in found.tree.joins)
        )


@given(graphs(), _sizes, st.permutations(range(6)), st.sampled_from([WeightedSum(), WeightedRatio()]))
def test_the_written_order_is_never_made_worse(
    graph: tuple[int, list[Edge]], size_of: SizeOf, order: list[int], objective: OrderObjective
) -> None:
    n, edges = graph
    written = left_deep([relation for relation in order if relation < n], size_of)
    found = best_order(n, edges, size_of, objective, written=written)
    assert found.value <= order_of(written, size_of, objective).value
    assert weighted_ratio(found.cost, tree_cost(written)) <= 1.0000001 or isinstance(objective, WeightedSum)


def test_the_written_order_stays_if_none_is_cheaper() -> None:
    size_of = filtered_keys(5, star(5), random.Random(1)).size_of()
    best = best_order(5, star(5), size_of).tree
    turned = JoinTree(best.mask, best.size, best.right, best.left)
    assert best_order(5, star(5), size_of, written=turned).tree is turned


@given(graphs(), _sizes, _objectives, st.randoms(use_true_random=False))
def test_the_order_of_edges_plays_no_part(
    graph: tuple[int, list[Edge]], size_of: SizeOf, objective: OrderObjective, rng: random.Random
) -> None:
    n, edges = graph
    shuffled = [e if rng.random() < 0.5 else e[::-1] for e in edges + edges[:2]]
    rng.shuffle(shuffled)
    assert best_order(n, edges, size_of, objective) == best_order(n, shuffled, size_of, objective)


@given(st.integers(2, 16), st.integers(0, 10**6), _objectives, st.sampled_from(sorted(STATISTICS)), st.integers(0, 3))
def test_heuristics_alone_yield_a_tree_no_better_than_the_exact_one(
    n: int, seed: int, objective: OrderObjective, statistics: str, pairs: int
) -> None:
    rng = random.Random(seed)
    edges = random_graph(n, rng)
    size_of = STATISTICS[statistics](n, edges, rng).size_of()
    found = best_order(n, edges, size_of, objective, pairs=pairs)
    exact = best_order(n, edges, size_of, objective, pairs=DEFAULT_PAIRS)
    assert_valid(found.tree, n, JoinEdges(n, edges), size_of)
    assert exact.value <= found.value * (1 + 1e-9)
    assert not found.exact or found.value == pytest.approx(exact.value)


@pytest.mark.parametrize("objective", [WeightedSum(), pytest.param(WeightedRatio(), marks=pytest.mark.nightly)])
@pytest.mark.parametrize("shape", SHAPES)
def test_a_hundred_relations_are_ordered(shape: str, objective: OrderObjective) -> None:
    n = 100 if shape != "clique" else 40  # the sizes of a hundred take longer than the search
    edges = SHAPES[shape](n)
    size_of = filtered_keys(n, edges, random.Random(7)).size_of()
    written = left_deep(random.Random(8).sample(range(n), n), size_of)
    found = best_order(n, edges, size_of, objective, written=written)
    assert_valid(found.tree, n, JoinEdges(n, edges), size_of)
    assert found.value < order_of(written, size_of, objective).value


@pytest.mark.parametrize("shape", ["chain", "cycle", "star", "snowflake"])
def test_fourteen_relations_are_ordered_exactly(shape: str) -> None:
    edges = SHAPES[shape](14)
    for seed in range(3):
        size_of = filtered_keys(14, edges, random.Random(seed)).size_of()
        assert best_order(14, edges, size_of).exact


def test_groups_that_nothing_connects_are_joined_last_the_smallest_first() -> None:
    edges = [edge(0, 1), edge(2, 3), edge(4, 5)]
    rows = {0b000011: 1000, 0b001100: 10, 0b110000: 100}

    def size_of(mask: int) -> Size:
        return Size(rows.get(mask, 1e6), rows.get(mask, 1e6))

    found = best_order(6, edges, size_of)
    assert (str(found.tree), found.exact) == ("(((2 3) (4 5)) (0 1))", False)


def test_a_predicate_over_three_relations_waits_for_both_of_its_sides() -> None:
    """a.x + b.x = c.x: without another predicate {a, b} is a cross product, and comes first."""
    size_of = any_sizes(3, 1e-9)
    found = best_order(3, [(0b011, 0b100)], size_of)
    assert (str(found.tree), found.exact) == ("((0 1) 2)", False)
    connected = best_order(3, [(0b011, 0b100), edge(0, 1)], size_of)
    assert (str(connected.tree), connected.exact) == ("((0 1) 2)", True)


def test_a_given_tree_costs_what_it_puts_out_cross_products_too() -> None:
    def size_of(mask: int) -> Size:
        return Size(mask, 10 * mask)

    tree = tree_of(((0, 1), (2, 3)), size_of)
    found = order_of(tree, size_of, WeightedSum())
    assert (found.tree, found.cost, found.exact) == (tree, Cost(3 + 12, 30 + 120), False)
    assert found.value == pytest.approx(0.7 * 15 + 0.3 * 150)
    assert str(left_deep([2, 0, 1], size_of)) == "((2 0) 1)"
    with pytest.raises(ValueError, match="twice"):
        tree_of((0, (1, 0)), size_of)


def test_of_two_relations_there_is_one_join_that_costs_nothing() -> None:
    found = best_order(2, [edge(0, 1)], lambda mask: Size(5, 5))
    assert (found.cost, found.exact) == (Cost(0, 0), True)
    assert best_order(1, [], lambda mask: Size(5, 5)).cost == Cost(0, 0)


@pytest.mark.parametrize("wrong", [(0b1, 0b1), (0, 0b1), (0b1, 0b1000), (0b11, 0b10)])
def test_an_edge_that_parts_nothing_is_refused(wrong: Edge) -> None:
    with pytest.raises(ValueError, match="edge"):
        best_order(3, [wrong], lambda mask: Size(1, 1))


@pytest.mark.parametrize("size", [Size(-1, 1), Size(math.nan, 1), Size(1, math.nan)])
def test_a_size_that_is_none_is_refused(size: Size) -> None:
    with pytest.raises(ValueError, match="no size"):
        best_order(3, chain(3), lambda mask: size)


def test_cross_products_beyond_all_numbers_can_still_be_compared() -> None:
    """Forty relations of 10^12 rows: their product leaves the range of floats."""
    size_of = wild(40, clique(40), random.Random(1)).size_of()

    def vast(mask: int) -> Size:
        return Size(math.inf, math.inf) if mask.bit_count() > 25 else size_of(mask)

    written = left_deep(range(40), vast)
    assert best_order(40, clique(40), vast, written=written).value <= order_of(written, vast).value
