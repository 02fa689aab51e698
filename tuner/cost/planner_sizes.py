"""The sizes of a block's joins as Spark would estimate them after ANALYZE TABLE, which sees columns but no joins.

Source: `JoinEstimation.scala`, `|A|*|B| / max(ndv(A.k), ndv(B.k))`. Rows of relations after their filters are taken as
measured: how FilterEstimation errs about them needs the columns' histograms, which no log has.
"""

from __future__ import annotations

from dataclasses import replace

from tuner.cost.cardinality import Cardinality, scanned_rows, unique_keys
from tuner.model.join_graph import JoinGraph, Predicate


def planner_sizes(graph: JoinGraph) -> Cardinality:
    """Sizes from distinct counts alone: those of keys are the rows of their tables, of others what their joins tell."""
    sizes, keys = Cardinality(graph), frozenset(unique_keys(graph))
    distinct: dict[str, int] = {}
    for predicate in graph.predicates:
        if predicate.left.bit_count() == predicate.right.bit_count() == 1:
            values = _distinct(graph, predicate, keys, sizes)
            for end, key in ((predicate.left, predicate.left_key), (predicate.right, predicate.right_key)):
                if values is not None:
                    known = min(values, scanned_rows(graph, end.bit_length() - 1))
                    distinct[key] = max(distinct.get(key, 1), round(known))
    return Cardinality(replace(graph, measured={}), distinct)


def _distinct(graph: JoinGraph, predicate: Predicate, keys: frozenset[str], sizes: Cardinality) -> float | None:
    """The distinct values of the side of an equality with more; None where several of a pair hide them."""
    ends = ((predicate.left, predicate.left_key), (predicate.right, predicate.right_key))
    of_keys = [scanned_rows(graph, end.bit_length() - 1) for end, key in ends if key in keys]
    if of_keys:
        return max(of_keys)
    pair = predicate.left | predicate.right
    alone = sum(p.left | p.right == pair for p in graph.predicates) == 1
    selectivity = sizes.selectivity(pair)
    return 1 / selectivity if alone and 0 < selectivity <= 1 else None
