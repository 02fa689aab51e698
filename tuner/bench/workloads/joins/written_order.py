"""The order in which a query names its relations, and that in which Spark joins them."""

from __future__ import annotations

from collections.abc import Sequence

from tuner.bench.workloads.joins.join_tree import Relation


def written_order(tree: Sequence[Relation]) -> tuple[Relation, ...]:
    """By name of the table: an order that knows nothing of the data, as the Join Order Benchmark's FROM clauses have it."""
    return tuple(sorted(tree, key=lambda relation: (relation.table, relation.alias)))


def joined_order(written: Sequence[Relation]) -> tuple[Relation, ...]:
    """From the first on, the next that a condition joins to those before it: what Spark's ReorderJoin makes of a FROM clause."""
    left = list(written)
    joined = [left.pop(0)]
    while left:
        aliases = {relation.alias for relation in joined}
        above = {relation.to for relation in joined}
        following = next(relation for relation in left if relation.to in aliases or relation.alias in above)
        left.remove(following)
        joined.append(following)
    return tuple(joined)
