"""Orders as Spark would run them: strategies, what is shuffled and sorted again, and how they are priced."""

from __future__ import annotations

import pytest

from tuner.cost.operators import UnitCosts
from tuner.cost.selection.conf import SelectionConf
from tuner.cost.size import Size
from tuner.cost.what_if import PhysicalOrder, WhatIf
from tuner.eventlog.cluster import Cluster
from tuner.plan.graph import GraphRelation, JoinGraph, Order, Predicate, RelationKind
from tuner.plan.model import BuildSide, Strategy

LEFT, RIGHT = BuildSide.LEFT, BuildSide.RIGHT
MB = 1_000_000
CLUSTER, COSTS = Cluster(cores=4, executors=2), UnitCosts()
NO_BROADCAST = SelectionConf(broadcast_bytes=-1)


def what_if(
    sizes: dict[int, Size],
    predicates: list[tuple[int, str, int, str]],
    conf: SelectionConf = NO_BROADCAST,
    cluster: Cluster = CLUSTER,
    costs: UnitCosts = COSTS,
) -> WhatIf:
    """Predicates are given as relation, column, relation, column."""
    relations = max(s.bit_length() for s in sizes)
    graph = JoinGraph(
        "block",
        tuple(GraphRelation(str(i), (f"t{i}",), RelationKind.SCAN) for i in range(relations)),
        tuple(Predicate(1 << a, 1 << b, f"t{a}.{x}", f"t{b}.{y}") for a, x, b, y in predicates),
        (),
        {},
        0,
    )
    return WhatIf(graph, lambda s: sizes.get(s, Size(1000, 100 * MB)), conf, cluster, costs)


def strategies(order: PhysicalOrder) -> list[tuple[Strategy, BuildSide | None]]:
    return [(join.strategy, join.build_side) for join in order.joins]


CHAIN = [(0, "a", 1, "a"), (1, "b", 2, "b")]
SAME_KEY = [(0, "k", 1, "k"), (1, "k", 2, "k")]
LARGE = {0b001: Size(1e6, 100 * MB), 0b010: Size(1e6, 100 * MB), 0b100: Size(1e6, 100 * MB)}


def test_joins_come_inputs_first_with_the_sets_they_join() -> None:
    order = what_if(LARGE, CHAIN).order(((0, 1), 2))
    assert [(j.left, j.right, j.relations) for j in order.joins] == [(0b001, 0b010, 0b011), (0b011, 0b100, 0b111)]


def test_large_sides_are_shuffled_sorted_and_merged() -> None:
    (join,) = what_if(LARGE, CHAIN).order((0, 1)).joins
    assert (join.strategy, join.shuffled, join.sorted) == (Strategy.SORT_MERGE, (LEFT, RIGHT), (LEFT, RIGHT))


def test_a_join_on_the_same_key_neither_shuffles_nor_sorts_its_input_again() -> None:
    _, second = what_if(LARGE, SAME_KEY).order(((0, 1), 2)).joins
    assert (second.shuffled, second.sorted) == ((RIGHT,), (RIGHT,))
    _, second = what_if(LARGE, CHAIN).order(((0, 1), 2)).joins
    assert (second.shuffled, second.sorted) == ((LEFT, RIGHT), (LEFT, RIGHT))


def test_a_broadcast_keeps_how_the_probe_side_is_partitioned() -> None:
    sizes = {**LARGE, 0b1000: Size(10, 100)}
    predicates = [*SAME_KEY, (0, "d", 3, "d")]
    last = what_if(sizes, predicates, SelectionConf()).order((((0, 1), 3), 2)).joins[-1]
    assert (last.strategy, last.shuffled, last.sorted) == (Strategy.SORT_MERGE, (RIGHT,), (RIGHT,))


def test_the_smaller_of_two_small_sides_is_broadcast() -> None:
    sizes = {0b01: Size(10, 1000), 0b10: Size(100, 5000)}
    assert strategies(what_if(sizes, CHAIN[:1], SelectionConf()).order((0, 1))) == [(Strategy.BROADCAST_HASH, LEFT)]
    assert strategies(what_if(sizes, CHAIN[:1], SelectionConf()).order((1, 0))) == [(Strategy.BROADCAST_HASH, RIGHT)]


def test_what_has_no_common_column_is_a_product() -> None:
    (join,) = what_if(LARGE, CHAIN).order((0, 2)).joins
    assert join.strategy is Strategy.CARTESIAN
    assert join.core_seconds > what_if(LARGE, CHAIN).order((0, 1)).joins[0].core_seconds


def test_prices_are_unit_costs_times_rows_and_bytes() -> None:
    costs = UnitCosts(sort=1, sort_insert=2, merge=4, emit=8, shuffle_write=16, shuffle_read=32)
    sizes = {0b01: Size(10, 1000), 0b10: Size(20, 3000), 0b11: Size(5, 100)}
    (join,) = what_if(sizes, CHAIN[:1], costs=costs).order((0, 1)).joins
    assert join.core_seconds == pytest.approx((30 * (1 + 2 + 4) + 5 * 8 + 4000 * 48) / 1e9)
    assert join.serial_seconds == 0


def test_a_broadcast_is_waited_for_and_costs_more_with_more_executors() -> None:
    costs = UnitCosts(broadcast_build=1, collect=2, broadcast=4, probe=8, emit=16)
    sizes = {0b01: Size(10, 1000), 0b10: Size(20, 3000), 0b11: Size(5, 100)}
    (join,) = what_if(sizes, CHAIN[:1], SelectionConf(), costs=costs).order((0, 1)).joins
    assert join.serial_seconds == pytest.approx((10 + 1000 * (2 + 4 * 2)) / 1e9)
    assert join.core_seconds == pytest.approx((20 * 8 + 5 * 16) / 1e9)


def test_seconds_share_the_tasks_among_the_cores() -> None:
    def seconds(cores: int) -> float:
        return what_if(LARGE, CHAIN, cluster=Cluster(cores, 1)).seconds(((0, 1), 2))

    assert seconds(8) == pytest.approx(seconds(1) / 8)


@pytest.mark.parametrize("order", [((0, 1), 2), (0, (1, 2)), ((2, 1), 0)])
def test_every_order_ends_with_all_relations(order: Order) -> None:
    assert what_if(LARGE, CHAIN).order(order).joins[-1].relations == 0b111
