"""Join graphs and sizes for tests and benchmarks, and every tree there is over a few relations."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from tuner.cost.join_edges import Edge, edge
from tuner.cost.join_order import BY_RATIO, JoinOrder
from tuner.cost.join_tree import JoinTree, SizeOf, tree_cost, tree_of
from tuner.cost.order_objective import OrderObjective, Pricing
from tuner.cost.size import Size
from tuner.model.join_graph import Joined, Order


def chain(n: int) -> list[Edge]:
    return [edge(i, i + 1) for i in range(n - 1)]


def cycle(n: int) -> list[Edge]:
    return [*chain(n), edge(0, n - 1)]


def star(n: int) -> list[Edge]:
    """A fact table, 0, and dimensions."""
    return [edge(0, i) for i in range(1, n)]


def snowflake(n: int) -> list[Edge]:
    """A fact table whose dimensions have dimensions: relation 3k+1 has 3k+2 and 3k+3."""
    return [edge(0 if i % 3 == 1 else i - 1 - (i % 3 == 0), i) for i in range(1, n)]


def two_facts(n: int) -> list[Edge]:
    """Two fact tables, 0 and 1, that are joined and share every dimension, as sales and their returns do."""
    return [edge(0, 1), *(edge(fact, i) for i in range(2, n) for fact in (0, 1))]


def clique(n: int) -> list[Edge]:
    return [edge(i, j) for j in range(n) for i in range(j)]


def random_tree(n: int, rng: random.Random) -> list[Edge]:
    return [edge(rng.randrange(i), i) for i in range(1, n)]


def random_graph(n: int, rng: random.Random) -> list[Edge]:
    """A random tree and a few edges more."""
    more = [edge(i, j) for j in range(1, n) for i in range(j) if rng.random() < 1 / n]
    return [*random_tree(n, rng), *more]


def left_deep(relations: Sequence[int], size_of: SizeOf) -> JoinTree:
    """Relations joined one after the other, as the FROM clause lists them."""
    order: Order = relations[0]
    for relation in relations[1:]:
        order = Joined(order, relation)
    return tree_of(order, size_of)


def order_of(tree: JoinTree, size_of: SizeOf, objective: OrderObjective = BY_RATIO) -> JoinOrder:
    """What a given tree costs by the functions of the search; cross products cost what they put out."""
    pricing = Pricing(tree.mask, size_of, objective)
    return JoinOrder(tree, tree_cost(tree), pricing.value(pricing.total(tree)), exact=False)


SHAPES: dict[str, Callable[[int], list[Edge]]] = {
    "chain": chain,
    "cycle": cycle,
    "star": star,
    "snowflake": snowflake,
    "two facts": two_facts,
    "clique": clique,
}


@dataclass(frozen=True)
class Statistics:
    """Rows and row bytes of relations, and the selectivity of each pair of them that is joined."""

    rows: list[float]
    widths: list[float]
    selectivity: list[dict[int, float]]

    def size_of(self) -> SizeOf:
        """Selectivities multiplied, one row at least, as the CBO has it; a row is as wide as what it is made of."""
        kept = {0: (1.0, 0.0)}

        def rows_and_width(mask: int) -> tuple[float, float]:
            found = kept.get(mask)
            if found is None:
                last = mask.bit_length() - 1
                rest = mask ^ (1 << last)
                rows, width = rows_and_width(rest)
                rows *= self.rows[last]
                for other, selectivity in self.selectivity[last].items():
                    if rest >> other & 1:
                        rows *= selectivity
                found = kept[mask] = (rows, width + self.widths[last])
            return found

        def size_of(mask: int) -> Size:
            rows, width = rows_and_width(mask)
            return Size(max(1.0, rows), max(1.0, rows) * width)

        return size_of


def filtered_keys(n: int, edges: list[Edge], rng: random.Random) -> Statistics:
    """Joins to unique keys of relations that a filter left a share of: one row in ten to a thousand, or all."""
    rows = [10 ** rng.uniform(6, 8)] + [10 ** rng.uniform(1, 6) for _ in range(n - 1)]
    share = [1.0 if rng.random() < 0.4 else 10 ** rng.uniform(-3, -1) for _ in range(n)]
    return _statistics(
        n, edges, rng, [r * s for r, s in zip(rows, share, strict=True)], lambda i, j: 1 / min(rows[i], rows[j])
    )


def wild(n: int, edges: list[Edge], rng: random.Random) -> Statistics:
    """Any rows, any selectivities: joins that grow and joins that shrink."""
    rows = [10 ** rng.uniform(0, 7) for _ in range(n)]
    return _statistics(n, edges, rng, rows, lambda i, j: 10 ** rng.uniform(-7, 0))


def alike(n: int, edges: list[Edge], rng: random.Random) -> Statistics:
    """Dimensions without filters: every join of the fact table puts out as many rows, and no bound cuts anything off."""
    rows = [1e6, *[100.0] * (n - 1)]
    return _statistics(n, edges, rng, rows, lambda i, j: 0.01)


STATISTICS = {"filtered keys": filtered_keys, "wild": wild, "alike": alike}


def _statistics(
    n: int, edges: list[Edge], rng: random.Random, rows: list[float], of_edge: Callable[[int, int], float]
) -> Statistics:
    selectivity: list[dict[int, float]] = [{} for _ in range(n)]
    for left, right in edges:
        i, j = left.bit_length() - 1, right.bit_length() - 1
        selectivity[i][j] = selectivity[j][i] = of_edge(i, j)
    return Statistics(rows, [rng.uniform(8, 200) for _ in range(n)], selectivity)


def every_total(
    n: int, connect: Callable[[int, int], bool], of_join: Callable[[int, int], tuple[float, float]]
) -> list[tuple[float, float]]:
    """What the joins add up to in every bushy tree over all relations without cross products, sides unordered."""

    @cache
    def totals(mask: int) -> tuple[tuple[float, float], ...]:
        if mask.bit_count() == 1:
            return ((0.0, 0.0),)
        return tuple(
            (one[0] + other[0] + first, one[1] + other[1] + second)
            for left, right in splits(mask)
            if connect(left, right)
            for first, second in [of_join(left, right)]
            for one in totals(left)
            for other in totals(right)
        )

    return list(totals((1 << n) - 1))


def splits(mask: int) -> Iterator[tuple[int, int]]:
    """Every way to part a set in two."""
    low = mask & -mask
    part = (mask ^ low) & (mask - 1)
    while part:
        yield mask ^ part, part
        part = (part - 1) & (mask ^ low)
