"""Orders as Spark would run them: strategies, what is shuffled and sorted again, and how they are priced."""

from __future__ import annotations

from dataclasses import fields

import pytest

from tests.cost.what_if.graphs import CHAIN, CLUSTER, LARGE, MB, NO_BROADCAST, SAME_KEY, Equality, what_if
from tuner.cost.size import Size
from tuner.cost.unit_costs import UnitCosts
from tuner.cost.what_if import Given, GivenJoin, PhysicalOrder
from tuner.model.cluster import Cluster
from tuner.model.join_graph import GraphRelation, Order, RelationKind
from tuner.model.strategy import BuildSide, Strategy
from tuner.spark.join_selection.logical_join import SideHint
from tuner.spark.join_selection.selection_conf import SelectionConf

LEFT, RIGHT = BuildSide.LEFT, BuildSide.RIGHT


def strategies(order: PhysicalOrder) -> list[tuple[Strategy, BuildSide | None]]:
    return [(join.strategy, join.build_side) for join in order.joins]


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
    costs = UnitCosts(sort=1, sort_insert=2, merge=4, emit=8, shuffle_write=16, shuffle_read=32, shuffle_write_row=64)
    sizes = {0b01: Size(10, 1000), 0b10: Size(20, 3000), 0b11: Size(5, 100)}
    (join,) = what_if(sizes, CHAIN[:1], costs=costs).order((0, 1)).joins
    assert join.core_seconds == pytest.approx((30 * (1 + 2 + 4 + 64) + 5 * 8 + 4000 * 48) / 1e9)
    assert join.serial_seconds == 0


def test_a_broadcast_is_waited_for_and_costs_more_with_each_doubling_of_the_executors() -> None:
    costs = UnitCosts(broadcast_build=1, collect=2, broadcast=4, probe=8, emit=16)
    sizes = {0b01: Size(10, 1000), 0b10: Size(20, 3000), 0b11: Size(5, 100)}
    cluster = Cluster(cores=4, executors=16)
    (join,) = what_if(sizes, CHAIN[:1], SelectionConf(), cluster, costs).order((0, 1)).joins
    assert join.serial_seconds == pytest.approx((10 + 1000 * (2 + 4 * (1 + 4))) / 1e9)
    assert join.core_seconds == pytest.approx((20 * 8 + 5 * 16) / 1e9)


def test_seconds_are_those_of_waves_of_tasks() -> None:
    costs = UnitCosts(**{field.name: 0.0 for field in fields(UnitCosts)} | {"task": 1e9})
    small = {0b01: Size(1e4, 12 * MB), 0b10: Size(1e4, 12 * MB)}

    def order(cores: int) -> PhysicalOrder:
        return what_if(small, CHAIN[:1], cluster=Cluster(cores, 1), costs=costs).order((0, 1))

    assert [stage.tasks for stage in order(3).stages] == [3, 3, 3]
    # Both scans share the cores, the join waits for them.
    assert order(3).seconds(Cluster(3, 1)) == pytest.approx(3.0)
    assert order(3).seconds(Cluster(2, 1)) == pytest.approx(5.0)


def test_a_join_can_be_given_its_strategy_and_build_side() -> None:
    hashed = Given({0b011: GivenJoin(Strategy.BROADCAST_HASH, LEFT)})
    order = what_if(LARGE, CHAIN).order(((0, 1), 2), hashed)
    assert strategies(order) == [(Strategy.BROADCAST_HASH, LEFT), (Strategy.SORT_MERGE, None)]
    assert order.joins[0].shuffled == ()


@pytest.mark.parametrize(
    ("left_bytes", "built"), [(MB, LEFT), (200 * MB, RIGHT), (100 * MB, RIGHT)], ids=["left", "right", "equal"]
)
def test_without_a_build_side_the_smaller_one_is_built(left_bytes: float, built: BuildSide) -> None:
    given = Given({0b11: GivenJoin(Strategy.SHUFFLED_HASH)})
    sizes = {0b01: Size(10, left_bytes), 0b10: Size(10, 100 * MB)}
    assert strategies(what_if(sizes, CHAIN[:1]).order((0, 1), given)) == [(Strategy.SHUFFLED_HASH, built)]


def test_a_side_can_be_given_a_hint_wherever_it_stands() -> None:
    given = Given(sides={0b100: SideHint.BROADCAST})
    for order, place in ((((0, 1), 2), RIGHT), ((2, (0, 1)), LEFT)):
        assert strategies(what_if(LARGE, CHAIN).order(order, given))[-1] == (Strategy.BROADCAST_HASH, place)


