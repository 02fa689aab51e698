"""The order of a block that Spark's own cost-based reordering would choose."""

from __future__ import annotations

from tuner.advice.candidates.cbo_conf import CboConf
from tuner.advice.candidates.order_changes import Choice
from tuner.advice.facts import Facts
from tuner.cost.cardinality import Cardinality
from tuner.cost.join_tree import JoinTree
from tuner.cost.planner_sizes import planner_sizes
from tuner.cost.spark_order import spark_order
from tuner.model.join_graph import JoinGraph


def spark_order_choice(facts: Facts, conf: CboConf, threshold: int) -> Choice:
    """The order that Spark itself would choose of a block, with statistics of its tables."""

    def choose(graph: JoinGraph, _: Cardinality, __: JoinTree) -> JoinTree | None:
        sizes = planner_sizes(graph)
        return spark_order(graph, sizes.size, weight=conf.weight, threshold=threshold, version=conf.version(facts))

    return choose
