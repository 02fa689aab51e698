"""Join graphs for what-ifs, written by predicates."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from tuner.cost.cardinality import Basis
from tuner.cost.size import Size
from tuner.cost.unit_costs import UnitCosts
from tuner.cost.what_if import WhatIf
from tuner.cost.what_if.execution_conf import ExecutionConf
from tuner.model.cluster import Cluster
from tuner.model.join_graph import GraphRelation, JoinGraph, Predicate, RelationKind
from tuner.spark.join_selection.selection_conf import SelectionConf

MB = 1_000_000
CLUSTER, COSTS = Cluster(cores=4, executors=2), UnitCosts()
NO_BROADCAST = SelectionConf(broadcast_bytes=-1)
# Relation, column, relation, column.
Equality = tuple[int, str, int, str]
CHAIN: list[Equality] = [(0, "a", 1, "a"), (1, "b", 2, "b")]
SAME_KEY: list[Equality] = [(0, "k", 1, "k"), (1, "k", 2, "k")]
LARGE = {0b001: Size(1e6, 100 * MB), 0b010: Size(1e6, 100 * MB), 0b100: Size(1e6, 100 * MB)}


def graph(relations: int, predicates: list[Equality], special: Mapping[int, GraphRelation] | None = None) -> JoinGraph:
    """Scans, but for the relations that are given; columns are called by their table, `t0.a`."""
    items = {i: GraphRelation(str(i), (f"t{i}",), RelationKind.SCAN) for i in range(relations)} | dict(special or {})

    def table(number: int) -> str:
        return items[number].relations[0]

    equal = tuple(Predicate(1 << a, 1 << b, f"{table(a)}.{x}", f"{table(b)}.{y}") for a, x, b, y in predicates)
    return JoinGraph("block", tuple(items[i] for i in range(relations)), equal, (), {}, 0)


def what_if(
    sizes: Mapping[int, Size],
    predicates: list[Equality],
    conf: SelectionConf = NO_BROADCAST,
    cluster: Cluster = CLUSTER,
    costs: UnitCosts = COSTS,
    special: Mapping[int, GraphRelation] | None = None,
    execution: ExecutionConf = ExecutionConf(),  # noqa: B008
    basis_of: Callable[[int], Basis] = lambda _: Basis.MEASURED,
    price_error: float = 1.5,
) -> WhatIf:
    """What is not given a size has 1,000 rows of 100 MB."""
    return WhatIf(
        graph(max(s.bit_length() for s in sizes), predicates, special),
        lambda s: sizes.get(s, Size(1000, 100 * MB)),
        conf,
        cluster,
        costs,
        execution=execution,
        basis_of=basis_of,
        price_error=price_error,
    )