def test_a_given_join_that_compares_no_keys_is_as_spark_would_have_it() -> None:
    given = Given({0b101: GivenJoin(Strategy.SORT_MERGE)})
    assert strategies(what_if(LARGE, CHAIN).order((0, 2), given)) == [(Strategy.CARTESIAN, None)]


def aggregate(partitioned: str, sorted_: tuple[tuple[str, ...], ...] = ()) -> GraphRelation:
    keys = tuple(f"t0.{name}" for name in partitioned)
    return GraphRelation("0", ("t0",), RelationKind.AGGREGATE, partitioned=(keys,), sorted=sorted_)


def test_a_relation_grouped_by_the_key_is_not_shuffled_again() -> None:
    (join,) = what_if(LARGE, CHAIN, special={0: aggregate("a")}).order((0, 1)).joins
    assert (join.shuffled, join.sorted) == ((RIGHT,), (LEFT, RIGHT))
    (join,) = what_if(LARGE, CHAIN, special={0: aggregate("ab")}).order((0, 1)).joins
    assert join.shuffled == (LEFT, RIGHT)


def test_a_relation_sorted_by_the_key_is_not_sorted_again() -> None:
    (join,) = what_if(LARGE, CHAIN, special={0: aggregate("a", (("t0.a",), ("t0.z",)))}).order((0, 1)).joins
    assert join.sorted == (RIGHT,)


def test_a_broadcast_passes_on_partitions_by_the_build_sides_column_since_3_1() -> None:
    sizes = {**LARGE, 0b010: Size(10, 100)}
    predicates = [(0, "k", 1, "k"), (1, "k", 2, "k")]
    for version, shuffled in (((3, 0, 3), (LEFT, RIGHT)), ((3, 1, 0), (RIGHT,))):
        conf = SelectionConf(version=version)
        order = what_if(sizes, predicates, conf, special={0: aggregate("k")}).order(((0, 1), 2))
        assert order.joins[-1].shuffled == shuffled


@pytest.mark.parametrize("order", [((0, 1), 2), (0, (1, 2)), ((2, 1), 0)])
def test_every_order_ends_with_all_relations(order: Order) -> None:
    assert what_if(LARGE, CHAIN).order(order).joins[-1].relations == 0b111


@pytest.mark.parametrize(
    "given",
    [Given(), Given({0b11: GivenJoin(Strategy.SHUFFLED_HASH)}), Given({0b11: GivenJoin(Strategy.BROADCAST_HASH)})],
)
@pytest.mark.parametrize("conf", [NO_BROADCAST, SelectionConf(), SelectionConf(prefer_sort_merge=False)])
@pytest.mark.parametrize("predicates", [[], CHAIN[:1], [(0, "a", 1, "a"), (0, "b", 1, "b")]])
@pytest.mark.parametrize("sizes", [(1, 1), (1, 100), (100, 1), (3000, 1), (3000, 3000)])
def test_a_join_by_itself_is_what_an_order_of_two_makes_of_it(
    sizes: tuple[int, int], predicates: list[Equality], conf: SelectionConf, given: Given
) -> None:
    one = what_if(
        {item: Size(mb * 1e4, mb * MB) for item, mb in zip((0b01, 0b10), sizes, strict=True)}, predicates, conf
    )
    (join,) = one.order((0, 1), given).joins
    seconds = join.core_seconds / CLUSTER.cores + join.serial_seconds
    assert one.join_seconds(0b01, 0b10, given) == one.join_seconds(0b10, 0b01, given) == pytest.approx(seconds)


@pytest.mark.parametrize("order", [((0, 1), 2), (0, (1, 2)), ((0, 2), 1)])
def test_of_other_sizes_an_order_is_priced_as_if_it_were_the_first(order: Order) -> None:
    sizes = [
        {**LARGE, 0b011: Size(rows, 100 * rows), 0b010: Size(rows, 8 * rows), 0b110: Size(10 * rows, 80 * rows)}
        for rows in (1, 1e3, 1e6, 1e9, 1e3)
    ]
    shared = what_if(LARGE, CHAIN, SelectionConf())
    seconds = [shared.of_sizes(lambda s, of=of: of.get(s, Size(1000, 100 * MB))).seconds(order) for of in sizes]
    assert seconds == [what_if(of, CHAIN, SelectionConf()).seconds(order) for of in sizes]
    assert len(set(seconds)) == 4


def test_seconds_are_those_of_the_physical_order() -> None:
    job = what_if(LARGE, CHAIN)
    assert job.seconds(((0, 1), 2)) == job.order(((0, 1), 2)).seconds(CLUSTER)
