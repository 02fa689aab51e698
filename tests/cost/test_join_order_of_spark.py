"""The order that Spark's own JoinReorderDP chooses is no better than ours, by Spark's own estimates."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

pytest.importorskip("pyspark", reason="pyspark is not installed: pip install airflow-spark-tuner[spark]")

from tuner.cost.join_order import best_order
from tuner.cost.join_tree import tree_cost, tree_of
from tuner.cost.spark_order import spark_order
from tuner.model.join_graph import Condition, GraphRelation, JoinGraph, RelationKind
from tuner.spark.order_cost import Cost, order_cost, weighted_ratio

from .join_graphs import order_of
from .spark_reorder import Block, analyse, blocks, spark_session

pytestmark = [pytest.mark.spark, pytest.mark.nightly]

TABLES = {
    "sales": "SELECT i AS id, i % 50 AS item_id, i % 7 AS store_id, i % 31 AS day_id, i % 200 AS buyer_id FROM range(4000) t(i)",
    "returns": "SELECT i * 8 AS sale_id, i % 50 AS return_item, i % 31 AS return_day FROM range(500) t(i)",
    "items": "SELECT i AS item, i % 5 AS brand, repeat('x', 40) AS label FROM range(50) t(i)",
    "stores": "SELECT i AS store, i % 3 AS state FROM range(7) t(i)",
    "days": "SELECT i AS day, i % 12 AS month FROM range(31) t(i)",
    "buyers": "SELECT i AS buyer, i % 10 AS age, i % 7 AS home FROM range(200) t(i)",
}
STAR = "FROM sales, items, stores, days, buyers WHERE item_id = item AND store_id = store AND day_id = day AND buyer_id = buyer"
QUERIES = {
    "star": f"SELECT label, state, month, age {STAR}",
    "filtered star": f"SELECT label, state {STAR} AND month = 3 AND brand = 1",
    "cycle": f"SELECT label, age {STAR} AND home = store",
    "two facts": "SELECT label FROM sales, returns, items, days d1, days d2 WHERE id = sale_id AND item_id = return_item"
    " AND item_id = item AND day_id = d1.day AND return_day = d2.day AND d1.month = 2 AND brand = 4",
    "inequality": f"SELECT state {STAR} AND age > month AND state <> brand",
    "three in one": f"SELECT state {STAR} AND age + month = brand",
}


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Block]]:
    duckdb = pytest.importorskip("duckdb", reason="duckdb is not installed: pip install airflow-spark-tuner[demo]")
    root = tmp_path_factory.mktemp("reorder")
    for name, query in TABLES.items():
        (root / "tables" / name).mkdir(parents=True)
        duckdb.sql(f"COPY ({query}) TO '{root}/tables/{name}/part-0.parquet' (FORMAT parquet)")
    with spark_session(root) as spark:
        analyse(spark, root / "tables", QUERIES.values())
        yield {name: blocks(spark, query)[0] for name, query in QUERIES.items()}


def own_cost(block: Block, order: Any) -> Cost:
    """What Spark says an order costs: its estimates of the joins of this very tree, which may depend on the order."""
    sizes = block.sizes_of(order)
    return order_cost(
        Cost(size.rows, size.bytes) for mask, size in sizes.items() if mask.bit_count() < len(block.items)
    )


def nested(tree: Any) -> Any:
    return tuple(map(nested, tree.children)) or tree.relations[0]


@pytest.mark.parametrize("query", QUERIES)
def test_sparks_order_is_no_better(query: str, found: dict[str, Block]) -> None:
    block = found[query]
    sparks = order_of(block.tree(block.chosen), block.size_of)
    ours = best_order(len(block.items), block.edges, block.size_of)
    assert ours.exact
    assert weighted_ratio(ours.cost, sparks.cost) <= 1 + 1e-9
    assert ours.value <= order_of(block.tree(block.written), block.size_of).value


@pytest.mark.parametrize("query", QUERIES)
def test_sparks_order_is_no_better_by_its_estimates_of_that_very_tree(query: str, found: dict[str, Block]) -> None:
    block = found[query]
    size_of = block.size_in(block.chosen)
    sparks = order_of(tree_of(block.chosen, size_of), size_of)
    assert sparks.cost == own_cost(block, block.chosen)
    ours = best_order(len(block.items), block.edges, size_of)
    assert ours.exact and weighted_ratio(ours.cost, sparks.cost) <= 1 + 1e-9


@pytest.mark.parametrize("query", QUERIES)
def test_the_simulation_ends_where_spark_does(query: str, found: dict[str, Block]) -> None:
    """At the same cost; within a tenth of it where Spark's estimates of a set depend on the order that made it."""
    block = found[query]
    size_of = block.size_in(block.chosen)
    relations = tuple(GraphRelation(name, (name,), RelationKind.SCAN) for name in block.names)
    conditions = tuple(Condition(mask, "") for _, _, mask in block.conditions)
    simulated = spark_order(JoinGraph("", relations, (), conditions, {}, block.written), size_of, threshold=14)
    assert simulated is not None
    sparks = order_of(tree_of(block.chosen, size_of), size_of)
    assert weighted_ratio(tree_cost(simulated), sparks.cost) == pytest.approx(
        1, abs=1e-6 if query in ("star", "filtered star") else 0.1
    )


def test_without_filters_spark_estimates_a_set_the_same_in_every_order(found: dict[str, Block]) -> None:
    block = found["star"]
    for order in (block.written, block.chosen, nested(best_order(5, block.edges, block.size_of).tree)):
        assert block.sizes_of(order) == {mask: block.size_of(mask) for mask in block.sizes_of(order)}
        assert own_cost(block, order) == order_of(block.tree(order), block.size_of).cost
